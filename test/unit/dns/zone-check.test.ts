// The rules across records over a whole zone at once: the same verdicts as one write at a time gives, and a cost that
// no file can make quadratic.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeWrite } from '#dns/rules/rrset.ts';
import { zoneCheckSteps } from '#dns/rules/zone-check.ts';
import { finishInTurns, sortSteps } from '#dns/steps.ts';
import type { FileRecord } from '#dns/zonefile/read.ts';
import { checkZone, readZoneFile } from '../../support/dns/zone-file.ts';
import { effort } from '../../support/runner/seed.ts';
import { ZONE } from './build.ts';

/** The work must grow with the lines, which a fifth of them shows as well. */
const LINES = effort(40_000, 8_000);

const read = (text: string) => readZoneFile(text, { zone: ZONE, defaultTtl: 3600, children: new Set() });
const CHILD = { id: 'zone_1', name: `kid.${ZONE}` };

/** Judges each record against all others, as if it were written last. Omits duplicates, as the check does. */
function judgedOneByOne(records: readonly FileRecord[]): number[] {
  const nearby = new NearbyRecords(ZONE);
  nearby.addChildren([CHILD]);
  nearby.addNames(new Set(records.map(({ record }) => record.ordername)), []);
  const values = new Set<string>();
  const wrong: number[] = [];
  const unique = records.filter(({ line, record: { ordername, type, rdata } }) => {
    const key = `${ordername} ${type} ${rdata}`;
    if (values.has(key)) wrong.push(line);
    return values.size < values.add(key).size;
  });
  for (const { line, record } of unique) nearby.put({ ...record, id: `line ${line}` });
  for (const { line, record } of unique) {
    if (!judgeWrite(record, nearby.surroundingsOf(record, `line ${line}`)).ok) wrong.push(line);
  }
  return wrong.sort((a, b) => a - b);
}

test('the check finds the lines that one write at a time would be refused at, and no others', () => {
  const name = fc.constantFrom('a', 'b.a', 'c.b.a', 'b', '*.a', 'kid', 'x.kid');
  const target = fc.constantFrom('a', 'b.a', 'c.b.a', 'ns1.example.net.', 'ns2.example.net.', 'ns3.example.net.');
  const record = fc.oneof(
    {
      arbitrary: fc.tuple(fc.constantFrom('a', 'b.a', 'b'), target).map(([owner, to]) => `${owner} NS ${to}`),
      weight: 4,
    },
    fc.tuple(name, target).map(([owner, to]) => `${owner} CNAME ${to}`),
    fc.tuple(name, target).map(([owner, to]) => `${owner} ALIAS ${to}`),
    fc.tuple(fc.constantFrom('@', 'a', 'b.a', 'b', 'kid'), target).map(([owner, to]) => `${owner} DNAME ${to}`),
    fc.tuple(name, fc.nat(3)).map(([owner, n]) => `${owner} A 192.0.2.${n}`),
    fc.tuple(name, target, fc.boolean()).map(([owner, to, none]) => `${owner} MX ${none ? '0 .' : `10 ${to}`}`),
    fc.tuple(name, target, fc.nat(1)).map(([owner, to, alias]) => `${owner} HTTPS ${alias} ${to}`),
    name.map((owner) => `${owner} DS 1 13 2 ${'0a'.repeat(32)}`),
    name.map((owner) => `${owner} TXT x`),
  );
  fc.assert(
    fc.property(fc.array(record, { size: 'max', maxLength: 14 }), (lines) => {
      const { records } = read(lines.join('\n'));
      const found = checkZone(records, ZONE, [CHILD]).map(({ line }) => line);
      expect(found).toEqual(judgedOneByOne(records));
    }),
    { numRuns: effort(2_000, 400) },
  );
});

const lines = (count: number, line: (i: number) => string) =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');
const DEEP = Array.from({ length: 110 }, () => 'a').join('.');

test.each([
  ['NS records at one name', lines(LINES, (i) => `x NS n${i}`)],
  [
    'children of a delegation to 1,500 servers',
    `${lines(1_500, (i) => `x NS n${i}.x`)}\n${lines(LINES - 1_500, (i) => `n${i % 1_500}.x A 10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`)}`,
  ],
  ['delegations', lines(LINES, (i) => `d${i} NS ns.example.net.`)],
  [
    'names below a hundred cuts',
    `$ORIGIN ${DEEP}\n${lines(LINES, (i) => `h${i} A 192.0.2.1`)}\n$ORIGIN ${ZONE}.\n${lines(100, (i) => `${DEEP.slice(0, 2 * i + 1)} NS ns.example.net.`)}`,
  ],
  ['links of one chain', lines(LINES, (i) => `c${i} CNAME c${i + 1}`)],
  ['mail exchangers at one name', lines(LINES, (i) => `x MX 10 m${i}`)],
])(`a file of ${LINES} records with %s is judged in small steps, at the cost of any other file`, async (_, text) => {
  const { records } = read(text);
  expect(records.length).toBeGreaterThanOrEqual(LINES);
  const started = process.cpuUsage();
  const steps = [...zoneCheckSteps(records, ZONE, [])].length;
  const { user, system } = process.cpuUsage(started);
  // An ordinary file of 40,000 records costs a quarter of a second; one that is compared pair by pair ten and more.
  expect((user + system) / 1_000).toBeLessThan(0.15 * LINES);
  expect(steps).toBeGreaterThanOrEqual(LINES / 100);
});

test('no more than 1,000 problems are told, those of the first lines', () => {
  const { records } = read(lines(5_000, (i) => `h${i} CNAME x${i}\nh${i} A 192.0.2.1`));
  const problems = checkZone(records, ZONE, []);
  expect([problems.length, problems[0]?.line, problems.at(-1)?.line]).toEqual([1_000, 1, 1_000]);
});

test('a sort in steps is a sort', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { size: 'max', maxLength: 5_000 }), (numbers) => {
      const steps = sortSteps(numbers, (a, b) => a - b);
      let step = steps.next();
      while (!step.done) step = steps.next();
      expect(step.value).toEqual([...numbers].sort((a, b) => a - b));
    }),
    { numRuns: effort(50, 10) },
  );
});

test('work in turns lets others in between, and ends with the signal', async () => {
  const stop = new AbortController();
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 1);
  function* busy() {
    for (let at = 0; at < 2_000; at += 1) {
      const until = performance.now() + 0.5;
      while (performance.now() < until);
      if (at === 100) stop.abort(new Error('gone'));
      yield;
    }
    return 'never';
  }
  await expect(finishInTurns(busy(), stop.signal)).rejects.toThrow('gone');
  clearInterval(counting);
  // 50 ms in slices of 4 ms.
  expect(turns).toBeGreaterThanOrEqual(5);
});
