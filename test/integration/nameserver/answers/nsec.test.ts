// The NSEC chain (RFC 4034 section 4): it contains exactly the names that are authoritative or a zone cut, in canonical
// order with the right type bitmaps, and returns to the apex. The test computes the expectation from the created
// records with rules of its own.
import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { effort } from '../../../support/runner/seed.ts';
import { startTestService, type TestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { dns, request } = service;

interface Row {
  name: string;
  type: string;
  content: string;
}

const CONTENTS: Record<string, string> = {
  A: '192.0.2.1',
  AAAA: '2001:db8::1',
  TXT: 'text',
  MX: 'mail.example.net',
  CNAME: 'target.example.net',
  NS: 'ns.example.net',
  DS: `1 13 2 ${'ab'.repeat(32)}`,
  CAA: '0 issue "ca.example"',
};
const APEX_TYPES = ['NS', 'SOA', 'RRSIG', 'NSEC', 'DNSKEY', 'CDS', 'CDNSKEY'];

/** The order of RFC 4034 section 6.1, by octets: labels from the right, the shorter one first. */
function canonical(a: string, b: string): number {
  const [left, right] = [a, b].map((name) => name.split('.').reverse());
  for (let i = 0; ; i++) {
    const [one, two] = [left?.[i], right?.[i]];
    if (one === undefined || two === undefined) return (left?.length ?? 0) - (right?.length ?? 0);
    const order = Buffer.compare(Buffer.from(one), Buffer.from(two));
    if (order !== 0) return order;
  }
}

const isBelow = (name: string, above: string) => name.endsWith(`.${above}`);

/** One NSEC record: `www.example → example: A RRSIG NSEC`. */
const link = (name: string, next: string, types: Iterable<string>) =>
  `${name} → ${next}: ${[...types].sort().join(' ')}`;

/** The chain that RFC 4034 and 4035 require for the rows and the hosted child zones. */
function expectedChain(zone: string, rows: Row[], children: string[] = []): string[] {
  const types = new Map<string, Set<string>>([[zone, new Set(APEX_TYPES)]]);
  const add = (name: string, type: string) => types.set(name, (types.get(name) ?? new Set()).add(type));
  for (const { name, type } of rows) add(name === '@' ? zone : `${name}.${zone}`, type);
  for (const child of children) for (const type of ['NS', 'DS']) add(child, type);
  const cuts = [...types].filter(([name, at]) => name !== zone && at.has('NS')).map(([name]) => name);
  const names = [...types.keys()].filter((name) => !cuts.some((cut) => isBelow(name, cut))).sort(canonical);
  return names.map((name, i) => {
    const at = types.get(name) as Set<string>;
    // At a cut the parent has only NS, DS and NSEC (RFC 4035 section 2.3).
    const own = cuts.includes(name) ? [...at].filter((type) => type === 'NS' || type === 'DS') : [...at];
    return link(name, names[(i + 1) % names.length] as string, new Set([...own, 'RRSIG', 'NSEC']));
  });
}

/**
 * The NSEC of one name, from a direct answer. At the apex of a hosted child a direct answer has the child's own NSEC,
 * and at another delegation it is a referral. There the NSEC is in the proof for the name right after it (`*` sorts
 * before every other character of a label).
 */
async function nsecOf(name: string, isChild: boolean) {
  const find = async (asked: string, type: string) => {
    const { packet } = await dns.lookup(asked, type, { dnssec: true });
    return [...(packet.answers ?? []), ...(packet.authorities ?? [])].find(
      (record) => record.type === 'NSEC' && record.name === name,
    );
  };
  const direct = isChild ? undefined : await find(name, 'NSEC');
  const found = direct ?? (await find(name.replace('.', '*.'), 'A'));
  if (found === undefined) throw new Error(`no NSEC of ${name}`);
  return found.data as { nextDomain: string; rrtypes: string[] };
}

/** Follows the chain from the apex until it returns there, at most 200 names. */
async function walk(zone: string, children: string[] = []): Promise<string[]> {
  const links: string[] = [];
  let name = zone;
  do {
    const { nextDomain, rrtypes } = await nsecOf(name, children.includes(name));
    links.push(link(name, nextDomain, rrtypes.map(plainType)));
    name = nextDomain;
  } while (name !== zone && links.length < 200);
  return links;
}

/** dns-packet has no names for some types. */
const plainType = (type: string) => ({ UNKNOWN_59: 'CDS', UNKNOWN_60: 'CDNSKEY', UNKNOWN_65: 'HTTPS' })[type] ?? type;

async function fill(zone: Awaited<ReturnType<TestService['zone']>>, wanted: Row[]): Promise<Row[]> {
  const taken: Row[] = [];
  for (const { name, type, content } of wanted) {
    const reply = await request('POST', `/zones/${zone.id}/records`, { name, type, content });
    if (reply.status === 201) taken.push({ name, type, content });
  }
  return taken;
}

const row = (name: string, type: string): Row => ({ name, type, content: CONTENTS[type] ?? '' });

describe('a zone with some 60 mixed names', async () => {
  const zone = await service.zone('chain.example');
  const plain = ['a', 'b', 'z', 'a-b', 'a_b', '_a', '0', '9', 'aa', 'ab', 'ba', '-', 'xn--bcher-kva'];
  const deep = [
    'x.a',
    'y.x.a',
    'deep.empty.non.terminal',
    '_443._tcp.z',
    'k.deep.empty.non.terminal',
    '*.a',
    '*.w',
    'w',
  ];
  const wanted = [
    ...plain.flatMap((name) => [row(name, 'TXT'), row(`sub.${name}`, 'TXT')]),
    ...deep.map((name) => row(name, 'TXT')),
    ...['a', 'b', 'x.a', '*.w', '@'].flatMap((name) => [row(name, 'A'), row(name, 'AAAA'), row(name, 'MX')]),
    ...['c1', 'c2.a', '*.c3'].map((name) => row(name, 'CNAME')),
    row('cut', 'NS'),
    row('secure', 'NS'),
    row('secure', 'DS'),
    { name: 'glued', type: 'NS', content: 'ns.glued.chain.example' },
    { name: 'ns.glued', type: 'A', content: '192.0.2.53' },
    { name: 'ns.glued', type: 'AAAA', content: '2001:db8::53' },
    { name: 'selfglued', type: 'NS', content: 'selfglued.chain.example' },
    { name: 'selfglued', type: 'A', content: '192.0.2.53' },
    row('d.e.f.cut2', 'NS'),
    ...Array.from({ length: 12 }, (_, i) => row(`n${i}`, i % 2 === 0 ? 'A' : 'CAA')),
  ];
  const rows = await fill(zone, wanted);
  const children = ['kid.chain.example', 'far.down.chain.example', 'below.cut.chain.example'];
  for (const child of children) await service.zone(child);

  test('a zone with some 60 mixed names has a chain with each name exactly once', async () => {
    expect(rows).toHaveLength(wanted.length);
    const expected = expectedChain('chain.example', rows, children);
    expect(expected.length).toBeGreaterThan(55);
    expect(await walk('chain.example', children)).toEqual(expected);
  });

  test('a zone with some 60 mixed names has a chain with its children only while it is parked', async () => {
    await request('POST', `/zones/${zone.id}/park`);
    const expected = expectedChain('chain.example', [], children);
    await expect.poll(() => walk('chain.example', children)).toEqual(expected);
    await request('POST', `/zones/${zone.id}/unpark`);
    await expect.poll(() => walk('chain.example', children)).toEqual(expectedChain('chain.example', rows, children));
  });

  test('a zone with some 60 mixed names proves with the chain that names between its names do not exist', async () => {
    for (const name of ['00', 'a0', 'zz', 'x.y.x.a', 'cu', 'cut0', 'secure-', '_', 'kid0', 'down0', 'n10x']) {
      const { state, negative } = await dns.delv('chain.example', `${name}.chain.example`, 'SRV');
      expect([name, state, negative]).toEqual([name, 'secure', name.endsWith('.a') ? negative : 'nxdomain']);
    }
  });
});

// RFC 2181 section 11: a label may have any octets, and a question for a name that no zone here can have gets a normal
// answer.
describe('a name with octets that no name of a zone can have', async () => {
  const zone = await service.zone('octets.example');
  const rows = ['www', '*.wild', 'a-b', 'a_b', '0', '9', '-', '_', 'z', '-.h', 'y.e'].map((name) => row(name, 'TXT'));
  await fill(zone, rows);

  test.each([
    [
      'before all characters of names',
      ['\\000', 'a\\000', '\\031x', '\\033', "a'b", 'www\\000', '\\000.h', '\\000.\\032.0'],
    ],
    ['between them', ['a\\032b', 'a\\.b', 'a+b', 'a/b', 'a:b', '0\\@', '\\\\', '9^', '_`', 'A\\[B']],
    ['behind them all', ['~', '}', '\\127', '\\195\\188', '\\255', 'a\\255', 'z\\255.\\000']],
  ])('a name with octets that no name of a zone can have %s is denied, with proof', async (_, names) => {
    for (const name of names) {
      const { state, negative } = await dns.delv('octets.example', `${name}.octets.example`, 'TXT');
      expect([name, state, negative]).toEqual([name, 'secure', 'nxdomain']);
    }
  });

  test('a name with octets that no name of a zone can have is answered from a wildcard, with proof', async () => {
    for (const name of ['\\000', 'a\\032b', 'a\\.b', "it's", '\\255.~']) {
      const { state, negative } = await dns.delv('octets.example', `${name}.wild.octets.example`, 'TXT');
      expect([name, state, negative]).toEqual([name, 'secure', null]);
    }
  });
});

test('the chain of a zone with random names is right', async () => {
  const label = fc.constantFrom('a', 'b', 'aa', '-', '_', '0', 'z', 'ns');
  const name = fc.oneof(
    fc.constant('@'),
    fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
    fc.array(label, { minLength: 0, maxLength: 2 }).map((labels) => ['*', ...labels].join('.')),
  );
  const type = fc.constantFrom('A', 'TXT', 'CNAME', 'NS', 'DS', 'MX');
  let zones = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, type), { minLength: 1, maxLength: 14 }), async (pairs) => {
      const zone = await service.zone(`random${++zones}.test`);
      const rows = await fill(
        zone,
        pairs.map(([owner, of]) => row(owner, of)),
      );
      expect(await walk(zone.zoneName)).toEqual(expectedChain(zone.zoneName, rows));
    }),
    { numRuns: effort(25, 5) },
  );
});
