// `npm run release`: builds the images and the command line, and publishes them and the chart in a registry.
import { createProgram } from '#cli/program.ts';
import { runRelease } from './release.ts';

const { command, stop, print, run } = createProgram(
  'release',
  'build the images and the command line, push them and the chart to a registry, and sign them',
);

command
  .requiredOption('--registry <address>', 'the registry with a path: registry.example.net/zonestead')
  .option('--sign-key <file>', 'sign images, bills of materials and chart with this private key (PEM, EC P-256)')
  .option('--sign-passphrase-file <file>', 'the file with the passphrase of that key')
  .option('--chart-key <file>', 'write the provenance file of the chart with this secret key (an export of gpg)')
  .option('--chart-signer <text>', 'the user id of that key, or a part of it')
  .option('--chart-passphrase-file <file>', 'the file with the passphrase of that key')
  .option('--auth-file <file>', 'credentials in the form of docker (default: ~/.docker/config.json)')
  .option('--ca-file <file>', 'the certificate authority of the registry (default: those of the system)')
  .option('--plain-http', 'speak HTTP without TLS, to a registry for tests')
  .option('--platform <list>', 'the comma-separated platforms of the images', 'linux/amd64,linux/arm64')
  .option(
    '--download <url>',
    'the address below which you offer the folder "cli" for download, for the manifest of krew',
  )
  .option('--home <url>', "the address of the project's pages, for the chart")
  .option('--source <url>', 'the address of the source code, for the chart')
  .option('--artifact-hub-id <id>', 'push artifacthub-repo.yml with this repository id of Artifact Hub')
  .option(
    '--out <folder>',
    'write archives, bills of materials, command line and chart to this folder (default: .local/release)',
  )
  .action((options) => runRelease(options, print, stop.signal));

await run();
