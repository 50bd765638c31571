// The cost of a DNSRecord for each part, in ms of processor time a record: created, served and Ready, created while no
// operator runs, and created while another client watches all DNSRecords. `node test/bench/record-costs.ts [COUNT]`,
// about a minute with 1,000. The load of the parts when nothing happens is measured first and subtracted. Other load on
// the machine changes these figures little, unlike the times of operator-scale.ts.
//
// With PROFILES=FOLDER, profiles of kube-apiserver are written there (`go tool pprof -top -cum FILE`), and those of the
// operator and the api (*.cpuprofile, for the developer tools of a browser).
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createApi, type KubeApi } from '#kube/api/api.ts';
import { loadCredentials } from '#kube/api/credentials.ts';
import { createTransport, type Transport } from '#kube/api/transport.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { counters, cpuSeconds, memory } from './processes.ts';
import { CREATORS, create, inParallel, newRecords } from './scale-bulk.ts';
import { figure, tableLines } from './statistics.ts';
import { print, runBench } from './support.ts';

const LIMIT_MS = 5 * 60_000;
const COUNT = Number(process.argv[2] ?? 1_000);
/** The first objects also pay for caches and compiled code. */
const WARM = 300;
const LOOK_MS = 250;
/** Work that follows a creation, such as the collection of garbage, has mostly ended by then. */
const SETTLE_MS = 2_000;
const IDLE_MS = 10_000;
const PROFILES = process.env.PROFILES;
const PROFILE_SECONDS = 10;

interface Ground {
  readonly stack: Stack;
  readonly api: KubeApi;
  readonly transport: Transport;
  readonly signal: AbortSignal;
}

/** By part, in ms of processor time a second. */
type Load = Readonly<Record<string, number>>;

interface Cost {
  readonly title: string;
  readonly seconds: number;
  /** By part, in ms a record. */
  readonly cpu: Readonly<Record<string, number>>;
}

/** CPU seconds so far, of each part and of this program. */
async function spent({ stack }: Ground): Promise<Record<string, number>> {
  const { user, system } = process.cpuUsage();
  const parts = Object.fromEntries(stack.parts().map(({ name, pid }) => [name, pid]));
  return { ...(await cpuSeconds(parts)), 'this program': (user + system) / 1e6 };
}

/** @param idle the load of each part when nothing happens, in ms of processor time a second */
async function measureCost(ground: Ground, title: string, idle: Load, work: () => Promise<unknown>): Promise<Cost> {
  await delay(SETTLE_MS, ground.signal);
  const profiled = kubeProfile(ground, title);
  const before = await spent(ground);
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  await delay(SETTLE_MS, ground.signal);
  const lasted = (performance.now() - start) / 1000;
  const after = await spent(ground);
  await profiled;
  const costs = Object.entries(after).map(([part, sum]) => {
    const ms = (sum - (before[part] ?? 0)) * 1000;
    // A part that is stopped has no load.
    return [part, ms === 0 ? 0 : (ms - (idle[part] ?? 0) * lasted) / COUNT];
  });
  return { title, seconds, cpu: Object.fromEntries(costs) };
}

async function idleLoad(ground: Ground): Promise<Load> {
  await delay(SETTLE_MS, ground.signal);
  const [before, start] = [await spent(ground), performance.now()];
  await delay(IDLE_MS, ground.signal);
  const [after, seconds] = [await spent(ground), (performance.now() - start) / 1000];
  return Object.fromEntries(
    Object.entries(after).map(([part, sum]) => [part, ((sum - (before[part] ?? 0)) * 1000) / seconds]),
  );
}

