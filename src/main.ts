// Commands to rooms, loaded only when they are run; signals to an AbortSignal. Knows nothing of what a command does.
import { Command } from 'commander';
import { addCommands } from './cli/commands.ts';
import { hastenImports } from './modules.ts';

hastenImports();

const stop = new AbortController();
/** What the terminal sends to all of us, npm hands on to us once more: that is no second Ctrl-C. */
const ONE_SIGNAL_MS = 500;
let stoppedAt = 0;
// A terminal that closes says SIGHUP; under nohup, which has taken the terminal away, it is not for us.
const signals = ['SIGINT', 'SIGTERM', ...(process.stdout.isTTY ? (['SIGHUP'] as const) : [])] as const;
for (const name of signals) {
  process.on(name, () => {
    // The second signal does not wait for an orderly end.
    if (stop.signal.aborted) {
      if (performance.now() - stoppedAt > ONE_SIGNAL_MS) process.exit(1);
      return;
    }
    stoppedAt = performance.now();
    stop.abort(new Error(name));
  });
}

const program = new Command('zonestead').description('DNS zones and records as Kubernetes resources');

/** A long-running process that has a secret from a file ends in order when the file changes, to be started again with the new one. */
async function untilSecretsChange(run: () => Promise<void>): Promise<void> {
  const { followSecrets } = await import('./telemetry/secrets.ts');
  const { secretFiles } = await import('./config.ts');
  const end = new AbortController();
  void followSecrets(secretFiles(), print, end.signal).then(
    (changed) => changed && stop.abort(new Error('a secret changed')),
  );
  try {
    await run();
  } finally {
    end.abort();
  }
}

program
  .command('api')
  .description('serve the REST API (migrates the database first)')
  .action(async () => {
    const { API_SETTINGS, runApi } = await import('./api/server.ts');
    const { createOutside, OUTSIDE_SETTINGS } = await import('./nameserver/outside.ts');
    const { readConfig } = await import('./config.ts');
    const { CONSOLE_SETTINGS } = await import('./console/settings.ts');
    const config = readConfig([...API_SETTINGS, ...OUTSIDE_SETTINGS, ...CONSOLE_SETTINGS]);
    const pages = config.ZONESTEAD_CONSOLE ? await import('./console/plugin.ts') : null;
    const world = createOutside(config);
    const outside = { ...world, ...(pages ? { console: pages.createConsole(config, world.live) } : {}) };
    await untilSecretsChange(() => runApi(config, outside, stop.signal));
  });

program
  .command('nameserver')
  .description('keep the cache of the PowerDNS beside it fresh')
  .action(async () => {
    const { NAMESERVER_SETTINGS, runNameserver } = await import('./nameserver/server.ts');
    const { CONF_SETTINGS, renewConf } = await import('./nameserver/conf-file.ts');
    const { readConfig } = await import('./config.ts');
    const { ZONESTEAD_PDNS_CONF: conf, ZONESTEAD_PDNS_SOCKET: socket } = readConfig([
      'ZONESTEAD_PDNS_CONF',
      'ZONESTEAD_PDNS_SOCKET',
    ]);
    if (conf !== undefined) await renewConf(readConfig(CONF_SETTINGS), conf, socket);
    const config = readConfig(NAMESERVER_SETTINGS);
    await untilSecretsChange(() => runNameserver(config, stop.signal));
  });

program
  .command('pdns-conf')
  .description("write PowerDNS' configuration: its database as the nameserver's settings name it")
  .requiredOption('--output <file>', 'written with mode 600')
  .option('--socket-dir <folder>', 'of the control socket', '/run/pdns')
  .action(async (options: { output: string; socketDir: string }) => {
    const { CONF_SETTINGS, writeConf } = await import('./nameserver/conf-file.ts');
    const { readConfig } = await import('./config.ts');
    await writeConf(readConfig(CONF_SETTINGS), options.output, options.socketDir);
  });

program
  .command('operator')
  .description('reconcile DNSZone and DNSRecord objects with the REST API')
  .action(async () => {
    const { OPERATOR_SETTINGS, runOperator } = await import('./operator/main.ts');
    const { readConfig } = await import('./config.ts');
    const config = readConfig(OPERATOR_SETTINGS);
    await untilSecretsChange(() => runOperator(config, stop.signal));
  });

