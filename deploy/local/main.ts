// `npm run up`: Zonestead with everything it needs, on this machine.
import { createProgram } from '#cli/program.ts';

const { command, stop, print, run } = createProgram(
  'up',
  'run Zonestead on this machine: Postgres, Kubernetes, api, name servers and operator',
);

command
  .option('--fresh', 'forget the state of earlier runs')
  .option('--empty', 'leave out the example')
  .option('--without-kubernetes', 'only Postgres, the REST API, DNS and the console: nothing has to be compiled')
  .option('--cert-manager', 'also run cert-manager, Pebble (a certificate authority) and the solver')
  .option('--limits <on|off>', 'hold API keys to their write limits', 'on')
  .option('--kubeconfig <file>', 'use this cluster instead of a local control plane')
  .option(
    '--prebuilt <address>',
    'mirror of the prebuilt Kubernetes programs, or off to build them (default: controller-tools)',
  )
  .option('--state <folder>', 'keep the state in this folder (default: .local in the checkout)')
  .option('--api-port <port>', 'port of the REST API (default: a free one)')
  .option('--dns-port <port>', 'port of the first name server (default: a free one)')
  .option('--nodes <number>', 'run this many name servers, at most 4 (default: 1)')
  .action(async (options) => {
    const { runUp } = await import('./up.ts');
    process.exitCode = await runUp(options, print, stop.signal);
  });

await run();
