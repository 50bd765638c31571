// A plugin of esbuild that leaves most of the client library of Kubernetes out of a bundle.
import { join } from 'node:path';
import type { Plugin } from 'esbuild';

const PROJECT = new URL('../..', import.meta.url).pathname;

/**
 * Our programs use one module of the client library of Kubernetes, the reader of kubeconfig files. With the module that
 * exports all of the library, its whole API (16 MB) would be in the file. The reader itself imports two small functions
 * from the module of the generated API: with `NARROW` in its place, esbuild need not read that API, which took more
 * time than everything else.
 */
export const onlyKubeconfig: Plugin = {
  name: 'only the kubeconfig reader of @kubernetes/client-node',
  setup: ({ onResolve, onLoad, resolve }) => {
    const library = join(PROJECT, 'node_modules/@kubernetes/client-node/dist');
    const reader = join(library, 'config.js');
    onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({ path: reader, sideEffects: false }));
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, ({ importer }) =>
      importer === reader ? { path: 'generated', namespace: 'kubernetes', sideEffects: false } : null,
    );
    onLoad({ filter: /^generated$/, namespace: 'kubernetes' }, () => ({ contents: NARROW, resolveDir: library }));
    onResolve({ filter: /^\./ }, async ({ path, importer, resolveDir, kind, pluginData }) => {
      if (pluginData === RESOLVED || !importer.includes('/node_modules/@kubernetes/')) return null;
      return { ...(await resolve(path, { importer, resolveDir, kind, pluginData: RESOLVED })), sideEffects: false };
    });
  },
};
const NARROW = `export { createConfiguration } from './gen/configuration.js';
export { ServerConfiguration } from './gen/servers.js';`;
const RESOLVED = Symbol('resolved once');
