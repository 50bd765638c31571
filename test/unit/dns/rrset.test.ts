import { describe, expect, test } from 'vitest';
import { orderName } from '#dns/names/name.ts';
import { NameRecords } from '#dns/rules/name-records.ts';
import { NearbyRecords } from '#dns/rules/nearby-records.ts';
import { judgeDelete, judgeWrite, type Neighbour } from '#dns/rules/rrset.ts';
import type { RecordType } from '#dns/types/index.ts';
import { namesBelow, neighbour, problemOf, record, surroundings } from './build.ts';

const DS = `1 13 2 ${'ab'.repeat(32)}`;
const TLSA = `3 1 1 ${'ab'.repeat(32)}`;

/** Judges a record at `name` against others there, each given as [type, content]. */
function beside(name: string, [type, content, priority]: Value, others: Value[]) {
  const nearby = new NearbyRecords('example.com');
  const there = others.map(([kind, text, preference]) => neighbour(name, kind, text, preference));
  nearby.addNames([orderName(name)], there);
  const judged = record({ name, type, content, priority: priority ?? null });
  return judgeWrite(judged, nearby.surroundingsOf(judged, null));
}

type Value = [RecordType, string, number?];

test.each<[Value, Value]>([
  [
    ['A', '192.0.2.1'],
    ['A', '192.0.2.2'],
  ],
  [
    ['TXT', 'one'],
    ['TXT', 'two'],
  ],
  [
    ['TXT', '"ab"'],
    ['TXT', '"a" "b"'],
  ],
  [
    ['TXT', 'x'],
    ['A', '192.0.2.1'],
  ],
  [
    ['MX', 'a.example', 1],
    ['MX', 'a.example', 2],
  ],
  [
    ['ALIAS', 'a.example'],
    ['TXT', 'x'],
  ],
  [
    ['ALIAS', 'a.example'],
    ['MX', 'a.example'],
  ],
  [
    ['NS', 'ns1.example.net'],
    ['NS', 'ns2.example.net'],
  ],
  [
    ['DS', DS],
    ['NS', 'ns1.example.net'],
  ],
  [
    ['NS', 'ns2.example.net'],
    ['DS', DS],
  ],
  [
    ['HTTPS', '1 . alpn=h2'],
    ['HTTPS', '0 svc.example.net'],
  ],
  [
    ['HTTPS', '1 .'],
    ['HTTPS', '2 .'],
  ],
])('the records %j and %j may have one name', (value, other) => {
  expect(beside('www', value, [other]).ok).toBe(true);
});

test.each<[string, Value, Value]>([
  ['the same address', ['AAAA', '::1'], ['AAAA', '0:0::1']],
  ['the same host in capitals', ['PTR', 'Host.Example.NET.'], ['PTR', 'host.example.net']],
  ['the same text in other quotes', ['TXT', 'token'], ['TXT', '"token"']],
  ['the same MX', ['MX', 'a.example'], ['MX', 'A.example.', 10]],
  ['the same parameters in another order', ['HTTPS', '1 . alpn=h2 port=1'], ['HTTPS', '1 . key3=\\000\\001 alpn=h2']],
  ['CNAME with TXT', ['CNAME', 'a.example'], ['TXT', 'x']],
  ['A beside CNAME', ['A', '192.0.2.1'], ['CNAME', 'a.example']],
  ['DS with CNAME', ['DS', DS], ['CNAME', 'a.example']],
  ['a second CNAME', ['CNAME', 'a.example'], ['CNAME', 'b.example']],
  ['ALIAS beside A', ['ALIAS', 'a.example'], ['A', '192.0.2.1']],
  ['AAAA with ALIAS', ['AAAA', '::1'], ['ALIAS', 'a.example']],
  ['a second ALIAS', ['ALIAS', 'a.example'], ['ALIAS', 'b.example']],
  ['ALIAS with CNAME', ['ALIAS', 'a.example'], ['CNAME', 'b.example']],
  ['null MX with another MX', ['MX', '.', 0], ['MX', 'a.example']],
  ['MX with the null MX', ['MX', 'a.example'], ['MX', '.', 0]],
  ['DS without NS', ['DS', DS], ['TXT', 'x']],
  ['two HTTPS in alias form', ['HTTPS', '0 a.example'], ['HTTPS', '0 b.example']],
  ['TXT at a delegation', ['TXT', 'x'], ['NS', 'ns1.example.net']],
  ['A at a delegation to others', ['A', '192.0.2.1'], ['NS', 'ns1.example.net']],
  ['a delegation over a TXT', ['NS', 'ns1.example.net'], ['TXT', 'x']],
  ['a delegation to others over an A', ['NS', 'ns1.example.net'], ['A', '192.0.2.1']],
])('a pair of records at one name is a conflict: %s', (_, value, other) => {
  expect(problemOf(beside('www', value, [other])).code).toBe('conflict');
});

test('a conflict at one name names the record in the way', () => {
  const other = neighbour('www', 'TXT', 'x');
  const verdict = judgeWrite(record({ name: 'www', type: 'CNAME', content: 'a.b' }), surroundings({ atName: [other] }));
  expect(problemOf(verdict).message).toContain(other.id);
});

