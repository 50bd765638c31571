// The bodies of PATCH requests: each is read to changes or refused with a sentence, and no other error is thrown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planPowerDnsChange } from '#doors/powerdns/plan.ts';
import { type OwnRrset, readRrsets } from '#doors/powerdns/read-rrsets.ts';
import { encodeZoneId, nameOfId } from '#doors/powerdns/zone-id.ts';
import type { RrsetPlan } from '#service/records/rrsets.ts';
import { Refusal } from '#service/refusal.ts';
import { finish } from '../../../support/dns/zone-file.ts';
import { oddBody, ZONE } from '../../../support/doors/powerdns/random.ts';
import { effort, nextSeed } from '../../../support/runner/seed.ts';

const OWN: OwnRrset[] = [
  { type: 'SOA', values: ['ns1.example.net. hostmaster.example.net. 7 10800 3600 604800 60'] },
  { type: 'NS', values: ['ns1.example.net.', 'ns2.example.net.'] },
];
const NAME = ZONE.slice(0, -1);
const read = (...rrsets: unknown[]) => finish(readRrsets(rrsets, NAME, OWN));

/** The plan for an empty zone, or the sentence of a refusal. */
function planned(rrsets: readonly unknown[]): RrsetPlan<null> | string {
  try {
    const { changes } = read(...rrsets);
    const zone = { name: NAME, serial: 1, ownersVersion: 0, defaultTtl: 3600 };
    return finish(planPowerDnsChange(changes, { zone, isChanged: false, at: () => [] }));
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

test('a name outside of the zone is refused with the names that this API takes, unless it is deleted', () => {
  const rrset = { name: 'www.elsewhere.test.', type: 'A', ttl: 60, records: [{ content: '192.0.2.1' }] };
  expect(planned([{ ...rrset, changetype: 'REPLACE' }])).toBe(
    `The RRset "www.elsewhere.test." of type "A" is not in the zone ${NAME}: write a name that is "${ZONE}" or ends in ".${ZONE}".`,
  );
  expect(planned([{ ...rrset, changetype: 'DELETE' }])).not.toBeTypeOf('string');
});

const BODIES = effort(10_000, 1_000);

test(`${BODIES} random bodies are planned or refused`, () => {
  let plans = 0;
  for (const body of fc.sample(oddBody, { numRuns: BODIES, seed: nextSeed() })) {
    const list = (body as { rrsets?: unknown } | null)?.rrsets;
    if (!Array.isArray(list)) continue;
    const found = planned(list);
    if (typeof found === 'string') expect(found).toMatch(/^[A-Z].{10,}/s);
    else plans += 1;
  }
  expect(plans).toBeGreaterThan(BODIES / 20);
});

const rrset = (type: string, contents: string[], changetype = 'REPLACE') => ({
  name: ZONE,
  type,
  ttl: 60,
  changetype,
  records: contents.map((content) => ({ content })),
});

test("the service's own records of the apex may be sent as they are, in any order and with any serial", () => {
  expect(read(rrset('NS', ['ns2.example.net.', 'NS1.example.net.'])).changes).toEqual([]);
  expect(read(rrset('NS', ['ns1.example.net.'], 'EXTEND')).changes).toEqual([]);
  expect(read(rrset('SOA', ['ns1.example.net. hostmaster.example.net. 99 10800 3600 604800 60'])).changes).toEqual([]);
});

test.each([
  ['SOA', [], 'DELETE'],
  ['NS', ['ns1.example.net.', 'ns2.example.net.'], 'DELETE'],
  ['NS', [], 'REPLACE'],
])(
  "the service's own records of the apex stay when they are deleted, and the client is told so: %s %j %s",
  (type, contents, changetype) => {
    expect(read(rrset(type, contents, changetype))).toEqual({ changes: [], isClamped: false, isOwnKept: true });
  },
);

test.each([
  ['NS', ['ns1.example.net.'], 'REPLACE'],
  ['NS', ['ns1.example.net.', 'ns2.example.net.', 'ns3.example.net.'], 'REPLACE'],
  ['NS', ['ns1.example.net.'], 'PRUNE'],
  ['NS', ['ns3.example.net.'], 'EXTEND'],
  ['SOA', ['ns1.example.net. other.example.net. 7 10800 3600 604800 60'], 'REPLACE'],
])("the service's own records of the apex cannot be changed: %s %j %s", (type, contents, changetype) => {
  expect(() => read(rrset(type, contents, changetype))).toThrow('belongs to the service');
});

test('a record whose TTL is the default of the zone keeps having none of its own', () => {
  const { changes } = read({
    name: `www.${ZONE}`,
    type: 'A',
    ttl: 3600,
    changetype: 'REPLACE',
    records: [{ content: '192.0.2.1' }],
  });
  const [record] = changes[0]?.records ?? [];
  const stored = { ...record, ttl: null } as never;
  const current = {
    zone: { name: NAME, serial: 1, ownersVersion: 0, defaultTtl: 3600 },
    isChanged: false,
    at: () => [{ name: 'www', type: 'A' as const, records: [stored] }],
  };
  expect(finish(planPowerDnsChange(changes, current)).rrsets[0]?.records).toEqual([stored]);
});

test('a request has at most 5,000 RRsets and 10,000 records', () => {
  const name = `www.${ZONE}`;
  const rrset = (at: number, records: number) => ({
    name: `w${at}.${ZONE}`,
    type: 'A',
    ttl: 60,
    changetype: 'REPLACE',
    records: Array.from({ length: records }, (_, n) => ({ content: `10.0.${n >> 8}.${n & 255}` })),
  });
  const many = Array.from({ length: 5_001 }, () => ({
    name,
    type: 'A',
    changetype: 'PRUNE',
    records: [{ content: '192.0.2.1' }],
  }));
  expect(() => read(...many)).toThrow('5001 RRsets');
  expect(() => read(...Array.from({ length: 11 }, (_, at) => rrset(at, 1_000)))).toThrow('more than 10000 records');
});

test.each([
  ['example.org', 'example.org.'],
  ['0/26.2.0.192.in-addr.arpa', '0=2F26.2.0.192.in-addr.arpa.'],
  ['a_.example.org', 'a=5F.example.org.'],
])('the id of the zone %s is %s', (name, id) => {
  expect(encodeZoneId(name)).toBe(id);
  expect(nameOfId(id)).toBe(`${name}.`);
});
