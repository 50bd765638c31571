// The values of every record type in a zone of a real knotd.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServedSet } from '#dns/served.ts';
import { numberedContent } from '../../../support/dns/record-contents.ts';
import { canonical, quotedOctets, servedSet, typedRdata } from '../../../support/dns/served-sets.ts';
import { NS, ordered, testKnotZones } from '../../../support/knot/knot-zones.ts';

const { signal } = new AbortController();
const { engine, put, zoneWith, contents, answered, serialOf } = await testKnotZones();

test('the values of every type are held, read and answered as they were given', async () => {
  const label = 'l'.repeat(63);
  const octets = Array.from({ length: 256 }, (_, octet) => octet);
  const zone = await zoneWith([]);
  // The name and the zone have 255 octets on the wire.
  const room = 253 - zone.name.length - 3 * 64 - 1;
  const longest = [label, label, label, 'm'.repeat(room)].join('.');
  const sets = [
    servedSet(longest, 'A', ['192.0.2.1']),
    servedSet('txt', 'TXT', [quotedOctets(octets), '""', '"a" "b"', '"a\\"b\\\\"', 'v=spf1 -all; (x)', '"ünï"']),
    servedSet('big', 'TXT', [`"${'x'.repeat(20_000)}"`]),
    servedSet('https', 'HTTPS', [
      '1 . alpn="f\\\\\\\\oo\\\\,bar,h2" no-default-alpn port=8443 ipv4hint=192.0.2.1,192.0.2.2 ech=aGVsbG8= ipv6hint=2001:db8::1,::ffff:192.0.2.1',
      '2 svc.example mandatory=alpn,port alpn=h3 port=53 key4711="a b\\"\\\\\\000\\255;()" key23=""',
      '16 foo_bar.example.org key667=hello',
    ]),
    servedSet('alias', 'HTTPS', ['0 other.example']),
    servedSet('*', 'CNAME', ['target_1.example']),
    servedSet('_443._tcp', 'TLSA', [`3 1 1 ${'ab'.repeat(32)}`, `0 0 0 ${'cd'.repeat(600)}`]),
    servedSet('_sip._udp', 'SRV', ['0 0 0 .', '65535 1 5060 sip.example']),
    servedSet('caa', 'CAA', ['0 issue ";"', '128 issue "ca.example; a=\\"b\\""', '0 iodef "mailto:a@b.example"']),
    { name: 'mx', type: 'MX', ttl: 300, rdata: [canonical('MX', '.', 0)] },
    { name: 'mail', type: 'MX', ttl: 86_400, rdata: ['10 a.example.', '65535 b.example.'] },
    servedSet('ptr', 'PTR', ['a-b.example']),
    servedSet('six', 'AAAA', ['::', '::1', '2001:db8::1:0:0:1', '::ffff:192.0.2.1']),
    servedSet('ds.sub', 'DS', [`65535 13 2 ${'01'.repeat(32)}`, `1 8 4 ${'02'.repeat(48)}`]),
    servedSet('ds.sub', 'NS', ['ns.example.org']),
    // Occluded by the cut above.
    servedSet('below.ds.sub', 'A', ['192.0.2.1']),
  ];
  await put(zone.name, sets);
  expect(ordered(await contents(zone.name))).toEqual(ordered([NS, ...sets]));
  for (const set of sets.filter(({ name }) => !name.includes('ds.sub') && name !== '*')) {
    expect([set.name, await answered(zone.name, set)]).toEqual([set.name, set.rdata]);
  }
  // Nothing differs, so nothing is committed.
  const serial = await serialOf(zone.name);
  expect(await put(zone.name, sets, { serial: 1 })).toBe(serial);
});

test('the values of every type come back at random', async () => {
  const { name } = await zoneWith([]);
  const batches = [
    ...fc.sample(typedRdata, { numRuns: 400, seed: 15 }),
    ...fc.sample(numberedContent, { numRuns: 100, seed: 15 }).map(({ type, content }) => {
      return { type, text: canonical(type, content) };
    }),
  ];
  const sets = batches.map(({ type, text }, index) => ({ name: `n${index}`, type, ttl: 60, rdata: [text] }));
  // DS is nothing without a delegation.
  const cuts = sets.filter(({ type }) => type === 'DS').map((set) => ({ ...NS, name: set.name, ttl: 60 }));
  await put(name, [...sets, ...cuts]);
  expect(ordered(await contents(name))).toEqual(ordered([NS, ...sets, ...cuts]));
  for (const set of sets.filter(({ type }) => !['DS', 'NS'].includes(type))) {
    expect([set, await answered(name, set)]).toEqual([set, set.rdata]);
  }
});

test('the values of every type are accepted up to the longest of the service', async () => {
  const { name } = await zoneWith([]);
  const longest = servedSet('longest', 'TXT', [`"${'x'.repeat(63_750)}"`]);
  await put(name, [longest]);
  expect(await answered(name, longest)).toEqual(longest.rdata);
  expect(ordered(await contents(name))).toEqual(ordered([NS, longest]));
  const generic = servedSet('generic', 'TYPE65280', [`\\# 32495 ${'ab'.repeat(32_495)}`]);
  const key = servedSet('key', 'OPENPGPKEY', [Buffer.alloc(48_750, 0x99).toString('base64')]);
  await put(name, [longest, generic, key]);
  expect(ordered(await contents(name))).toEqual(ordered([NS, longest, generic, key]));
  // The api refuses it as well: Knot 3.2 could not write it to the socket.
  const text = quotedOctets(Array.from({ length: 17_000 }, () => 1));
  const control = { name: 'control', type: 'TXT', ttl: 300, rdata: [text] };
  await expect(put(name, [control])).rejects.toMatchObject({
    failure: 'refused',
    message: expect.stringMatching(
      /control TXT in the zone .* has 68002 characters as text; Knot can return at most 65000/,
    ),
  });
  expect(ordered(await contents(name))).toEqual(ordered([NS, longest, generic, key]));
});

test('a DNAME is held in the place of names below it, also at the apex', async () => {
  const { name } = await zoneWith([]);
  const names = ['@', 'old', 'a.old', 'b.c.old'];
  const all = (sets: readonly ServedSet[]) => engine.change(name, { names, sets: [NS, ...sets], serial: 100 }, signal);
  await all([servedSet('a.old', 'A', ['192.0.2.1']), servedSet('b.c.old', 'A', ['192.0.2.1'])]);
  const dname = servedSet('old', 'DNAME', ['a.example.net']);
  await all([dname]);
  expect(ordered(await contents(name))).toEqual(ordered([NS, dname]));
  const apex = servedSet('@', 'DNAME', ['a.example.net']);
  await all([apex]);
  expect(ordered(await contents(name))).toEqual(ordered([NS, apex]));
  const back = servedSet('a.old', 'A', ['192.0.2.2']);
  await all([back]);
  expect(ordered(await contents(name))).toEqual(ordered([NS, back]));
});
