// `npm run image`: the container images, built without a container engine.
import { createProgram } from '#cli/program.ts';
import { runImage } from './image.ts';

const { command, stop, print, run } = createProgram(
  'image',
  'build the container images without a container engine: archives for docker, podman, kind and containerd',
);

command
  .argument('[names...]', 'zonestead, nameserver, postgres (default: all)')
  .option('--out <folder>', 'write the archives to this folder (default: .local/images in the checkout)')
  .option(
    '--platform <list>',
    'build for linux/amd64, linux/arm64, or both, comma-separated (default: the platform of this machine)',
  )
  .option('--rootfs <folder>', 'lay the files of one image down in this folder instead')
  .action((names, options) => runImage(names, options, print, stop.signal));

await run();
