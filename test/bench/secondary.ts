// A Knot secondary of a signing knotd: changes until it answers them, the size of an incremental transfer in a zone of
// 100,000 records, and its restart: `node test/bench/secondary.ts [RECORDS]`. Both sides have the configurations that
// Zonestead generates.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import type { ServedSet } from '#dns/served.ts';
import { applyTransferItems } from '#nameserver/knot/apply-secondaries.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { transferItems } from '#nameserver/knot/secondaries.ts';
import { type KnotEngine, zoneEngine } from '#nameserver/knot/zones.ts';
import { ensureKnot, startKnot } from '../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { startSecondary } from '../../deploy/local/parts/secondary.ts';
import { onlyKey } from '../support/knot/only-key.ts';
import { printMeasured, untilSigned } from './name-servers.ts';
import { figure, summarize } from './statistics.ts';
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

const LIMIT_MS = 15 * 60_000;
const LARGE = Number(process.argv[2] ?? 100_000);
const SMALL_ROUNDS = 200;
const LARGE_ROUNDS = 50;
const PAUSE_MS = 100;
const SOA = {
  mname: 'ns.example.',
  rname: 'h.example.',
  refresh: 900,
  retry: 900,
  expire: 86_400,
  minimum: 60,
  ttl: 60,
};
const progress = () => {};

async function run(bench: Bench): Promise<void> {
  const { signal, stateDir } = bench;
  const programs = await ensureKnot({ progress, signal });
  const ports = await allocatePorts(
    [
      { name: 'source', dns: true },
      { name: 'secondary', dns: true },
    ],
    { stateDir },
  );
  const source = await startKnot({ programs, stateDir, port: ports.source, signal });
  bench.atEnd(() => source.part.stop());
  const control = knotControl({ socket: source.folder.socket });
  const engine = zoneEngine({
    control,
    folder: source.folder,
    keys: keyStore({ keymgr: programs.keymgr, folder: source.folder }),
  });
  const address = '127.0.0.1';
  const zones = ['small.example', 'large.example'];
  const key = { name: 'bench', algorithm: 'hmac-sha256', secret: randomBytes(32).toString('base64') } as const;
  const secondary = {
    name: 'bench',
    addresses: [{ address, port: ports.secondary }],
    key,
    zones: 'all',
    catalog: false,
    notify: true,
  } as const;
  await applyTransferItems(control, transferItems({ secondaries: [secondary], zones, role: 'source' }), signal);
  await add(engine, 'small.example', 10, signal);
  const signed = performance.now();
  await add(engine, 'large.example', LARGE, signal);
  print(`${LARGE} records loaded and signed by the source after ${seconds(signed)}`);

  const folder = join(stateDir, 'secondary');
  await mkdir(folder);
  const view = { primaries: [{ address, port: ports.source }], key, zones, catalog: 'unused.invalid' };
  const server = { name: 'knot', command: programs.knotd, args: ['-c'] };
  const config = knotConfig(view, { listen: [{ address, port: ports.secondary }], folder });
  const start = () => startSecondary({ server, config, folder, address, port: ports.secondary, signal });
  let part = await start();
  bench.atEnd(() => part.stop());
  const dns = { address, port: ports.secondary };
  const all = [`n9.small.example`, `n${LARGE - 1}.large.example`];
  await untilSigned(dns, all, signal);

  const change = async (zone: string, n: number) => {
    await outOfStep(PAUSE_MS, signal);
    const content = numberedAddress(n);
    const sets = [{ name: `w${n}`, type: 'A', ttl: 60, rdata: [content] }];
    const since = performance.now();
    await engine.change(zone, { names: [`w${n}`], sets, serial: 1 }, signal);
    const question = { name: `w${n}.${zone}`, type: 'A', dnssec: true } as const;
    await untilRight(dns, question, isSignedAddress(content), signal);
    return performance.now() - since;
  };
  const small: number[] = [];
  for (let n = 0; n < SMALL_ROUNDS; n++) small.push(await change('small.example', n));
  const large: number[] = [];
  for (let n = 0; n < LARGE_ROUNDS; n++) large.push(await change('large.example', n));
  printSummaries({ 'change → secondary, small zone': small, [`the same, ${LARGE} records`]: large });
  const log = await readFile(part.logFile, 'utf8');
  const sizes = [...log.matchAll(/large\.example\.\] IXFR, incoming.* finished,.* ([0-9]+) bytes/g)].map((found) =>
    Number(found[1]),
  );

  await part.stop({ signal: 'SIGKILL' });
  await rm(join(folder, 'knot.pid'), { force: true });
  const again = performance.now();
  part = await start();
  await untilSigned(dns, all, signal);
  const restarted = seconds(again);
  control.close();
  const [ofSmall, ofLarge] = [summarize(small), summarize(large)];
  printMeasured([
    {
      what: 'a Knot secondary: change → answered, median and worst',
      before: '-',
      bar: '30 ms; 1.2 s',
      now: `${figure(ofSmall.median)} ms; ${figure(ofSmall.max)} ms`,
    },
    { what: 'its restart with 100,000 records', before: '-', bar: '1 s', now: restarted },
    {
      what: 'IXFR of one change in that zone, largest',
      before: '-',
      bar: '5 kB',
      now: `${Math.max(...sizes)} B of ${sizes.length}`,
    },
    {
      what: 'change in that zone → answered, median and worst',
      before: '-',
      bar: '1 s',
      now: `${figure(ofLarge.median)} ms; ${figure(ofLarge.max)} ms`,
    },
  ]);
}

async function add(engine: KnotEngine, name: string, records: number, signal: AbortSignal): Promise<void> {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await engine.add([{ name, keys: onlyKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string) }], signal);
  const sets: ServedSet[] = Array.from({ length: records }, (_, n) => ({
    name: `n${n}`,
    type: 'A',
    ttl: 300,
    rdata: [numberedAddress(n)],
  }));
  sets.push({ name: '@', type: 'NS', ttl: 300, rdata: ['ns.example.'] });
  const whole = Map.groupBy(sets, (set) => set.name);
  await engine.change(name, { names: [...whole.keys()], sets, soa: SOA, serial: 1_000, whole }, signal);
}

function seconds(since: number): string {
  return `${((performance.now() - since) / 1000).toFixed(2)} s`;
}

await runBench('A Knot secondary', LIMIT_MS, run);
