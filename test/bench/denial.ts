// Clients of a resolver that validates (unbound, TTLs of 1 to 5 s), while a zone changes from NSEC to NSEC3 and back,
// again and again: `node test/bench/denial.ts [QUESTIONS [NAMES]]`. It counts answers that are bogus or wrong, and
// measures how long a change takes and how long the slowest answer took.
import { generateKeyPairSync, randomInt } from 'node:crypto';
import type { Denial } from '#dns/dnssec/denial.ts';
import { readSigningKey } from '#dns/dnssec/signing-key.ts';
import type { ServedSet } from '#dns/served.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { type KnotEngine, zoneEngine } from '#nameserver/knot/zones.ts';
import { ensureTools } from '../../deploy/local/parts/apt.ts';
import { ensureKnot, startKnot } from '../../deploy/local/parts/knot.ts';
import { allocatePorts } from '../../deploy/local/parts/ports.ts';
import { delay } from '../../deploy/local/parts/wait.ts';
import { startValidatingResolver, type ValidatingResolver } from '../support/dns/validating-resolver.ts';
import { onlyKey } from '../support/knot/only-key.ts';
import { printBar } from './bars.ts';
import { type Bench, numberedAddress, print, printSummaries, runBench } from './support.ts';

const LIMIT_MS = 30 * 60_000;
const QUESTIONS = Number(process.argv[2] ?? 100_000);
const NAMES = Number(process.argv[3] ?? 10_000);
const CLIENTS = 32;
const PAUSE_MS = 2_000;
const ZONE = 'denial.example';
const SOA = {
  mname: 'ns.example.',
  rname: 'h.example.',
  refresh: 900,
  retry: 900,
  expire: 86_400,
  minimum: 3,
  ttl: 3,
};
const ADDRESS = '127.0.0.1';
const progress = () => {};

async function run(bench: Bench): Promise<void> {
  const { signal, stateDir } = bench;
  const programs = await ensureKnot({ progress, signal });
  const { unbound = '' } = await ensureTools([{ command: 'unbound', package: 'unbound' }], { progress, signal });
  const ports = await allocatePorts(
    [
      { name: 'knot', dns: true },
      { name: 'unbound', dns: true },
    ],
    { stateDir },
  );
  const knot = await startKnot({ programs, stateDir, port: ports.knot, signal });
  bench.atEnd(() => knot.part.stop());
  const control = knotControl({ socket: knot.folder.socket });
  bench.atEnd(async () => control.close());
  const keys = keyStore({ keymgr: programs.keymgr, folder: knot.folder });
  const engine = zoneEngine({ control, folder: knot.folder, keys });
  const anchor = await add(engine, signal);
  const resolver = await startValidatingResolver({
    ...{ command: unbound, folder: stateDir, port: ports.unbound, zone: ZONE, anchor, signal },
    server: { address: ADDRESS, port: ports.knot },
  });
  bench.atEnd(async () => {
    resolver.close();
    await resolver.part.stop();
  });
  const changes: Record<Denial, number[]> = { NSEC: [], NSEC3: [] };
  const { wrong, answerTimes, asked } = await askDuring(resolver, async (isOver) => {
    for (let turn = 0; !isOver(); turn++) {
      const denial = turn % 2 === 0 ? 'NSEC3' : 'NSEC';
      await delay(PAUSE_MS, signal);
      const since = performance.now();
      await engine.deny(ZONE, { denial, names: NAMES }, signal);
      changes[denial].push(performance.now() - since);
    }
  });
  print(`${asked} questions during ${changes.NSEC3.length} changes to NSEC3 and ${changes.NSEC.length} to NSEC`);
  for (const text of wrong.slice(0, 20)) print(`  ${text}`);
  printSummaries({
    [`to NSEC3, ${NAMES} names`]: changes.NSEC3,
    [`to NSEC, ${NAMES} names`]: changes.NSEC,
    'an answer of the resolver': answerTimes,
  });
  printBar({ what: `bogus or wrong answers of ${asked}`, value: wrong.length, most: 0, unit: '' });
}

/** @returns the trust anchor */
async function add(engine: KnotEngine, signal: AbortSignal): Promise<string> {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const privateKey = key.export({ type: 'pkcs8', format: 'pem' }) as string;
  await engine.add([{ name: ZONE, keys: onlyKey(privateKey) }], signal);
  const sets: ServedSet[] = [
    { name: '@', type: 'NS', ttl: 5, rdata: ['ns.example.'] },
    { name: '*.wild', type: 'A', ttl: 2, rdata: ['192.0.2.1'] },
    { name: 'deep.empty', type: 'A', ttl: 2, rdata: ['192.0.2.1'] },
    { name: 'cut', type: 'NS', ttl: 2, rdata: ['ns.example.org.'] },
    ...Array.from({ length: NAMES }, (_, n) => ({
      name: `n${n}`,
      type: 'A',
      ttl: 1 + (n % 5),
      rdata: [numberedAddress(n)],
    })),
  ];
  const whole = Map.groupBy(sets, ({ name }) => name);
  const change = { names: [...whole.keys()], sets, soa: SOA, serial: 1, whole };
  await engine.change(ZONE, change, signal);
  return `${ZONE}. DNSKEY 257 3 13 ${readSigningKey(privateKey)?.publicKey}`;
}

/** Questions of each kind, until there are enough. @param work changes the zone meanwhile */
async function askDuring(resolver: ValidatingResolver, work: (isOver: () => boolean) => Promise<void>) {
  const wrong: string[] = [];
  const answerTimes: number[] = [];
  let asked = 0;
  const client = async () => {
    while (asked < QUESTIONS) {
      asked += 1;
      const [name, type, rcode] = chooseQuestion();
      const since = performance.now();
      const answer = await resolver.resolve(name, type);
      answerTimes.push(performance.now() - since);
      if (answer.state !== 'secure' || answer.rcode !== rcode)
        wrong.push(`${name} ${type}: ${answer.state} ${answer.rcode}, not secure ${rcode}`);
    }
  };
  const clients = Promise.all(Array.from({ length: CLIENTS }, client));
  let isOver = false;
  await Promise.all([clients.finally(() => (isOver = true)), work(() => isOver)]);
  return { wrong, answerTimes, asked };
}

function chooseQuestion(): readonly [name: string, type: string, rcode: string] {
  const n = randomInt(NAMES);
  const kinds = [
    [`n${n}.${ZONE}`, 'A', 'NOERROR'],
    [`n${n}.${ZONE}`, 'AAAA', 'NOERROR'],
    [`x${randomInt(1_000_000)}.${ZONE}`, 'A', 'NXDOMAIN'],
    [`x.n${n}.${ZONE}`, 'A', 'NXDOMAIN'],
    [`x${n}.wild.${ZONE}`, 'A', 'NOERROR'],
    [`x${n}.wild.${ZONE}`, 'TXT', 'NOERROR'],
    [`empty.${ZONE}`, 'A', 'NOERROR'],
    [`cut.${ZONE}`, 'DS', 'NOERROR'],
  ] as const;
  return kinds[randomInt(kinds.length)]!;
}

await runBench('NSEC to NSEC3 and back, under validated questions', LIMIT_MS, run);