test('the same CNAME at one name is a duplicate rather than a second one', () => {
  expect(problemOf(beside('www', ['CNAME', 'a.b'], [['CNAME', 'A.b.']])).message).toContain('exists already');
});

test('a name server that has the name of its own zone may be addressed there', () => {
  expect(beside('sub', ['A', '192.0.2.1'], [['NS', 'sub.example.com']]).ok).toBe(true);
  expect(beside('sub', ['NS', 'sub.example.com'], [['A', '192.0.2.1']]).ok).toBe(true);
  expect(beside('sub', ['TXT', 'x'], [['NS', 'sub.example.com']]).ok).toBe(false);
});

test('one name holds a hundred ACME tokens at once', () => {
  const tokens = Array.from({ length: 100 }, (_, index) => neighbour('_acme-challenge', 'TXT', `token-${index}`));
  const next = record({ name: '_acme-challenge', type: 'TXT', content: 'token-100' });
  expect(judgeWrite(next, surroundings({ atName: tokens })).ok).toBe(true);
});

test('records at one name cannot outgrow a DNS message of 65535 octets', () => {
  const large = (fill: string) => neighbour('big', 'TXT', fill.repeat(30_000));
  const next = record({ name: 'big', type: 'TXT', content: 'c'.repeat(10_000) });
  expect(judgeWrite(next, surroundings({ atName: [large('a')] })).ok).toBe(true);
  expect(problemOf(judgeWrite(next, surroundings({ atName: [large('a'), large('b')] })))).toMatchObject({
    code: 'bad_request',
    field: 'content',
  });
  const single = record({ name: 'big', type: 'TXT', content: 'a'.repeat(250 * 255) });
  expect(judgeWrite(single, surroundings()).ok).toBe(true);
});

test('records at one name leave room for the signed NSEC record that proves a wildcard answer', () => {
  // The stored record has 60,000 octets in 235 strings; the new one is the largest that is accepted with it.
  const stored = neighbour('*', 'TXT', 'a'.repeat(60_000 - 235));
  expect(stored.wire).toHaveLength(60_000);
  const beside = (octets: number) => record({ name: '*', type: 'TXT', content: 'b'.repeat(octets) });
  const fits = (octets: number) => judgeWrite(beside(octets), surroundings({ atName: [stored] })).ok;
  let [accepted, refused] = [1, 6_000];
  expect([fits(accepted), fits(refused)]).toEqual([true, false]);
  while (refused - accepted > 1) {
    const middle = (accepted + refused) >> 1;
    if (fits(middle)) accepted = middle;
    else refused = middle;
  }
  // RFC 1035 section 4.1: header and question (*.example.com), each record behind a pointer; RFC 6891: OPT.
  const answer = 12 + (15 + 4) + 2 * 12 + 60_000 + beside(accepted).wire.length + 11;
  // RFC 4034 section 3.1 with algorithm 13 (64 octets) and the signer example.com.
  const signature = 12 + 18 + 13 + 64;
  // RFC 4034 section 4.1: owner and next name of 255 octets, one window of types, and its signature.
  const proof = 255 + 10 + 255 + 34 + signature;
  expect(answer + signature + proof).toBeLessThanOrEqual(65_535);
  // The room is for names of 255 octets all through and no more.
  expect(answer + signature + proof).toBeGreaterThan(65_535 - 600);
});

test('records at one name are counted by type: other sets take no room', () => {
  const other = neighbour('big', 'CAA', `0 tbs "${'a'.repeat(60_000)}"`);
  const next = record({ name: 'big', type: 'TXT', content: 'c'.repeat(10_000) });
  expect(judgeWrite(next, surroundings({ atName: [other] })).ok).toBe(true);
});

const around = surroundings({
  cutsAbove: [{ name: 'sub.example.com', type: 'NS' }],
  isServerOfCut: (name) => ['ns1.sub.example.com', 'ns2.example.net'].includes(name),
});

test.each<[RecordType, string]>([
  ['A', '192.0.2.1'],
  ['AAAA', '2001:db8::1'],
])('a name below a delegation takes the %s of its name server', (type, content) => {
  expect(judgeWrite(record({ name: 'ns1.sub', type, content }), around).ok).toBe(true);
});

test.each<[string, RecordType, string]>([
  ['ns3.sub', 'A', '192.0.2.1'],
  ['ns1.sub', 'TXT', 'x'],
  ['www.sub', 'CNAME', 'a.b'],
  ['_acme-challenge.sub', 'TXT', 'token'],
  ['deeper.sub', 'NS', 'ns1.example.net'],
  ['_443._tcp.sub', 'TLSA', TLSA],
])('a name below a delegation refuses %s %s, which would never be answered', (name, type, content) => {
  const found = problemOf(judgeWrite(record({ name, type, content }), around));
  expect(found).toMatchObject({ code: 'conflict', field: 'name' });
  expect(found.message).toContain('sub.example.com');
});

