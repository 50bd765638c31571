// The whole chain: from the apply of a DNSRecord to the first correct, signed answer of a name server and to Ready in
// its status: `node test/bench/apply-to-answer.ts`. The apply is the API server's PATCH, without kubectl's own start;
// kubectl itself is measured separately.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { KubeApi } from '#kube/api/api.ts';
import { connectCluster } from '#kube/api/cluster.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { type Stack, startStack } from '../../deploy/local/stack.ts';
import { printBar } from './bars.ts';
import { type ReadyWatch, watchReady } from './ready-watch.ts';
import { countAbove, figure, quantile } from './statistics.ts';
import {
  type Bench,
  isSignedAddress,
  numberedAddress,
  outOfStep,
  print,
  printSummaries,
  runBench,
  untilRight,
} from './support.ts';

const ROUNDS = 100;
const KUBECTL_ROUNDS = 20;
const ZONE_ROUNDS = 30;
const AT_ONCE = 200;
const LIMIT_MS = 15 * 60_000;
/** More than the interval of any regular work, so that rounds do not follow its beat. */
const PAUSE_MS = 100;
const READY_LIMIT_MS = 60_000;
const NAMESPACE = 'default';
const ZONE = 'bench.example';

interface Ground {
  bench: Bench;
  stack: Stack;
  api: KubeApi;
  records: ReadyWatch;
  zones: ReadyWatch;
}

/** Samples by the name of the measurement, in the order of the first sample. */
type Samples = Record<string, number[]>;

function add(samples: Samples, what: string, ms: number): void {
  samples[what] ??= [];
  samples[what].push(ms);
}

/** @returns the generation that the object has now */
async function apply(api: KubeApi, type: ResourceType, name: string, spec: object, signal: AbortSignal) {
  const draft = { metadata: { name, namespace: NAMESPACE }, spec } as never;
  const applied = await api.apply<KubeObject>(type, draft, { fieldManager: 'bench' }, signal);
  return applied.metadata.generation ?? 0;
}

const recordSpec = (name: string, content: string) => ({
  zoneRef: { name: 'bench' },
  name,
  type: 'A',
  ttl: 60,
  content,
});
const question = (name: string) => ({ name: `${name}.${ZONE}`, type: 'A', dnssec: true }) as const;

/**
 * One apply; `asked`: the name is asked for every 2 ms from the start, so that a wrong answer is in the cache first.
 */
async function applyRecord(
  ground: Ground,
  samples: Samples,
  what: string,
  name: string,
  content: string,
  asked: boolean,
) {
  const { api, bench, stack, records } = ground;
  const { signal } = bench;
  const { dns } = stack.service;
  await outOfStep(PAUSE_MS, signal);
  const start = performance.now();
  const answered = asked
    ? untilRight(dns, question(name), isSignedAddress(content), signal).then(() => performance.now())
    : undefined;
  const generation = await apply(api, DNS_RECORD, name, recordSpec(name, content), signal);
  add(samples, `${what}: apply alone`, performance.now() - start);
  const ready = await records.ready(name, generation, READY_LIMIT_MS);
  if (answered !== undefined) add(samples, `${what}: apply → signed answer`, (await answered) - start);
  add(samples, `${what}: apply → Ready`, ready - start);
  if (asked) return true;
  return isSignedAddress(content)(await ask(dns, question(name), { signal }));
}

async function atOnce(ground: Ground, samples: Samples): Promise<string> {
  const { api, bench, stack, records } = ground;
  const { signal } = bench;
  const start = performance.now();
  const right = await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, n) => {
      const [name, content] = [`many${n}`, numberedAddress(n)];
      const generation = await apply(api, DNS_RECORD, name, recordSpec(name, content), signal);
      add(samples, `${AT_ONCE} at once: start → applied`, performance.now() - start);
      add(
        samples,
        `${AT_ONCE} at once: start → Ready`,
        (await records.ready(name, generation, READY_LIMIT_MS)) - start,
      );
      return isSignedAddress(content)(await ask(stack.service.dns, question(name), { signal }));
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const wrong = right.filter((each) => !each).length;
  return `${AT_ONCE} at once: all Ready after ${figure(seconds)} s, ${figure(AT_ONCE / seconds)}/s; ${wrong} answered wrongly when Ready`;
}

async function applyZone(ground: Ground, samples: Samples, n: number): Promise<void> {
  const { api, bench, stack, zones } = ground;
  const [name, zoneName] = [`zone${n}`, `zone${n}.test`];
  await outOfStep(PAUSE_MS, bench.signal);
  const start = performance.now();
  const served = untilRight(
    stack.service.dns,
    { name: zoneName, type: 'SOA', dnssec: true },
    ({ rcode, answers }) => rcode === 0 && answers.length === 2,
    bench.signal,
  ).then(() => performance.now());
  const generation = await apply(api, DNS_ZONE, name, { zoneName }, bench.signal);
  const ready = await zones.ready(name, generation, READY_LIMIT_MS);
  add(samples, 'new zone: apply → signed SOA', (await served) - start);
  add(samples, 'new zone: apply → Ready', ready - start);
}

