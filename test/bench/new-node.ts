// A new name server, its restart, its memory, and its processor time at rest: `node test/bench/new-node.ts [CASE...]`
// with the cases 1000 (zones of 10 records), 10000 (the same), large (one zone of 100,000 records next to 50 small
// ones); all of them by default.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { delay } from '../../deploy/local/parts/wait.ts';
import { liftQuotas } from './fill.ts';
import { createBenchZones, type Measured, printMeasured, untilSigned } from './name-servers.ts';
import { cpuSeconds, memory } from './processes.ts';
import { type Bench, type BenchService, print, runBench, startBenchService } from './support.ts';

const LIMIT_MS = 60 * 60_000;
const LARGE = 100_000;
const REST_SECONDS = 20;
/** V8 collects the garbage of the load for some seconds after it. */
const SETTLE_MS = 30_000;
const CASES = { '1000': 1_000, '10000': 10_000, large: 50 } as const;
type Case = keyof typeof CASES;
const BARS: Record<Case, { added: string; restarted: string; memory: string }> = {
  '1000': { added: '15 s', restarted: '6 s', memory: '-' },
  '10000': { added: '120 s', restarted: '-', memory: '700 MB' },
  large: { added: '40 s', restarted: '45 s, others at once', memory: '300 MB' },
};
const asked = process.argv.slice(2).filter((word): word is Case => word in CASES);

async function run(bench: Bench): Promise<void> {
  const rows: Measured[] = [];
  const service = await startBenchService(bench);
  await liftQuotas(service);
  const zones = createBenchZones(bench, service);
  await service.running.part('nameserver').stop();
  const names: string[] = [];
  // The cases follow each other with more zones in the same service.
  for (const which of asked.length > 0 ? asked : (['1000', '10000', 'large'] as const)) {
    const since = performance.now();
    const more = Array.from(
      { length: CASES[which] - Math.min(names.length, CASES[which]) },
      (_, n) => `z${names.length + n}.example`,
    );
    await zones.createAll(more, 10);
    names.push(...more);
    if (which === 'large') await zones.create('large.example', LARGE);
    print(`${which}: zones made after ${seconds(since)}`);
    rows.push(...(await measure(bench, service, which, names)));
  }
  printMeasured(rows);
}

async function measure(
  bench: Bench,
  service: BenchService,
  which: Case,
  zones: readonly string[],
): Promise<Measured[]> {
  const { running, dns } = service;
  const { signal, stateDir } = bench;
  const what =
    which === 'large'
      ? `${zones.length} small zones and one of 100,000 records`
      : `${zones.length} zones of 10 records`;
  const small = zones.map((zone) => `n9.${zone}`);
  const all = which === 'large' ? [...small, `n${LARGE - 1}.large.example`] : small;
  await running.part('nameserver').stop();
  await running.part('knot').stop();
  await rm(join(stateDir, 'nodes'), { recursive: true, force: true });
  await running.start('knot');

  const start = performance.now();
  const pids = () => ({ node: running.part('nameserver').pid, knotd: running.part('knot').pid });
  const others = { api: running.part('api').pid, postgres: running.part('postgres').pid };
  const spentBefore = await cpuSeconds(others);
  const ready = running.start('nameserver');
  await untilSigned(dns, all, signal);
  const added = seconds(start);
  await ready;
  print(`${what}: all answered after ${added}, ready after ${seconds(start)}`);
  const spent = await cpuSeconds({ ...pids(), ...others });
  const costs = Object.entries(spent).map(([name, cpu]) => `${name} ${(cpu - (spentBefore[name] ?? 0)).toFixed(1)} s`);
  print(`processor time of it: ${costs.join(', ')}`);
  await delay(SETTLE_MS, signal);
  const node = await memory(pids().node);
  const knotd = await memory(pids().knotd);
  const used = `${Math.round(node.now + knotd.now)} MB (node ${Math.round(node.now)}, knotd ${Math.round(knotd.now)}; most: ${Math.round(node.peak)}, ${Math.round(knotd.peak)})`;
  const before = await cpuSeconds(pids());
  await delay(REST_SECONDS * 1_000, signal);
  const after = await cpuSeconds(pids());
  const share = (name: 'node' | 'knotd') => `${((100 * (after[name]! - before[name]!)) / REST_SECONDS).toFixed(2)} %`;

  await running.part('nameserver').stop();
  await running.part('knot').stop();
  const again = performance.now();
  // The part is started once knotd answers over its control socket.
  await Promise.all([running.start('knot'), untilSigned(dns, small, signal)]);
  const smallAgain = seconds(again);
  await untilSigned(dns, all, signal);
  const restarted = which === 'large' ? `${seconds(again)}, others ${smallAgain}` : smallAgain;
  await running.start('nameserver');
  const bars = BARS[which];
  return [
    { what: `a new node: ${what}`, before: '-', bar: bars.added, now: added },
    { what: 'its memory', before: '-', bar: bars.memory, now: used },
    {
      what: 'its processor time at rest, node and knotd',
      before: '2.9 %',
      bar: '0.3 %',
      now: `${share('node')}, ${share('knotd')}`,
    },
    { what: 'restart of its knotd', before: '-', bar: bars.restarted, now: restarted },
  ];
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(1)} s`;
}

await runBench('A new name server', LIMIT_MS, run);
