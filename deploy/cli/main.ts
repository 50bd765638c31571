// `npm run cli`: the command line as one file, and as an npm package.
import { join, resolve } from 'node:path';
import { createProgram } from '#cli/program.ts';
import { PROJECT } from '../image/images.ts';
import { buildCommandLine, packCommandLine } from './bundle.ts';

const { command, stop, print, run } = createProgram('cli', 'build the command line as one file that Node.js runs');

command
  .option('--out <folder>', 'write the files to this folder (default: .local/cli in the checkout)')
  .action(async ({ out = join(PROJECT, '.local/cli') }: { out?: string }) => {
    const built = await buildCommandLine(resolve(out));
    print(`${built.file}: ${(built.size / 1e6).toFixed(1)} MB, for Node.js 24 or later`);
    print(`${await packCommandLine(built.folder, stop.signal)}: the same as an npm package`);
  });

await run();
