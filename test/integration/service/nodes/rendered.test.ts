// The rendered zones answer as the RFCs say: zones with any records, also such as the REST API refuses, are answered
// from the rendered RRsets and from a model of the same zones. And the octets of awkward values.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { octetsOfRdata } from '#dns/wire/canonical-rdata.ts';
import { createServedSource } from '#service/nodes/source.ts';
import { openDatabase } from '#store/database.ts';
import { readZone } from '../../../support/feed/follower.ts';
import { servedByModel, sorted } from '../../../support/feed/served-model.ts';
import { answerFrom, computeAnswer, type ModelZone, type Row } from '../../../support/model/answers.ts';
import { type Content, GOOD, inZone } from '../../../support/model/contents.ts';
import { NAMES, ZONES } from '../../../support/model/operations.ts';
import type { ModelRecord } from '../../../support/model/rules.ts';
import { servedValue } from '../../../support/model/served.ts';
import { effort, nextSeed } from '../../../support/runner/seed.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, writesBehind: true });
const { sql } = service;
const { db, close } = openDatabase(service.database.url, { max: 2, name: 'rendered' });
const source = createServedSource({ db });
afterAll(() => close());

const base = await service.zone('base.test');
const TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'DS', 'HTTPS', 'MX', 'NS', 'PTR', 'SRV', 'TLSA', 'TXT'];
/** Names of records and questions; some are in or below a hosted zone, a delegation or a wildcard. */
const OWNERS = [...NAMES, 'w.x.a', 'y.far.b', 'deep.kid', '*.kid', 'q.deep.kid'];
const QUESTIONS = [...OWNERS, 'nope', 'q.r.a', 'q.b', 'z.sub', '_tcp', 'q._tcp', 'far', 'b.www'];

interface GeneratedRecord {
  name: string;
  content: Content;
  ttl: number | null;
}
interface GeneratedZone {
  name: string;
  parked: boolean;
  defaultTtl: number;
  records: GeneratedRecord[];
}
interface Addresses {
  ipv4: string[];
  ipv6: string[];
  ttl: number;
}

const record = fc.record({
  name: fc.constantFrom(...OWNERS),
  content: fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...GOOD) },
    { weight: 1, arbitrary: fc.constantFrom(...GOOD.filter(({ type }) => ['NS', 'DS', 'ALIAS'].includes(type))) },
  ),
  ttl: fc.option(fc.constantFrom(30, 60, 5000), { nil: null }),
});
const zoneOf = (name: string) =>
  fc.record({
    name: fc.constant(name),
    parked: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    defaultTtl: fc.constantFrom(45, 3600),
    records: fc.array(record, { maxLength: 24 }),
  });
const [first, ...others] = ZONES;
const family = fc
  .tuple(zoneOf(first), ...others.map((name) => fc.option(zoneOf(name), { nil: null })))
  .map((zones) => zones.filter((zone) => zone !== null));
const addresses = fc.record({
  ipv4: fc.subarray(['192.0.2.1', '192.0.2.77', '198.51.100.7']),
  ipv6: fc.subarray(['2001:db8:0:0:0:0:0:1', '2001:db8:0:0:0:1:0:2']),
  ttl: fc.constantFrom(30, 90, 3600),
});

/**
 * The records that the tables take: each value once, and nothing next to a CNAME. At the apex the service has the NS.
 */
function storable({ name: zone, records }: GeneratedZone): GeneratedRecord[] {
  const kept: GeneratedRecord[] = [];
  for (const { name, content, ttl } of records) {
    const next = { name, content: inZone(content, zone), ttl };
    const at = kept.filter((other) => other.name === name);
    if (name === '@' && ['NS', 'DS', 'CNAME'].includes(content.type)) continue;
    if (at.some((other) => other.content.type === 'CNAME' || content.type === 'CNAME')) continue;
    if (at.some((other) => other.content.type === content.type && other.content.served === next.content.served))
      continue;
    kept.push(next);
  }
  return kept;
}

let families = 0;

