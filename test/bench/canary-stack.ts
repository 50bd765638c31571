// The stack of canary.ts: two Postgres servers with synchronous replication, two replicas of the api behind one
// address, name servers of which two share the address of a Service, a canary, and a Prometheus with the rules of the
// objectives and three days of good history.
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '#client/client.ts';
import { createZone } from '#contract/operations/zones.ts';
import { adminMintKey } from '#service/credentials/administration.ts';
import { adminEnsureNodeKey } from '#service/nodes/administration.ts';
import { nameServerStarters, nameServers } from '../../deploy/local/name-servers.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { startCommand } from '../../deploy/local/parts/command.ts';
import { runCommand } from '../../deploy/local/parts/commands.ts';
import { ensureKnot } from '../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { createRunningParts, type RunningParts } from '../../deploy/local/running-parts.ts';
import { type ServiceAddress, startServiceAddress } from '../support/dns/service-address.ts';
import { startTcpRelay, type TcpRelay } from '../support/http/tcp-relay.ts';
import { debianPostgres } from '../support/postgres/debian-postgres.ts';
import { type PostgresPair, startPostgresPair } from '../support/postgres/pair.ts';
import { type Prometheus, startPrometheus } from '../support/tools/prometheus.ts';
import type { Bench } from './support.ts';

const RULES = new URL('../../charts/zonestead/files/alerts/slo.yaml', import.meta.url).pathname;
const ZONE = 'canary.example';
/** The longest window of the rules. */
const HISTORY_SECONDS = 3 * 24 * 3_600;
/** The interval of the rules. */
const STEP_SECONDS = 30;
/** Events a second by default: two addresses, two transports and three questions each five seconds, and so on. */
export const GOOD = { answers: 2.4, freshness: 1, changes: 0.1, challenges: 1 / 600 } as const;
export type Slo = keyof typeof GOOD;
export const OBJECTIVE_IDS = Object.keys(GOOD) as Slo[];

/** The name servers ns1 and ns2 are behind one address, ns3 has one of its own. */
const NODES = 3;
const [SHARED, OWN] = ['ns-a.zonestead.test', 'ns-b.zonestead.test'] as const;

export const REPLICAS = ['api-1', 'api-2'] as const;
export type Replica = (typeof REPLICAS)[number];
type PartName = Replica | 'canary' | `knot${'' | `-${number}`}` | `nameserver${'' | `-${number}`}`;

export interface CanaryStack {
  readonly pair: PostgresPair;
  readonly running: RunningParts<PartName>;
  readonly nodes: ReturnType<typeof nameServers>;
  /** The address that ns1 and ns2 share. */
  readonly service: ServiceAddress;
  /** The address of the api. */
  readonly api: TcpRelay;
  readonly apiPorts: Readonly<Record<Replica, number>>;
  readonly canaryUrl: string;
  /** Starts a Prometheus without the alerts of earlier events. The one before is stopped. */
  observe(): Promise<Prometheus>;
}

export async function startCanaryStack(bench: Bench): Promise<CanaryStack> {
  const { stateDir, signal, atEnd } = bench;
  const pair = await startPair(bench);
  const ports = await allocateAll(stateDir);
  const hosts = [pair.primaryPort(), pair.standbyPort()].map((port) => `127.0.0.1:${port}`);
  const databaseUrl = pair.url(hosts);
  const nodes = nameServers(Array.from({ length: NODES }, (_, at) => ports.of(`dns${at}`)));
  const api = await startTcpRelay();
  atEnd(() => api.close());
  const service = await startServiceAddress(...nodes.slice(0, 2).map(({ port }) => port));
  atEnd(() => service.close());
  const overrides = `${SHARED}=127.0.0.1:${service.port},${OWN}=127.0.0.1:${nodes[2]?.port}`;
  const url = `http://127.0.0.1:${api.port}`;
  const nodeKey = await adminEnsureNodeKey(databaseUrl, 'bench', undefined, randomBytes, new Date());
  const terms = { name: 'canary', records: 'write', manageZones: 'write' } as const;
  const team = { team: 'canary', createTeam: true };
  const { text: key, teamId } = await adminMintKey(databaseUrl, team, terms, randomBytes, new Date());

  const startReplica = async (name: Replica) => {
    const folder = join(stateDir, name);
    await mkdir(folder, { recursive: true });
    const env = {
      DATABASE_URL: databaseUrl,
      ZONESTEAD_LISTEN: `127.0.0.1:${ports.of(name)}`,
      ZONESTEAD_NAMESERVERS: `${SHARED},${OWN}`,
      ZONESTEAD_NAMESERVER_ADDRESSES: overrides,
      ZONESTEAD_RESOLVER: '127.0.0.1:1',
      ZONESTEAD_LIMITS: 'off',
    };
    return startCommand({ name: 'api', env, healthPort: ports.of(`${name}-health`), stateDir: folder, signal });
  };
  const running = createRunningParts<PartName>({
    'api-1': () => startReplica('api-1'),
    'api-2': () => startReplica('api-2'),
    canary: () => {
      const env = {
        ZONESTEAD_URL: url,
        ZONESTEAD_API_KEY: key,
        ZONESTEAD_NAMESERVER_ADDRESSES: overrides,
        ZONESTEAD_CANARY_ZONE: ZONE,
        // The default is ten minutes: no event would meet a challenge.
        ZONESTEAD_CANARY_CHALLENGE_MINUTES: '1',
      };
      return startCommand({ name: 'canary', env, healthPort: ports.of('canary'), stateDir, signal });
    },
    ...nameServerStarters(nodes, {
      programs: await ensureKnot({ progress: () => {}, signal }),
      stateDir,
      healthPorts: nodes.map((_, at) => ports.of(`health${at}`)),
      feed: () => ({ url, key: nodeKey }),
      signal,
    }),
  });
  atEnd(() => running.stop('api-1'));
  const apiPorts = { 'api-1': ports.of('api-1'), 'api-2': ports.of('api-2') };
  await Promise.all([...REPLICAS.map((name) => running.start(name)), ...nodes.map(({ knot }) => running.start(knot))]);
  api.lead(...Object.values(apiPorts));
  await createCanaryZone(url, key, teamId);
  await Promise.all(nodes.map(({ node }) => running.start(node)));
  await running.start('canary');
  const canaryUrl = `http://127.0.0.1:${ports.of('canary')}`;
  const observe = createObserver(bench, ports.of('canary'));
  return { pair, running, nodes, service, api, apiPorts, canaryUrl, observe };
}