program
  .command('external-dns')
  .description("external-dns' webhook provider, to run beside it")
  .action(async () => {
    const { EXTERNAL_DNS_SETTINGS, runExternalDns } = await import('./external-dns/main.ts');
    const { readConfig } = await import('./config.ts');
    const config = readConfig(EXTERNAL_DNS_SETTINGS);
    await untilSecretsChange(() => runExternalDns(config, stop.signal));
  });

program
  .command('solver')
  .description("answer cert-manager's DNS-01 challenges with DNSRecord objects")
  .action(async () => {
    const { runSolver, SOLVER_SETTINGS } = await import('./solver/main.ts');
    const { readConfig } = await import('./config.ts');
    await runSolver(readConfig(SOLVER_SETTINGS), stop.signal);
  });

program
  .command('doctor')
  .description('check the chain from cert-manager to the name servers, and say how to mend it')
  .argument('[names...]', 'names to be certified, e.g. www.example.org')
  .option('--namespace <name>', 'where the Certificate is', 'default')
  .option('--account <user>', "cert-manager's account", 'system:serviceaccount:cert-manager:cert-manager')
  .action(async (names, options) => {
    const { DOCTOR_SETTINGS, runDoctor } = await import('./cli/doctor/doctor.ts');
    const { readConfig } = await import('./config.ts');
    process.exitCode = await runDoctor(readConfig(DOCTOR_SETTINGS), names, options, print, stop.signal);
  });

program
  .command('migrate')
  .description('bring the database to the schema of this version')
  .action(async () => {
    const { runMigrate } = await import('./cli/migrate.ts');
    const { readConfig } = await import('./config.ts');
    await runMigrate(readConfig(['DATABASE_URL']), print);
  });

addCommands(program, print, stop.signal);

program
  .command('crds')
  .description('print the CustomResourceDefinitions, or write them to crds/')
  .option('--write', 'write crds/*.yaml')
  .action(async (options: { write?: boolean }) => {
    const { runCrds } = await import('./cli/crds.ts');
    await runCrds(options.write ? ['--write'] : [], print);
  });

program
  .command('image')
  .description(
    'build the container images without a container engine: archives for docker, podman, kind and containerd',
  )
  .argument('[names...]', 'zonestead, powerdns, postgres (default: all)')
  .option('--out <folder>', 'where the archives go (default: .local/images in the checkout)')
  .option('--rootfs <folder>', 'lay the files of one image down in this folder instead')
  .action(async (names, options) => {
    const { runImage } = await import('./cli/image/image.ts');
    await runImage(names, options, print, stop.signal);
  });

program
  .command('kind')
  .description('a kind cluster with the images, cert-manager and the chart (needs a container engine)')
  .action(async () => {
    const { runKind } = await import('./cli/kind.ts');
    process.exitCode = await runKind(print, stop.signal);
  });

program
  .command('chart')
  .description('bring what is made of the chart in step: CRDs, schema and README in it, deploy/manifests')
  .action(async () => {
    const { runChart } = await import('./cli/chart/chart.ts');
    await runChart(print, stop.signal);
  });

program
  .command('up')
  .description('the whole thing on this machine: Postgres, PowerDNS, Kubernetes, api, nameserver, operator')
  .option('--fresh', 'forget the state of earlier runs')
  .option('--empty', 'leave out the example')
  .option('--cert-manager', 'also cert-manager, Pebble (a certificate authority) and the solver')
  .option('--limits <on|off>', 'hold API keys to their write limits', 'on')
  .option('--kubeconfig <file>', 'use this cluster instead of a control plane of our own')
  .option('--state <folder>', 'where the state is kept (default: .local in the checkout)')
  .option('--api-port <port>', 'port of the REST API (default: a free one)')
  .option('--dns-port <port>', 'port of PowerDNS (default: a free one)')
  .action(async (options) => {
    const { runUp } = await import('./cli/up/up.ts');
    process.exitCode = await runUp(options, print, stop.signal);
  });

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

try {
  await program.parseAsync();
} catch (error) {
  if (!stop.signal.aborted) {
    process.stderr.write(`zonestead: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
// Whatever a library left open must not keep an ended command alive.
process.exit();
