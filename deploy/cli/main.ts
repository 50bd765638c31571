// `npm run cli`: the command line as one file, and as an npm package.
import { join, resolve } from 'node:path';
import { createProgram } from '#cli/program.ts';
import { findNode, PROJECT } from '../image/parts.ts';
import { ARCHITECTURES, readPlatforms } from '../local/parts/architecture.ts';
import { buildCommandLine, packCommandLine } from './bundle.ts';
import { packExecutable } from './executable.ts';

const { command, stop, print, run } = createProgram('cli', 'build the command line as one file that Node.js runs');

command
  .option('--out <folder>', 'write the files to this folder (default: .local/cli in the checkout)')
  .option('--executable <list>', 'also write executables for machines without Node.js: linux/amd64,linux/arm64')
  .action(async ({ out = join(PROJECT, '.local/cli'), executable }: { out?: string; executable?: string }) => {
    const architectures = executable === undefined ? [] : readPlatforms(executable);
    const built = await buildCommandLine(resolve(out));
    print(`${built.file}: ${(built.size / 1e6).toFixed(1)} MB, for Node.js 24 or later`);
    print(`${await packCommandLine(built.folder, stop.signal)}: the same as an npm package`);
    const around = { progress: print, signal: stop.signal };
    for (const architecture of architectures) {
      const node = await findNode(architecture, around);
      const name = await packExecutable(built.folder, { architecture, node }, stop.signal);
      print(`${join(built.folder, name)}: one executable for linux/${ARCHITECTURES[architecture].oci}`);
    }
  });

await run();
