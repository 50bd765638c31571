// DNAME next to other records (RFC 6672 sections 2.3 and 2.4), and the alias form of SVCB.
import { expect, test } from 'vitest';
import { orderName } from '#dns/names/name.ts';
import { parseRecord } from '#dns/record.ts';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeWrite } from '#dns/rules/rrset.ts';
import type { RecordType } from '#dns/types/index.ts';
import { checkZone, readZoneFile } from '../../support/dns/zone-file.ts';
import { neighbour, problemOf, record, surroundings, ZONE } from './build.ts';

const DNAME = 'elsewhere.example.net';

/** Judges a record in a zone that has the others. */
function judged(name: string, type: RecordType, content: string, others: readonly [string, RecordType, string][]) {
  const nearby = new NearbyRecords(ZONE);
  const names = [name, ...others.map(([each]) => each), '@'];
  nearby.addNames(names.map(orderName), []);
  nearby.addBelow([{ under: orderName(name), names: [], total: 0 }]);
  for (const [owner, kind, text] of others) nearby.put(neighbour(owner, kind, text));
  return judgeWrite(record({ name, type, content }), nearby.surroundingsOf(record({ name, type, content }), null));
}

test.each<[string, RecordType, string]>([
  ['old', 'A', '192.0.2.1'],
  ['old', 'MX', 'mail.example.net'],
  ['old', 'ALIAS', 'www.example.net'],
  ['older', 'A', '192.0.2.1'],
  ['b.older', 'A', '192.0.2.1'],
  ['@', 'TXT', 'x'],
])('a DNAME may be at a name of the zone with %s %s', (...other) => {
  expect(judged('old', 'DNAME', DNAME, [other]).ok).toBe(true);
  expect(judged(other[0], other[1], other[2], [['old', 'DNAME', DNAME]]).ok).toBe(true);
});

test.each<[string, RecordType, string, string, string]>([
  ['old', 'DNAME', 'another.example.net', 'dname-single', 'dname-single'],
  ['old', 'CNAME', 'www.example.net', 'cname-alone', 'cname-alone'],
  ['old', 'NS', 'ns1.example.net', 'below-delegation', 'hides-records'],
  ['a.old', 'A', '192.0.2.1', 'hides-records', 'below-dname'],
  ['b.a.old', 'TXT', 'x', 'hides-records', 'below-dname'],
  ['a.old', 'NS', 'ns1.example.net', 'hides-records', 'below-dname'],
  ['a.old', 'DNAME', 'another.example.net', 'hides-records', 'below-dname'],
])('a DNAME may not be written with %s %s, in either order', (name, type, content, first, second) => {
  const after = problemOf(judged('old', 'DNAME', DNAME, [[name, type, content]]));
  expect(after).toMatchObject({ code: 'conflict', rule: first });
  const before = problemOf(judged(name, type, content, [['old', 'DNAME', DNAME]]));
  expect(before).toMatchObject({ code: 'conflict', rule: second });
  expect(before.message).toContain('old');
});

test('a DNAME at the apex redirects all names of the zone', () => {
  expect(judged('@', 'DNAME', DNAME, [['@', 'MX', 'mail.example.net']]).ok).toBe(true);
  expect(problemOf(judged('@', 'DNAME', DNAME, [['www', 'A', '192.0.2.1']])).message).toContain(
    'would hide the records at www',
  );
  expect(problemOf(judged('www', 'A', '192.0.2.1', [['@', 'DNAME', DNAME]]))).toMatchObject({
    rule: 'below-dname',
    message: expect.stringContaining('example.com redirects all names below it'),
  });
});

test('a DNAME may be written after the records below it were deleted in the same request', () => {
  const nearby = new NearbyRecords(ZONE);
  const gone = neighbour('a.old', 'A', '192.0.2.1');
  nearby.addNames([orderName('old'), gone.ordername], [gone]);
  nearby.addBelow([
    { under: 'old', names: [{ name: 'a.old', ordername: gone.ordername, count: 1 }], total: 1 },
    { under: '', names: [{ name: 'a.old', ordername: gone.ordername, count: 1 }], total: 1 },
  ]);
  for (const name of ['old', '@']) {
    const dname = record({ name, type: 'DNAME', content: DNAME });
    expect(judgeWrite(dname, nearby.surroundingsOf(dname, null)).ok).toBe(false);
  }
  nearby.drop(gone);
  for (const name of ['old', '@']) {
    const dname = record({ name, type: 'DNAME', content: DNAME });
    expect(judgeWrite(dname, nearby.surroundingsOf(dname, null)).ok).toBe(true);
  }
});

test('a DNAME is not above a zone that is hosted here', () => {
  const dname = record({ name: 'old', type: 'DNAME', content: DNAME });
  const zoneBelow = { id: 'zone_kid', name: 'kid.old.example.com' };
  const found = problemOf(judgeWrite(dname, surroundings({ zoneBelow })));
  expect(found).toMatchObject({ rule: 'hides-records', message: expect.stringContaining('zone_kid') });
});

test('a DNAME is not at a wildcard', () => {
  const found = problemOf(parseRecord({ name: '*.old', type: 'DNAME', content: DNAME }, ZONE));
  expect(found).toMatchObject({ field: 'name', message: expect.stringContaining('RFC 4592 section 4.4') });
});

const problems = (text: string, children: { id: string; name: string }[] = []) =>
  checkZone(readZoneFile(text, { zone: ZONE, defaultTtl: 3600, children: new Set() }).records, ZONE, children);

test('a zone file with a DNAME has no records below it, at their own lines', () => {
  const found = problems(`a.old A 192.0.2.1\nold DNAME ${DNAME}.\nolder A 192.0.2.1\nold A 192.0.2.1`);
  expect(found).toEqual([{ line: 1, message: expect.stringContaining('The DNAME record of old.example.com') }]);
});

test('a zone file with a DNAME has none in the whole zone, if the DNAME is at the apex', () => {
  const found = problems(`@ DNAME ${DNAME}.\n@ TXT x\nwww A 192.0.2.1\nb.a A 192.0.2.1`);
  expect(found.map(({ line }) => line)).toEqual([3, 4]);
});

test('a zone file with a DNAME redirects no zone that is hosted here', () => {
  const kid = { id: 'zone_kid', name: 'kid.old.example.com' };
  expect(problems(`old DNAME ${DNAME}.`, [kid])).toEqual([
    { line: 1, message: expect.stringContaining('The zone kid.old.example.com (zone_kid) is hosted here') },
  ]);
  expect(problems(`older DNAME ${DNAME}.\nx A 192.0.2.1`, [kid])).toEqual([]);
  expect(problems(`@ DNAME ${DNAME}.`, [kid])).toHaveLength(1);
});

test('SVCB in alias form is there once, and next to HTTPS in alias form', () => {
  const alias = (type: RecordType, content: string) => record({ name: 'svc', type, content });
  const atName = [neighbour('svc', 'SVCB', '0 a.example.net'), neighbour('svc', 'SVCB', '1 c.example.net')];
  const found = problemOf(judgeWrite(alias('SVCB', '0 b.example.net'), surroundings({ atName })));
  expect(found).toMatchObject({ rule: 'alias-form-single', message: expect.stringContaining('an SVCB record') });
  expect(judgeWrite(alias('SVCB', '2 b.example.net'), surroundings({ atName })).ok).toBe(true);
  expect(judgeWrite(alias('HTTPS', '0 b.example.net'), surroundings({ atName })).ok).toBe(true);
});
