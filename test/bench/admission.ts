// The rules of the DNSRecord CRD: the processor time of kube-apiserver for creating records with and without the rules,
// and without an operator. `node test/bench/admission.ts [FILE]`, about two minutes; FILE is an earlier version of
// crds/zonestead.dev_dnsrecords.yaml to compare with. All variants are kinds of one API server and take turns. With
// PROFILES=FOLDER it also writes one profile of kube-apiserver for each variant: `go tool pprof -top -cum` shows where
// the time goes.
import { readFile, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { createApi, type KubeApi } from '#kube/api/api.ts';
import { loadCredentials } from '#kube/api/credentials.ts';
import { createTransport } from '#kube/api/transport.ts';
import { startControlPlane } from '../../deploy/local/parts/controlplane.ts';
import { ensureControlPlane } from '../../deploy/local/parts/controlplane-build.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { type Crd, installAs, MIXES, type Variant, withoutRules } from './admission-variants.ts';
import { printBar } from './bars.ts';
import { cpuSeconds } from './processes.ts';
import { inParallel } from './scale-bulk.ts';
import { figure, quantile, tableLines } from './statistics.ts';
import { print, runBench } from './support.ts';

const LIMIT_MS = 4 * 60_000;
/**
 * Several turns, because others use the machine too; long ones, because the garbage of one is collected in the next.
 */
const COUNT = 500;
const TURNS = 6;
const CREATORS = 8;
const PROFILE_SECONDS = 10;
const WITH_RULES = 'with rules';
/** The most that a creation with the rules may cost, against one without. */
const MAX_RATIO = 1.2;
const CURRENT = new URL('../../crds/zonestead.dev_dnsrecords.yaml', import.meta.url);

interface Ground {
  readonly api: KubeApi;
  readonly pid: number;
  readonly signal: AbortSignal;
}

let serial = 0;

/** Creates records. @returns the processor time of kube-apiserver, in ms a record */
async function turn({ api, pid, signal }: Ground, { type }: Variant, specOf: (n: number) => object): Promise<number> {
  const drafts = Array.from({ length: COUNT }, () => {
    serial += 1;
    const spec = { zoneRef: { name: 'example' }, name: `r${serial}`, ttl: 60, ...specOf(serial) };
    return { metadata: { name: `r${serial}`, namespace: 'default' }, spec };
  });
  const spent = async () => (await cpuSeconds({ pid })).pid as number;
  const before = await spent();
  await inParallel(drafts, CREATORS, (draft) => api.create(type, draft as never, signal));
  return ((await spent()) - before) * (1_000 / COUNT);
}

async function compare(ground: Ground, variants: readonly Variant[], mix: string): Promise<void> {
  const specOf = MIXES[mix] as (n: number) => object;
  const samples = variants.map((): number[] => []);
  // The first objects of a kind also pay for its caches.
  for (const variant of variants) await turn(ground, variant, specOf);
  for (let round = 0; round < TURNS; round++) {
    const order = [...variants.entries()];
    for (const [at, variant] of round % 2 === 0 ? order : order.reverse()) {
      samples[at]?.push(await turn(ground, variant, specOf));
    }
  }
  print(`## ${mix}: ms of kube-apiserver's processor time a record, ${TURNS} turns of ${COUNT}`);
  const rows = variants.map(({ title }, at) => ({ title, ...summarizeSamples(samples[at] ?? []) }));
  const [bare] = rows;
  const ratio = (one: number, other = Number.NaN) => figure(one / other);
  const table = rows.map(({ title, mean, median, least }) => [
    ...[title, figure(mean), ratio(mean, bare?.mean)],
    ...[figure(median), ratio(median, bare?.median), figure(least), ratio(least, bare?.least)],
  ]);
  const heading = ['CRD', 'mean', 'ratio', 'median', 'ratio', 'least', 'ratio'];
  for (const line of tableLines([heading, ...table])) print(line);
  const withRules = rows.find(({ title }) => title === WITH_RULES)?.median ?? Number.NaN;
  printBar({ what: 'with rules, median', value: withRules / (bare?.median ?? 0), most: MAX_RATIO, unit: 'times' });
}

const summarizeSamples = (samples: readonly number[]) => ({
  mean: samples.reduce((sum, each) => sum + each, 0) / samples.length,
  median: quantile(samples, 0.5),
  least: Math.min(...samples),
});

await runBench('the rules of the DNSRecord CRD', LIMIT_MS, async ({ stateDir, signal, atEnd }) => {
  const { dir } = await ensureControlPlane({ progress: () => {}, signal });
  const parts = ['etcd', 'etcdPeer', 'apiserver'] as const;
  const ports = await allocatePorts(
    parts.map((name) => ({ name })),
    { stateDir },
  );
  const plane = await startControlPlane({ dir, stateDir, ports, signal });
  atEnd(() => plane.stop());
  const credentials = await loadCredentials({ kubeconfig: plane.kubeconfig });
  const transport = createTransport({ credentials, maxConnections: CREATORS + 1 });
  atEnd(() => transport.close());
  const api = createApi(transport);
  const ground = { api, pid: plane.parts.find(({ name }) => name === 'kube-apiserver')?.pid as number, signal };

  const [earlier] = process.argv.slice(2);
  const readCrd = async (file: string | URL) => parse(await readFile(file, 'utf8')) as Crd;
  const current = await readCrd(CURRENT);
  const variants = [
    await installAs(api, 'without rules', withoutRules(current), signal),
    await installAs(api, WITH_RULES, current, signal),
    ...(earlier === undefined ? [] : [await installAs(api, earlier, await readCrd(earlier), signal)]),
  ];
  for (const mix of Object.keys(MIXES)) await compare(ground, variants, mix);

  if (process.env.PROFILES === undefined) return;
  for (const [at, variant] of variants.entries()) {
    const call = { path: '/debug/pprof/profile', query: { seconds: String(PROFILE_SECONDS) } };
    const profile = transport.stream(call, signal).then((chunks) => Array.fromAsync(chunks));
    const end = performance.now() + PROFILE_SECONDS * 1_000;
    while (performance.now() < end) await turn(ground, variant, MIXES['A records'] as (n: number) => object);
    const file = `${process.env.PROFILES}/profile-${at}.pb.gz`;
    await writeFile(file, Buffer.concat(await profile));
    print(`${variant.title}: ${file}`);
  }
});