/** Stores the family as rows, and returns the model of it. */
async function store(zones: readonly GeneratedZone[], targets: ReadonlyMap<string, Addresses>): Promise<ModelZone[]> {
  const suffix = `f${++families}.test`;
  const model: ModelZone[] = [];
  // Before the records, and not due: the resolver of the api must not change them.
  for (const [target, { ipv4, ipv6, ttl }] of targets)
    await sql`
      insert into alias_answers (target, owner, ipv4, ipv6, ttl, due_at)
      select ${target}, team_id, ${ipv4}, ${ipv6}, ${ttl}, now() + interval '1 day' from zones where id = ${base.id}
      on conflict (target, owner) do update set ipv4 = excluded.ipv4, ipv6 = excluded.ipv6, ttl = excluded.ttl`;
  for (const [no, generated] of zones.entries()) {
    const zone = { ...generated, name: generated.name.replace('%', suffix) };
    const id = `zone_f${families}n${no}`;
    const ds = [`${no} 13 2 ${'0a'.repeat(32)}`, `${no} 13 4 ${'0b'.repeat(48)}`];
    const state = zone.parked ? 'parked' : 'active';
    await sql`
      insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
      select ${id}, team_id, ${zone.name}, ${zone.name.split('.').reverse().join(' ')}, ${state}, ${zone.defaultTtl}, 1,
        ${ds} from zones where id = ${base.id}`;
    await sql`
      insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since)
      select ${id}, algorithm, public_key, private_key, state, since from zone_keys where zone_id = ${base.id}`;
    const records = storable(zone);
    const { no: zoneNo } = (await sql`select no from zones where id = ${id}`)[0] as unknown as { no: number };
    const rows = records.map(({ name, content, ttl }, at) => ({
      id: `${id}r${at}`,
      zone_no: zoneNo,
      name,
      ordername: name === '@' ? '' : name.split('.').reverse().join(' '),
      type: content.type,
      content: content.sent,
      rdata: zoneFileText(content),
      digest: Buffer.from(content.served),
      ttl,
    }));
    if (rows.length > 0) await sql`insert into records ${sql(rows)}`;
    const modelled = records.map(({ name, content, ttl }, at): ModelRecord => {
      const { type, sent, served, target, priority = null } = content;
      const found = target === undefined ? undefined : targets.get(`${target}.`);
      const all = [
        ...(found?.ipv4 ?? []).map((address) => ({ type: 'A' as const, served: address, ttl: found?.ttl ?? 0 })),
        ...(found?.ipv6 ?? []).map((address) => ({
          type: 'AAAA' as const,
          served: new URL(`http://[${address}]`).hostname.slice(1, -1),
          ttl: found?.ttl ?? 0,
        })),
      ];
      return { id: `${at}`, name, type, content: sent, served, ttl, priority, addresses: all };
    });
    model.push({ id, name: zone.name, parked: zone.parked, defaultTtl: zone.defaultTtl, ds, records: modelled });
  }
  return model;
}

/** The value as a zone file has it, with absolute names. */
function zoneFileText({ type, sent, served, target }: Content): string {
  if (['NS', 'CNAME', 'PTR', 'ALIAS'].includes(type)) return `${target}.`;
  if (type === 'MX' || type === 'SRV') return served.endsWith('.') ? served : `${served}.`;
  if (type === 'HTTPS') return sent.replace('example.net', 'example.net.');
  if (type === 'TXT') return served;
  if (type === 'A' || type === 'AAAA') return served;
  return sent;
}

/** All records of a rendered zone, with its SOA. */
async function rendered({ id, name: zone }: ModelZone): Promise<Row[]> {
  const held = await readZone(source, id);
  const rows = [...(held?.sets.values() ?? [])].flatMap(({ name, type, ttl, rdata }) =>
    rdata.map((text) => ({
      owner: name === '@' ? zone : `${name}.${zone}`,
      type,
      // A type for private use is not queried.
      served: type.startsWith('TYPE') ? text : servedValue(type, octetsOfRdata(type, text)),
      ttl,
    })),
  );
  return [{ owner: zone, type: 'SOA', served: '', ttl: 300 }, ...rows];
}