async function kubectlApply(ground: Ground, samples: Samples, n: number): Promise<void> {
  const { bench, stack, records } = ground;
  const [name, content] = [`kubectl${n}`, numberedAddress(n)];
  const file = join(bench.stateDir, 'record.json');
  const metadata = { name, namespace: NAMESPACE };
  const object = { apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSRecord', metadata, spec: recordSpec(name, content) };
  await writeFile(file, JSON.stringify(object));
  await outOfStep(PAUSE_MS, bench.signal);
  const start = performance.now();
  const answered = untilRight(stack.service.dns, question(name), isSignedAddress(content), bench.signal).then(() =>
    performance.now(),
  );
  await stack.cluster.kubectl(['apply', '--server-side', '-f', file]);
  add(samples, 'kubectl: its whole run', performance.now() - start);
  add(samples, 'kubectl: its start → signed answer', (await answered) - start);
  add(samples, 'kubectl: its start → Ready', (await records.ready(name, 1, READY_LIMIT_MS)) - start);
}

async function run(bench: Bench): Promise<void> {
  const { stateDir, signal } = bench;
  const stack = await startStack({ stateDir, limits: false, durable: true, progress: () => {}, signal });
  bench.atEnd(() => stack.stop());
  const { api, close } = await connectCluster({ kubeconfig: stack.cluster.kubeconfig, maxConnections: 64 });
  bench.atEnd(close);
  const ground: Ground = {
    bench,
    stack,
    api,
    records: await watchReady<DNSRecord>(api, DNS_RECORD, NAMESPACE, signal),
    zones: await watchReady<DNSZone>(api, DNS_ZONE, NAMESPACE, signal),
  };
  const generation = await apply(api, DNS_ZONE, 'bench', { zoneName: ZONE }, signal);
  await ground.zones.ready('bench', generation, READY_LIMIT_MS);
  for (let n = 0; n < 20; n++) await applyRecord(ground, {}, 'warm', `warm${n}`, numberedAddress(n), true);

  const samples: Samples = {};
  const only = process.argv[2];
  for (const [name, part] of Object.entries(PARTS)) {
    if (only === undefined || name === only) for (const line of await part(ground, samples)) print(line);
  }
  printSummaries(samples);
  for (const { sample, what, share, most } of BARS)
    if (samples[sample]) printBar({ what, value: quantile(samples[sample], share), most, unit: 'ms' });
  for (const [what, values] of Object.entries(samples)) {
    const over = countAbove(values, 1000);
    if (over > 0) print(`${what}: ${over} of ${values.length} above 1 s`);
  }
}

/** The figures of the version before records:apply, which must not get worse. */
const BARS = [
  { sample: 'new, asked: apply → signed answer', what: 'one record served, median', share: 0.5, most: 38 },
  { sample: 'new, not asked: apply → Ready', what: 'one record Ready, median', share: 0.5, most: 32 },
  { sample: 'new, not asked: apply → Ready', what: 'one record Ready, p99', share: 0.99, most: 62 },
] as const;

/** The measurements; a name as argument runs that one alone. */
const PARTS: Readonly<Record<string, (ground: Ground, samples: Samples) => Promise<string[]>>> = {
  asked: async (ground, samples) => {
    for (let n = 0; n < ROUNDS; n++)
      await applyRecord(ground, samples, 'new, asked', `asked${n}`, numberedAddress(n), true);
    return [];
  },
  new: async (ground, samples) => {
    let wrong = 0;
    for (let n = 0; n < ROUNDS; n++) {
      if (!(await applyRecord(ground, samples, 'new, not asked', `new${n}`, numberedAddress(n), false))) wrong++;
    }
    return [`new, not asked: ${wrong} of ${ROUNDS} answered wrongly when Ready`];
  },
  update: async (ground, samples) => {
    await applyRecord(ground, {}, 'first', 'update', numberedAddress(999), true);
    for (let n = 0; n < ROUNDS; n++) {
      await applyRecord(ground, samples, 'update, asked', 'update', numberedAddress(1000 + n), true);
    }
    return [];
  },
  zone: async (ground, samples) => {
    for (let n = 0; n < ZONE_ROUNDS; n++) await applyZone(ground, samples, n);
    return [];
  },
  kubectl: async (ground, samples) => {
    for (let n = 0; n < KUBECTL_ROUNDS; n++) await kubectlApply(ground, samples, n);
    return [];
  },
  many: async (ground, samples) => [await atOnce(ground, samples)],
};

await runBench('kubectl apply → signed answer → Ready', LIMIT_MS, run);