/** Node writes a profile when it ends. */
function profiled(folder: string): Record<string, string> {
  return { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder}` };
}

async function kubeProfile({ transport, signal }: Ground, title: string): Promise<void> {
  if (PROFILES === undefined) return;
  const call = { path: '/debug/pprof/profile', query: { seconds: String(PROFILE_SECONDS) } };
  const chunks = await Array.fromAsync(await transport.stream(call, signal));
  await writeFile(join(PROFILES, `${title.replaceAll(/[^a-z]+/g, '-')}.pb.gz`), Buffer.concat(chunks));
}

const createAll = (ground: Ground, count: number) =>
  inParallel(newRecords(count, 1), CREATORS, (each) => create(ground, each));

/** The operator's own count costs kube-apiserver nothing. */
async function readyCount({ stack }: Ground): Promise<number> {
  const { pid } = stack.operator.part('operator');
  const found = await counters(pid, 'object_conditions', 'kind', [
    'kind="DNSRecord"',
    'condition="Ready"',
    'status="True"',
  ]);
  return found.DNSRecord ?? 0;
}

async function untilReady(ground: Ground, count: number): Promise<void> {
  while ((await readyCount(ground)) < count) {
    await delay(LOOK_MS, ground.signal);
    ground.signal.throwIfAborted();
  }
}

/** A watch as other controllers, GitOps tools and `kubectl get -w` have it. Its events are not parsed. */
async function besideWatch(ground: Ground, work: () => Promise<void>): Promise<void> {
  const { resourceVersion } = await ground.api.list(DNS_RECORD, { limit: 1 }, ground.signal);
  const end = new AbortController();
  const options = { resourceVersion, timeoutSeconds: 300 };
  const events = await ground.api.watch(DNS_RECORD, options, AbortSignal.any([end.signal, ground.signal]));
  const watching = Array.fromAsync(events, ({ length }) => length).catch(() => []);
  await work();
  end.abort();
  await watching;
}

await runBench('the costs of a DNSRecord', LIMIT_MS, async ({ stateDir, signal, atEnd }) => {
  const options = { stateDir, limits: false, durable: true, progress: () => {}, signal };
  const stack = await startStack({ ...options, ...(PROFILES === undefined ? {} : { settings: profiled(PROFILES) }) });
  atEnd(() => stack.stop());
  const credentials = await loadCredentials({ kubeconfig: stack.cluster.kubeconfig });
  const transport = createTransport({ credentials, maxConnections: CREATORS });
  atEnd(() => transport.close());
  const ground: Ground = { stack, transport, api: createApi(transport), signal };
  const zone = { metadata: { name: 'scale0', namespace: 'default' }, spec: { zoneName: 'scale0.test' } };
  await ground.api.create(DNS_ZONE, zone as never, signal);
  await createAll(ground, WARM);
  await untilReady(ground, WARM);

  const idle = await idleLoad(ground);
  const ready = await measureCost(ground, 'created and Ready', idle, async () => {
    await createAll(ground, COUNT);
    await untilReady(ground, WARM + COUNT);
  });
  const rss = await memory(stack.operator.part('operator').pid);
  const { items } = await ground.api.list<DNSRecord>(DNS_RECORD, {}, signal);
  const readyThere = items.filter(({ status }) => isTrue(status?.conditions, 'Ready', 1)).length;
  await stack.operator.stop('operator');
  const alone = await measureCost(ground, 'created alone', idle, () => createAll(ground, COUNT));
  const watched = await measureCost(ground, 'and watched', idle, () =>
    besideWatch(ground, () => createAll(ground, COUNT)),
  );

  const all = [ready, alone, watched];
  const parts = Object.keys(ready.cpu);
  const row = (part: string) => [part, ...all.map(({ cpu }) => figure(cpu[part] ?? 0)), figure(idle[part] ?? 0)];
  const heading = ['ms a record', ...all.map(({ title }) => title), 'idle: ms a second'];
  for (const line of tableLines([heading, ...parts.map(row)])) print(line);
  print(`seconds for ${COUNT}: ${all.map(({ title, seconds }) => `${title} ${figure(seconds)}`).join(', ')}`);
  print(`${readyThere} of ${WARM + COUNT} DNSRecords are Ready`);
  print(`operator: ${figure(rss.now)} MiB resident, ${figure(rss.peak)} at most`);
});
