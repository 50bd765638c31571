// Leaves the commands of servers out of a bundle. Its program (src/cli/standalone.ts) reads their names from the list
// of these commands, and never loads their modules.
import type { Plugin } from 'esbuild';

export const serversOutside: Plugin = {
  name: 'server commands outside of the bundle',
  setup: ({ onResolve }) => {
    onResolve({ filter: /^\.\// }, ({ path, importer }) =>
      importer.endsWith('/src/cli/server-commands.ts') ? { path, external: true } : null,
    );
  },
};