describe('a name in a child zone that is hosted here', () => {
  const around = surroundings({ cutsAbove: [{ name: 'sub.example.com', type: 'zone', zoneId: 'zone_child' }] });

  test.each<[string, RecordType, string]>([
    ['www.sub', 'A', '192.0.2.1'],
    ['sub', 'TXT', 'x'],
    ['sub', 'NS', 'ns1.example.net'],
  ])('the record %s %s belongs in the child zone that is hosted here', (name, type, content) => {
    const found = problemOf(judgeWrite(record({ name, type, content }), around));
    expect(found.code).toBe('conflict');
    expect(found.message).toContain('zone_child');
  });
});

describe('a new delegation', () => {
  const delegate = (target: string) => record({ name: 'sub', type: 'NS', content: target });
  /** Judges a delegation to ns1.sub above these records. */
  const delegated = (there: readonly Neighbour[]) => {
    const nearby = new NearbyRecords('example.com');
    nearby.addNames(new Set(['sub', ...there.map(({ ordername }) => ordername)]), []);
    for (const each of there) nearby.put(each);
    const server = delegate('ns1.sub.example.com');
    return judgeWrite(server, nearby.surroundingsOf(server, null));
  };

  test('a new delegation over existing names lists them', () => {
    const below = namesBelow(['a.sub', 'b.sub'], 7);
    const found = problemOf(judgeWrite(delegate('ns1.example.net'), surroundings({ below })));
    expect(found.code).toBe('conflict');
    expect(found.message).toContain('a.sub, b.sub and 5 more');
  });

  test('a new delegation may come after the addresses of its own name server', () => {
    const addresses = [neighbour('ns1.sub', 'A', '192.0.2.1'), neighbour('ns1.sub', 'AAAA', '2001:db8::1')];
    expect(delegated(addresses).ok).toBe(true);
    const found = problemOf(delegated([...addresses, neighbour('www.sub', 'A', '192.0.2.1')]));
    expect(found.message).toContain('www.sub;');
    expect(found.message).not.toContain('ns1.sub');
  });

  test('a new delegation may come after the addresses of all name servers that are written with it, wherever they are', () => {
    const nearby = new NearbyRecords('example.com');
    const servers = ['ns1.sub.example.com', 'ns2.sub.example.com', 'sub.example.com'].map(delegate);
    const there = [neighbour('ns1.sub', 'A', '192.0.2.1'), neighbour('ns2.sub', 'AAAA', '2001:db8::1')];
    nearby.announce(servers);
    nearby.addNames(['sub', 'sub ns1', 'sub ns2'].map(orderName), []);
    for (const one of [...there, neighbour('sub', 'A', '192.0.2.3')]) nearby.put(one);
    for (const server of servers)
      expect(judgeWrite(server, nearby.surroundingsOf(server, null))).toEqual({ ok: true, value: null });
    nearby.put(neighbour('www.sub', 'A', '192.0.2.4'));
    const [first] = servers;
    const found = problemOf(judgeWrite(first!, nearby.surroundingsOf(first!, null)));
    expect(found.message).toContain('at www.sub;');
  });

  test('a new delegation may not hide other records at the name of its name server', () => {
    const found = problemOf(delegated([neighbour('ns1.sub', 'A', '192.0.2.1'), neighbour('ns1.sub', 'TXT', 'hidden')]));
    expect([found.code, found.message]).toEqual(['conflict', expect.stringContaining('ns1.sub;')]);
  });

  test('a new delegation does not count names when the delegation exists already', () => {
    const below = namesBelow(['ns1.sub', 'ns2.sub'], 2);
    const existing = neighbour('sub', 'NS', 'ns1.sub.example.com');
    expect(judgeWrite(delegate('ns2.sub.example.com'), surroundings({ below, atName: [existing] })).ok).toBe(true);
    expect(judgeWrite(delegate('ns3.sub.example.com'), surroundings({ below, replaces: true })).ok).toBe(true);
  });
});

const ns = { name: 'sub', type: 'NS' } as const;

test('a deletion is a conflict for the last NS while a DS stays', () => {
  const ds = neighbour('sub', 'DS', DS);
  expect(problemOf(judgeDelete(ns, new NameRecords([ds])))).toMatchObject({ code: 'conflict' });
  expect(problemOf(judgeDelete(ns, new NameRecords([ds]))).message).toContain(ds.id);
});

test('a deletion is fine for one NS among others, and for the last one without DS', () => {
  const rest = new NameRecords([neighbour('sub', 'DS', DS), neighbour('sub', 'NS', 'ns2.example.net')]);
  expect(judgeDelete(ns, rest).ok).toBe(true);
  expect(judgeDelete(ns, new NameRecords()).ok).toBe(true);
});

test('a deletion is fine for any other type', () => {
  const rest = new NameRecords([neighbour('sub', 'NS', 'ns2.example.net')]);
  expect(judgeDelete({ name: 'sub', type: 'DS' }, rest).ok).toBe(true);
  expect(judgeDelete({ name: 'www', type: 'A' }, new NameRecords()).ok).toBe(true);
});
