// The signed zone as a whole, as the name server holds and transfers it: compared record by record with the API's list,
// and verified by ldns.
import { expect, test } from 'vitest';
import { expectServedSerial } from '../../../support/dns/answers.ts';
import { verifyZone, zoneText } from '../../../support/dns/check-zones.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const stateDir = await temporaryFolder('signed-zone');
const HASH = 'ab'.repeat(32);

/** Name, type, content as sent, and the content in a zone file if it differs. */
const RECORDS = [
  ['www', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.2'],
  ['www', 'AAAA', '2001:db8::1'],
  ['@', 'CAA', '0 issue "ca.example"'],
  ['ftp', 'CNAME', 'www.moved.test', 'www.moved.test.'],
  ['sub', 'NS', 'ns.sub.moved.test', 'ns.sub.moved.test.'],
  ['sub', 'DS', `12345 13 2 ${HASH}`],
  ['ns.sub', 'A', '192.0.2.53'],
  ['@', 'HTTPS', '1 . alpn="h2,h3" ipv4hint=192.0.2.1'],
  ['alias', 'HTTPS', '0 www.moved.test', '0 www.moved.test.'],
  ['@', 'MX', 'mail.example.net', '10 mail.example.net.'],
  ['nomail', 'MX', '.', '0 .'],
  ['10', 'PTR', 'host.example.net', 'host.example.net.'],
  ['_sip._tcp', 'SRV', '10 60 5060 sip.example.net', '10 60 5060 sip.example.net.'],
  ['_443._tcp.www', 'TLSA', `3 1 1 ${HASH}`],
  ['*.dev', 'TXT', '"one" "two"'],
  ['deep.empty.between', 'TXT', 'v=spf1 -all', '"v=spf1 -all"'],
] as const;

interface Line {
  owner: string;
  ttl: string;
  type: string;
  data: string;
}

/** All records of the zone, as a zone file that ldns reads too. */
async function transfer(zone: string): Promise<{ text: string; lines: Line[] }> {
  await service.settled();
  const text = await zoneText(service.knot.control, zone);
  const lines = text.split('\n').flatMap((line) => {
    const [, owner, ttl, type, data] = /^(\S+)\s+(\d+)\s+IN\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    return owner && ttl && type && data ? [{ owner: owner.replace(/\.$/, ''), ttl, type, data }] : [];
  });
  return { text, lines };
}

const sorted = (lines: readonly string[]) => [...lines].sort();
const spelled = (type: string, data: string) => {
  // dig prints hashes in capitals and in parts, and SvcParams with or without quotes.
  if (['DS', 'TLSA'].includes(type)) return data.toLowerCase().replace(/([0-9a-f]{32,}) (?=[0-9a-f])/g, '$1');
  return type === 'HTTPS' ? data.replaceAll('"', '') : data;
};

test('a transfer of all 13 types contains exactly the records of the list, and verifies as a signed zone', async () => {
  const zone = await service.zone('moved.test');
  for (const [name, type, content] of RECORDS) {
    await service.record(zone, name, type, content, type === 'MX' && content === '.' ? { priority: 0 } : {});
  }
  const child = await service.zone('child.moved.test');
  // Below a delegation to another server: part of the zone, but never answered (occluded, RFC 5936 section 3.5).
  const deep = await service.zone('deep.sub.moved.test');
  await service.record(zone, 'lb', 'ALIAS', 'pool.example.net', { ttl: 60 });
  // No resolver answers. When it has failed, the row is the test's own.
  const failures = async () => (await service.sql`select failures from alias_answers`)[0]?.failures;
  await expect.poll(failures).toBeGreaterThan(0);
  await service.sql`
    with answered as (update alias_answers
      set ipv4 = ${['192.0.2.80']}, ipv6 = ${['2001:db8::80']}, ttl = 300, due_at = now() + interval '1 day')
    update zones set serial = serial + 1, changed_xid = pg_current_xact_id() where id = ${zone.id}`;

  const { text, lines } = await transfer('moved.test');
  const own = new Set(['SOA', 'RRSIG', 'NSEC', 'DNSKEY', 'CDS', 'CDNSKEY', 'NSEC3PARAM']);
  const found = lines.filter(({ type }) => !own.has(type));
  const absolute = (name: string) => (name === '@' ? 'moved.test' : `${name}.moved.test`);
  const { records } = (await service.request('GET', `/zones/${zone.id}/records`)).body;
  const listed = (records as { name: string; type: string; content: string }[]).map(
    ({ name, type, content }) => `${name} ${type} ${content}`,
  );
  const sent = RECORDS.map(([name, type, content]) => `${name} ${type} ${content}`);
  expect(sorted(listed)).toEqual(sorted([...sent, 'lb ALIAS pool.example.net']));
  const wanted = [
    ...RECORDS.map(([name, type, sent, file = sent]) => `${absolute(name)} 3600 ${type} ${spelled(type, file)}`),
    'lb.moved.test 60 A 192.0.2.80',
    'lb.moved.test 60 AAAA 2001:db8::80',
    ...['moved.test', 'child.moved.test', 'deep.sub.moved.test'].flatMap((owner) =>
      NAMESERVERS.map((host) => `${owner} 3600 NS ${host}.`),
    ),
    ...[child, deep].flatMap(({ zoneName, ds }) =>
      ds.map(
        (each) =>
          `${zoneName} 3600 DS ${each.keyTag} ${each.algorithm} ${each.digestType} ${each.digest.toLowerCase()}`,
      ),
    ),
  ];
  expect(sorted(found.map(({ owner, ttl, type, data }) => `${owner} ${ttl} ${type} ${spelled(type, data)}`))).toEqual(
    sorted(wanted),
  );
  const serial = (await service.request('GET', `/zones/${zone.id}`)).body.serial;
  const soa = lines.filter(({ type }) => type === 'SOA');
  expect(soa.map(({ owner }) => owner)).toEqual(['moved.test']);
  expectServedSerial(Number(soa[0]?.data.split(' ')[2]), serial);
  for (const type of ['DNSKEY', 'CDS', 'CDNSKEY']) expect(lines.map((line) => line.type)).toContain(type);
  expect(await verifyZone(text, stateDir)).toMatch(/Zone is verified and complete/);
  // The verification can fail: one more address without a signature.
  expect(await verifyZone(`${text}\nwww.moved.test. 3600 IN A 192.0.2.99\n`, stateDir)).not.toMatch(
    /verified and complete/,
  );
});

test('each RRset of a transfer has one TTL, the lowest of its records (RFC 2181 section 5.2)', async () => {
  const zone = await service.zone('mixed.test');
  await service.record(zone, 'www', 'A', '192.0.2.1', { ttl: 600 });
  await service.record(zone, 'www', 'A', '192.0.2.2', { ttl: 120 });
  await service.record(zone, 'www', 'A', '192.0.2.3');
  await service.record(zone, 'www', 'TXT', 'another set', { ttl: 60 });
  const { lines } = await transfer('mixed.test');
  const found = lines.filter(({ owner, type }) => owner === 'www.mixed.test' && (type === 'A' || type === 'TXT'));
  expect(sorted(found.map(({ ttl, type, data }) => `${ttl} ${type} ${data}`))).toEqual([
    '120 A 192.0.2.1',
    '120 A 192.0.2.2',
    '120 A 192.0.2.3',
    '60 TXT "another set"',
  ]);
});

test('the transfer of a parked zone has its apex and the delegations of hosted zones, and verifies', async () => {
  const zone = await service.zone('still.test');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.zone('child.still.test');
  await service.request('POST', `/zones/${zone.id}/park`);
  const { text, lines } = await transfer('still.test');
  const names = new Set(lines.map(({ owner }) => owner));
  expect(sorted([...names])).toEqual(['child.still.test', 'still.test']);
  expect(await verifyZone(text, stateDir)).toMatch(/Zone is verified and complete/);
});
