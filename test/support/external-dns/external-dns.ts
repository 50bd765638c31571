// The real external-dns: built once from its published Go module into the cache of the local stack, and started with
// the webhook provider of this project.
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inject } from 'vitest';
import { cached, cacheKey } from '../../../deploy/local/parts/cache.ts';
import { goFlags } from '../../../deploy/local/parts/go-flags.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { type Part, startProcess, startReady } from '../../../deploy/local/parts/process.ts';
import { typed } from '../docs/reader.ts';
import { COMPILED } from '../program/compiled.ts';
import { withGoModule } from '../tools/go-module.ts';

/** The last one that builds with Go 1.26 from modules that the public proxy has. */
const VERSION = 'v0.21.0';

export { VERSION as EXTERNAL_DNS_VERSION };

const MODULE = {
  module: 'sigs.k8s.io/external-dns',
  version: VERSION,
  sum: 'h1:YAC7ERW32eZAjSdhu44taaZGII6nwz2/wteT+BtpFzM=',
};
/** The CRD of the kind DNSEndpoint: a file of the module from which the program is built. */
const CRD = 'config/crd/standard/dnsendpoints.externaldns.k8s.io.yaml';
const FLAGS = goFlags({ 'sigs.k8s.io/external-dns/pkg/apis/externaldns.Version': VERSION });
const BUILD_MS = 45 * 60_000;
const NEWS_MS = 5_000;

/**
 * The paths of the program and of its CRD. @throws when Go is missing, with how to get it; with the compiler's last
 * lines
 */
export async function ensureExternalDns(signal: AbortSignal): Promise<{ command: string; crd: string }> {
  const progress = (line: string) => process.stdout.write(`${line}\n`);
  const dir = await cached({
    name: 'external-dns',
    key: cacheKey({
      module: JSON.stringify(MODULE),
      crd: CRD,
      flags: FLAGS.join(' '),
      platform: `${process.platform}-${process.arch}`,
    }),
    progress,
    signal,
    fill: (folder) => build(folder, progress, signal),
  });
  return { command: join(dir, 'external-dns'), crd: join(dir, 'dnsendpoints.yaml') };
}

async function build(folder: string, progress: (line: string) => void, signal: AbortSignal): Promise<void> {
  const started = performance.now();
  let packages = 0;
  const news = setInterval(() => {
    progress(
      `  building external-dns ${VERSION}: ${packages} packages, ${Math.round((performance.now() - started) / 1000)} s`,
    );
  }, NEWS_MS);
  const onLine = () => {
    packages += 1;
  };
  try {
    await withGoModule(MODULE, { limitMs: BUILD_MS, onLine, signal }, async (sources, run) => {
      await run('build', '-v', ...FLAGS, '-o', join(folder, 'external-dns'), '.');
      await copyFile(join(sources, CRD), join(folder, 'dnsendpoints.yaml'));
    });
  } finally {
    clearInterval(news);
  }
}

export interface ExternalDnsOptions {
  /** From ensureExternalDns. */
  command: string;
  /** How docs/how-to/external-dns.md starts it: `external-dns --provider=…`. */
  documented: string;
  kubeconfig: string;
  /** The address of the REST service. */
  url: string;
  key: string;
  /** The owner id, and the namespace that is looked at. */
  owner: string;
  /** More settings of the provider. */
  settings?: Readonly<Record<string, string>>;
  /** With the TXT registry instead of the documented one. (Default: false.) */
  txt?: boolean;
  stateDir: string;
  signal: AbortSignal;
}

export interface ExternalDns {
  program: Part;
  webhook: Part;
  /** How often external-dns has read the records. */
  rounds(): Promise<number>;
  stop(): Promise<void>;
}

/** external-dns with the webhook provider, as in one pod. */
export async function startExternalDns(options: ExternalDnsOptions): Promise<ExternalDns> {
  const { command, kubeconfig, owner, stateDir, signal, settings = {}, txt = false } = options;
  const names = ['webhook', 'health', 'metrics'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name: `${name}-${owner}` })),
    { stateDir },
  );
  const port = (name: (typeof names)[number]) => ports[`${name}-${owner}`];
  const address = `http://127.0.0.1:${port('webhook')}`;
  const webhook = await startReady(
    {
      name: `webhook-${owner}`,
      command: process.execPath,
      args: [inject('program'), 'external-dns'],
      env: {
        PATH: process.env.PATH,
        ...COMPILED,
        ZONESTEAD_URL: options.url,
        ZONESTEAD_API_KEY: options.key,
        ZONESTEAD_EXTERNAL_DNS_LISTEN: `127.0.0.1:${port('webhook')}`,
        ZONESTEAD_HEALTH_LISTEN: `127.0.0.1:${port('health')}`,
        ZONESTEAD_EXTERNAL_DNS_OWNER_ID: owner,
        ...settings,
      },
      logFile: join(stateDir, `webhook-${owner}.log`),
    },
    async (limit) => (await fetch(`${address}/healthz`, { signal: limit })).ok,
    {
      what: 'the webhook provider to listen',
      timeoutMs: 60_000,
      intervalMs: 50,
      signal,
    },
  );
  const program = startProcess({
    name: `external-dns-${owner}`,
    command,
    args: [
      ...typed(options.documented, { 'http://127.0.0.1:8888': address })
        .split(' ')
        .slice(1)
        .map((word) => (txt && word === '--registry=noop' ? '--registry=txt' : word)),
      ...(txt ? [`--txt-owner-id=${owner}`] : []),
      '--source=crd',
      ...['A', 'AAAA', 'CNAME', 'MX'].map((type) => `--managed-record-types=${type}`),
      `--namespace=${owner}`,
      `--kubeconfig=${kubeconfig}`,
      '--interval=300ms',
      `--metrics-address=127.0.0.1:${port('metrics')}`,
    ],
    logFile: join(stateDir, `external-dns-${owner}.log`),
  });
  return {
    program,
    webhook,
    rounds: async () => {
      const scrape = await (await fetch(`http://127.0.0.1:${port('metrics')}/metrics`)).text();
      return Number(/^external_dns_webhook_provider_records_requests_total (\S+)$/m.exec(scrape)?.[1]);
    },
    stop: async () => {
      await program.stop({ graceMs: 3_000 });
      await webhook.stop();
    },
  };
}