async function startPair({ stateDir, signal, atEnd }: Bench): Promise<PostgresPair> {
  const folder = join(stateDir, 'pair');
  await mkdir(folder, { mode: 0o755 });
  const pair = await startPostgresPair({ programs: await debianPostgres(), folder, signal });
  atEnd(() => pair.stop());
  return pair;
}

async function allocateAll(stateDir: string): Promise<{ of(name: string): number }> {
  const numbers = Array.from({ length: NODES }, (_, at) => at);
  const names = [...REPLICAS.flatMap((name) => [name, `${name}-health`]), 'canary'];
  const ports = await allocatePorts(
    [
      ...[...names, ...numbers.map((at) => `health${at}`)].map((name) => ({ name })),
      ...numbers.map((at) => ({ name: `dns${at}`, dns: true })),
    ],
    { stateDir },
  );
  return { of: (name) => ports[name] as number };
}

async function createCanaryZone(url: string, key: string, teamId: string): Promise<void> {
  const client = createClient({ baseUrl: url, key });
  try {
    await client.call(createZone, { body: { zoneName: ZONE, owner: `org:${teamId}` } });
  } finally {
    await client.close();
  }
}

function createObserver(bench: Bench, canaryPort: number): CanaryStack['observe'] {
  let last: Prometheus | null = null;
  let starts = 0;
  bench.atEnd(async () => last?.stop());
  return async () => {
    await last?.stop();
    starts += 1;
    const stateDir = join(bench.stateDir, `observed-${starts}`);
    await mkdir(stateDir);
    last = await startWithHistory({ ...bench, stateDir }, canaryPort);
    return last;
  };
}

/** Three days without bad events: with minutes of history, the share of an hour would be far too large. */
async function startWithHistory({ stateDir, signal }: Bench, canaryPort: number): Promise<Prometheus> {
  const progress = () => {};
  const tools = await ensureTools(
    ['prometheus', 'promtool'].map((command) => ({ command, package: 'prometheus' })),
    { progress, signal },
  );
  const folder = join(stateDir, 'prometheus');
  await mkdir(folder);
  const file = join(folder, 'history');
  await writeFile(file, historyText(Math.floor(Date.now() / 1000)));
  const args = ['tsdb', 'create-blocks-from', 'openmetrics', file, join(folder, 'data')];
  const { code, tail } = await runCommand({ command: tools.promtool!, args, timeoutMs: 600_000, signal });
  if (code !== 0) throw new Error(`promtool: ${tail}`);
  const target = { address: `127.0.0.1:${canaryPort}`, labels: { namespace: 'zonestead', pod: 'canary' } };
  return startPrometheus(tools.prometheus!, stateDir, [target], [RULES]);
}

function historyText(nowSeconds: number): string {
  const steps = Array.from(
    { length: HISTORY_SECONDS / STEP_SECONDS },
    (_, at) => nowSeconds - (at + 1) * STEP_SECONDS,
  ).reverse();
  const series = (name: string, rateOf: (slo: Slo) => number) => [
    `# TYPE ${name} gauge`,
    ...OBJECTIVE_IDS.flatMap((slo) =>
      steps.map((at) => `${name}{namespace="zonestead",slo="${slo}"} ${rateOf(slo)} ${at}.000`),
    ),
  ];
  const lines = [
    ...series('zonestead_slo:total:rate2m', (slo) => GOOD[slo]),
    ...series('zonestead_slo:bad:rate2m', () => 0),
  ];
  return `${[...lines, '# EOF'].join('\n')}\n`;
}
