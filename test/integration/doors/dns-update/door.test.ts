// The port of DNS updates: answers, history, replayed messages, and the records that are served afterwards.
import { randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import type { DnsRecord } from '#contract/record.ts';
import { META } from '#dns/message/message.ts';
import { signRequest } from '#dns/message/tsig.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { exchange, readReply, update, updateKey } from '../../../support/doors/dns-update/client.ts';
import { change, type Entry, updateMessage, when } from '../../../support/doors/dns-update/message.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const { signal } = new AbortController();
const port = service.updatePort();
const key = await updateKey(service);

/** An OPT record of a client that takes answers of 1232 octets. */
const OPT: Entry = { name: '', type: META.OPT, class: 1232, ttl: 0, rdata: new Uint8Array() };
const now = () => Math.floor(Date.now() / 1000);

async function records(zone: { id: string }): Promise<string[]> {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`);
  return (body as { records: DnsRecord[] }).records.map(
    ({ name, ttl, type, content }) => `${name} ${ttl} ${type} ${content}`,
  );
}

test('an update adds records over UDP and TCP, which are then served', async () => {
  const { zoneName: zone } = await service.zone();
  const www = change.add(`www.${zone}`, 300, 'A', '192.0.2.1');
  expect(await update(port, key, { zone, changes: [www] })).toMatchObject({
    rcode: 'NOERROR',
    isSigned: true,
    text: null,
  });
  const mail = change.add(zone, 300, 'MX', '10 mail.example.net.');
  expect(await update(port, key, { zone, changes: [mail] }, { tcp: true })).toMatchObject({
    rcode: 'NOERROR',
    isSigned: true,
  });
  expect((await service.dns.lookup(`www.${zone}`, 'A')).answers).toEqual([`www.${zone} 300 A 192.0.2.1`]);
  expect((await service.dns.lookup(zone, 'MX')).answers).toHaveLength(1);
});

test('an update is one change in the history, with one serial and the name of its key', async () => {
  const zone = await service.zone();
  const { zoneName: name } = zone;
  await service.record(zone, 'old', 'A', '192.0.2.9');
  const changes = [
    change.deleteName(`old.${name}`),
    change.add(`new.${name}`, 300, 'A', '192.0.2.1'),
    change.add(`new.${name}`, 300, 'A', '192.0.2.2'),
  ];
  expect(await update(port, key, { zone: name, changes })).toMatchObject({ rcode: 'NOERROR' });
  const { body } = await service.request('GET', `/zones/${zone.id}/changes`);
  const [one, two, three] = (body as { changes: { serial: number; action: string; key: { id: string } }[] }).changes;
  expect([one, two, three].map((each) => each?.action).sort()).toEqual([
    'record.create',
    'record.create',
    'record.delete',
  ]);
  expect(new Set([one, two, three].map((each) => each?.serial)).size).toBe(1);
  expect(JSON.stringify(one)).toContain(key.id);
});

test('an update with prerequisites alone tells whether they are met, and writes nothing', async () => {
  const zone = await service.zone();
  const { zoneName: name, serial } = zone;
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const ask = async (entry: Entry) => (await update(port, key, { zone: name, prerequisites: [entry] })).rcode;
  expect(await ask(when.used(`www.${name}`))).toBe('NOERROR');
  expect(await ask(when.unused(`www.${name}`))).toBe('YXDOMAIN');
  expect(await ask(when.used(`none.${name}`))).toBe('NXDOMAIN');
  expect(await ask(when.exists(name, 'SOA'))).toBe('NOERROR');
  expect(await ask(when.used(name))).toBe('NOERROR');
  const [first, second] = NAMESERVERS;
  const both = [when.is(name, 'NS', `${first}.`), when.is(name, 'NS', `${second}.`)];
  expect(await update(port, key, { zone: name, prerequisites: both })).toMatchObject({ rcode: 'NOERROR' });
  expect(await ask(when.is(name, 'NS', `${first}.`))).toBe('NXRRSET');
  const after = (await service.request('GET', `/zones/${zone.id}`)).body as { serial: number };
  expect(after.serial).toBe((await service.request('GET', `/zones/${zone.id}`)).body.serial);
  expect(after.serial).toBeGreaterThan(serial as number);
});

test('an update with a TTL out of range is accepted with the nearest one, and a client with EDNS is told', async () => {
  const zone = await service.zone();
  const { zoneName: name } = zone;
  const changes = [
    change.add(`a.${name}`, 5, 'A', '192.0.2.1'),
    change.add(`b.${name}`, 2 ** 31 - 1, 'A', '192.0.2.1'),
  ];
  const text = 'A TTL was moved into the range of the service, 30 to 86400 seconds.';
  expect(await update(port, key, { zone: name, changes, additional: [OPT] })).toMatchObject({
    rcode: 'NOERROR',
    text,
  });
  expect(await records(zone)).toEqual(['a 30 A 192.0.2.1', 'b 86400 A 192.0.2.1']);
});

test('an update that concerns the own SOA and NS records does nothing if it changes nothing, and is refused otherwise', async () => {
  const zone = await service.zone();
  const { zoneName: name } = zone;
  const [first, second] = NAMESERVERS;
  const send = (...changes: Entry[]) => update(port, key, { zone: name, changes });
  const soa = (serial: number, mailbox = 'hostmaster.zonestead.test.') =>
    change.add(name, 300, 'SOA', `${first}. ${mailbox} ${serial} 10800 3600 604800 60`);
  for (const entry of [
    soa(1),
    soa(4_000_000_000),
    change.add(name, 60, 'NS', `${second}.`),
    change.delete(name, 'NS', 'unknown.example.net.'),
    change.deleteRrset(name, 'NS'),
    change.deleteRrset(name, 'SOA'),
    change.deleteName(name),
  ]) {
    expect(await send(entry)).toMatchObject({ rcode: 'NOERROR' });
  }
  const announced = 'dnscontrol.invalid.';
  expect(await send(change.add(name, 60, 'NS', announced), change.delete(name, 'NS', announced))).toMatchObject({
    rcode: 'NOERROR',
  });
  for (const entry of [
    soa(1, 'another.zonestead.test.'),
    change.add(name, 60, 'NS', 'ns.example.net.'),
    change.delete(name, 'NS', `${first}.`),
    change.addOctets(name, 60, 'DNSKEY', Uint8Array.of(1, 1, 3, 13, 0, 0)),
    change.deleteRrset(name, 'DNSKEY'),
    change.deleteRrset(`a.${name}`, 'RRSIG'),
  ]) {
    const text = expect.stringMatching(/made by the service itself|makes these records itself/);
    expect(await send(entry)).toMatchObject({ rcode: 'REFUSED', text, isSigned: true });
  }
  expect(await records(zone)).toEqual([]);
});

test('an update that a rule of the service forbids is refused as a whole, with the sentence of the REST API', async () => {
  const zone = await service.zone();
  const { zoneName: name } = zone;
  await service.record(zone, 'sub', 'NS', 'ns.example.net.');
  const post = await service.request('POST', `/zones/${zone.id}/records`, {
    name: 'a.sub',
    type: 'TXT',
    content: '"x"',
  });
  expect(post.status).toBe(409);
  const changes = [change.add(`good.${name}`, 60, 'A', '192.0.2.1'), change.add(`a.sub.${name}`, 60, 'TXT', '"x"')];
  const reply = await update(port, key, { zone: name, changes });
  expect(reply).toMatchObject({ rcode: 'REFUSED', isSigned: true });
  expect(post.body.message).toContain(reply.text);
  expect(await records(zone)).toHaveLength(1);
});

test('an update has at most 1000 changes', async () => {
  const zone = await service.zone();
  const many = Array.from({ length: 1_001 }, (_, index) => change.deleteName(`n${index}.${zone.zoneName}`));
  const send = (changes: Entry[]) => update(port, key, { zone: zone.zoneName, changes }, { tcp: true });
  expect(await send(many)).toMatchObject({ rcode: 'REFUSED', text: expect.stringContaining('1000') });
  expect(await send(many.slice(1))).toMatchObject({ rcode: 'NOERROR' });
});

test('a repeated message gets the same answer, and changes nothing, also from another replica', async () => {
  const zone = await service.zone();
  const message = updateMessage({
    id: randomInt(0x1_0000),
    zone: zone.zoneName,
    prerequisites: [when.unused(`www.${zone.zoneName}`)],
    changes: [change.add(`www.${zone.zoneName}`, 300, 'A', '192.0.2.1')],
  });
  const request = signRequest(message, key, now());
  const first = await exchange(port, request);
  expect(readReply(first, request, key)).toMatchObject({ rcode: 'NOERROR' });
  expect(await exchange(port, request)).toEqual(first);
  const update_ = await service.request('GET', `/zones/${zone.id}/records`);
  const [record] = (update_.body as { records: DnsRecord[] }).records;
  await service.request('DELETE', `/zones/${zone.id}/records/${record?.id}`);
  const other = await service.anotherApi();
  for (const each of [port, service.updatePort(other.url)]) {
    expect(readReply(await exchange(each, request), request, key)).toMatchObject({
      rcode: 'NOERROR',
      isSigned: true,
    });
  }
  expect(await records(zone)).toEqual([]);
});

test('a repeated message gets the answer of the first one, also if its prerequisite would be met now', async () => {
  const zone = await service.zone();
  const message = updateMessage({
    zone: zone.zoneName,
    prerequisites: [when.used(`www.${zone.zoneName}`)],
    changes: [change.deleteName(`www.${zone.zoneName}`)],
  });
  const request = signRequest(message, key, now());
  expect(readReply(await exchange(port, request), request, key)).toMatchObject({ rcode: 'NXDOMAIN' });
  await service.record(zone, 'www', 'A', '192.0.2.1');
  const other = await service.anotherApi();
  for (const each of [port, service.updatePort(other.url)]) {
    expect(readReply(await exchange(each, request), request, key)).toMatchObject({ rcode: 'NXDOMAIN' });
  }
  expect(await records(zone)).toHaveLength(1);
});

test('a repeated message that was refused is refused again, even if the reason is gone', async () => {
  const zone = await service.zone();
  const cut = await service.record(zone, 'sub', 'NS', 'ns.example.net.');
  const changes = [change.add(`a.sub.${zone.zoneName}`, 60, 'TXT', '"x"')];
  const request = signRequest(updateMessage({ zone: zone.zoneName, changes }), key, now());
  const first = await exchange(port, request);
  expect(readReply(first, request, key)).toMatchObject({ rcode: 'REFUSED', isSigned: true });
  await service.request('DELETE', `/zones/${zone.id}/records/${cut.id}`);
  expect(await exchange(port, request)).toEqual(first);
  expect(await records(zone)).toEqual([]);
  // A new message with the same changes is not a repetition.
  expect(await update(port, key, { zone: zone.zoneName, changes })).toMatchObject({ rcode: 'NOERROR' });
});

test('a repeated message that comes while the first one is in progress takes effect once', async () => {
  const zone = await service.zone();
  const message = updateMessage({
    zone: zone.zoneName,
    changes: [change.add(`www.${zone.zoneName}`, 300, 'A', '192.0.2.1')],
  });
  const request = signRequest(message, key, now());
  const other = service.updatePort((await service.anotherApi()).url);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => exchange(index % 2 ? port : other, request)),
  );
  for (const answer of answers) expect(readReply(answer, request, key)).toMatchObject({ rcode: 'NOERROR' });
  const { body } = await service.request('GET', `/zones/${zone.id}/changes`);
  expect(
    (body as { changes: { action: string }[] }).changes.filter(({ action }) => action === 'record.create'),
  ).toHaveLength(1);
});

test('50 challenges at one name are all accepted, and each is served when its client is told so', async () => {
  const { zoneName: zone } = await service.zone();
  const name = `_acme-challenge.${zone}`;
  const values = Array.from({ length: 50 }, (_, index) => `"challenge-${index}"`);
  const at = { address: service.knot.address, port: service.knot.port };
  const one = async (value: string, index: number) => {
    const changes = [change.add(name, 60, 'TXT', value)];
    const { rcode } = await update(port, key, { zone, changes }, { tcp: index % 2 === 0 });
    // As a certificate authority does that is told at once.
    const { answers } = await ask(at, { name, type: 'TXT' }, { signal });
    const texts = answers.map(({ rdata }) => `"${Buffer.from(rdata.subarray(1)).toString()}"`);
    return [rcode, texts.includes(value)];
  };
  expect(await Promise.all(values.map(one))).toEqual(values.map(() => ['NOERROR', true]));
  const { answers } = await service.dns.lookup(name, 'TXT', { tcp: true });
  expect(answers.sort()).toEqual(values.map((value) => `${name} 60 TXT ${value}`).sort());
});

test('an update of a zone that another one holds is answered SERVFAIL, and succeeds later', async () => {
  const zone = await service.zone();
  const { url } = await service.anotherApi({ busyAfterMs: 200 });
  const changes = [change.add(`www.${zone.zoneName}`, 300, 'A', '192.0.2.1')];
  const message = signRequest(updateMessage({ zone: zone.zoneName, changes }), key, now());
  const send = async () => readReply(await exchange(service.updatePort(url), message), message, key);
  await service.sql.begin(async (sql) => {
    await sql`select from zones where id = ${zone.id} for update`;
    expect(await send()).toMatchObject({ rcode: 'SERVFAIL', isSigned: true, text: expect.stringContaining('busy') });
  });
  expect(await send()).toMatchObject({ rcode: 'NOERROR' });
  expect(await records(zone)).toHaveLength(1);
});