test('rendered zones answer every question as the model does, and hold occluded records too', {
  timeout: 300_000,
}, async () => {
  const agree = fc.asyncProperty(family, fc.array(addresses, { minLength: 7, maxLength: 7 }), async (zones, found) => {
    const suffix = `f${families + 1}.test`;
    const hosts = ['host.example.net', 'www.%', 'a.%', 'b.%', 'x.a.%', 'ns.sub.%'].map(
      (host) => `${host.replace('%', suffix)}.`,
    );
    const targets = new Map(hosts.map((host, at) => [host, found[at] as Addresses]));
    const model = await store(zones, targets);
    const rows = new Map(await Promise.all(model.map(async (zone) => [zone.id, await rendered(zone)] as const)));
    for (const name of QUESTIONS) {
      const owner = name === '@' ? suffix : `${name}.${suffix}`;
      for (const type of TYPES) {
        const answer = answerFrom(model, ({ id }) => rows.get(id) ?? [], owner, type);
        const wanted = computeAnswer(model, NAMESERVERS, owner, type);
        // Twenty thousand calls of expect() take longer than all else.
        if (!isDeepStrictEqual(answer, wanted)) expect(answer, `${owner} ${type}`).toEqual(wanted);
      }
    }
    const byRows = await servedByModel(sql);
    for (const { id, name } of model) {
      const whole = sorted((await readZone(source, id))?.sets.values() ?? []);
      expect(whole, name).toEqual(byRows.get(id));
      const some = QUESTIONS.filter((_, at) => (at + families) % 3 > 0);
      const named = await source.render(id, some);
      expect(sorted(named?.sets ?? []), name).toEqual(whole.filter((set) => some.includes(set.name)));
    }
    await sql`delete from zones where id like ${`zone_f${families}n%`}`;
  });
  await fc.assert(agree, { seed: nextSeed(), numRuns: effort(50, 10), endOnFailure: true });
});

const octets = (hex: string) => hex.replaceAll(' ', '').toLowerCase();
const text = (some: string) => Buffer.from(some).toString('hex');

/** Each with the octets that its RFC gives, written by hand. */
test.each<[string, string, string, object, string]>([
  [
    'names in lower case (RFC 4034 section 6.2)',
    'WWW.Dev',
    'CNAME',
    { content: 'Host.EXAMPLE.net.' },
    `04${text('host')}07${text('example')}03${text('net')}00`,
  ],
  [
    'a quote and a backslash (RFC 1035 section 5.1)',
    'quote',
    'TXT',
    { content: '"a\\"b\\\\c"' },
    `05${text('a"b\\c')}`,
  ],
  ['octets by their decimal numbers', 'octets', 'TXT', { content: '"\\000\\065\\255"' }, '03 00 41 ff'],
  [
    'strings one by one, an empty one too',
    'parts',
    'TXT',
    { content: '"one" "" "two"' },
    `03${text('one')}00 03${text('two')}`,
  ],
  ['a letter after a backslash as itself', 'letter', 'TXT', { content: '"\\q"' }, `01${text('q')}`],
  ['the case of text', 'case', 'TXT', { content: '"MiXed"' }, `05${text('MiXed')}`],
  [
    'a priority before the name',
    'mx',
    'MX',
    { content: 'Mail.Example.net', priority: 258 },
    `0102 04${text('mail')}07${text('example')}03${text('net')}00`,
  ],
  ['no mail (RFC 7505)', 'null', 'MX', { content: '.', priority: 0 }, '0000 00'],
  ['an IPv6 address in any spelling', 'six', 'AAAA', { content: '2001:DB8:0::0:1' }, `20010db8${'0'.repeat(20)}0001`],
  ['a digest in any case', 'del', 'DS', { content: `1 13 2 ${'AB'.repeat(32)}` }, `0001 0d 02 ${'ab'.repeat(32)}`],
  [
    'a tag and a value (RFC 8659 section 4.1)',
    'caa',
    'CAA',
    { content: '128 issue "ca.example; a=\\"1\\""' },
    `80 05 ${text('issue')}${text('ca.example; a="1"')}`,
  ],
  [
    'parameters in order (RFC 9460 section 2.2)',
    'svc',
    'HTTPS',
    { content: '1 . port=8443 alpn=h2' },
    '0001 00 0001 0003 026832 0003 0002 20fb',
  ],
])('the octets of a value: %s', async (_, name, type, value, wire) => {
  if (type === 'DS') await service.record(base, name, 'NS', 'ns.example.net');
  await service.record(base, name, type, '', value);
  const sets = (await readZone(source, base.id))?.sets;
  const set = sets?.get(`${name.toLowerCase()} ${type}`);
  expect(set?.rdata.map((each) => Buffer.from(octetsOfRdata(type, each)).toString('hex'))).toEqual([octets(wire)]);
});
