// The records of external-dns belong to owners of its instance: instances, teams and people do not take each other's
// records.
import { expect, test } from 'vitest';
import type { Client } from '#client/client.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import { a, endpoint, startWebhook, type TestWebhook } from '../../support/external-dns/webhook.ts';
import { on, withReplies } from '../../support/service/fake-client.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const { request, sql } = service;
const key = service.admin.text;
let count = 0;

async function newZone() {
  count += 1;
  const name = `provided-${count}.example`;
  const { id } = await service.zone(name);
  const contents = async () => {
    const { body } = await request('GET', `/zones/${id}/records`);
    const records = body.records as { name: string; type: string; content: string }[];
    return records.map((record) => `${record.name} ${record.type} ${record.content}`).sort();
  };
  const owners = async () => {
    const { body } = await request('GET', `/zones/${id}/owners`);
    return (body.owners as { owner: string; name: string }[]).map((set) => `${set.owner} ${set.name}`);
  };
  return { id, name, contents, owners };
}

/** The last refusal in the log. */
const refusal = ({ lines }: TestWebhook) =>
  lines
    .map((line) => JSON.parse(line) as { code?: string; field?: string; msg: string })
    .filter(({ code }) => code !== undefined)
    .at(-1);
const namesOf = async (webhook: TestWebhook) => (await webhook.records()).map(({ dnsName }) => dnsName);

test('an instance sees, updates and deletes its own records alone', async () => {
  const zone = await newZone();
  const [one, two] = [
    await startWebhook(service, { key, ownerId: 'one' }),
    // Begins like the other id.
    await startWebhook(service, { key, ownerId: 'one-b' }),
  ];
  await service.record(zone, 'people', 'A', '192.0.2.7');
  const [first, second] = [a(`first.${zone.name}`, '192.0.2.1'), a(`second.${zone.name}`, '192.0.2.2')];
  expect(await one.change({ create: [first] })).toBe(204);
  expect(await two.change({ create: [second] })).toBe(204);
  expect(await namesOf(one)).toEqual([first.dnsName]);
  expect(await namesOf(two)).toEqual([second.dnsName]);
  const before = await zone.contents();
  // Deletions and updates of records of others change nothing, even if external-dns asks for them.
  const people = a(`people.${zone.name}`, '192.0.2.7');
  expect(await two.change({ delete: [first, people] })).toBe(204);
  expect(await zone.contents()).toEqual(before);
  const thief = a(`first.${zone.name}`, '192.0.2.66');
  expect(await two.change({ updateOld: [first], updateNew: [thief] })).toBe(500);
  expect(refusal(two)).toMatchObject({
    ...{ code: 'conflict', field: 'name' },
    msg: expect.stringContaining('the name has A records of external-dns:one/service/default/web.'),
  });
  expect(await two.change({ create: [a(`people.${zone.name}`, '192.0.2.66')] })).toBe(500);
  expect(refusal(two)?.msg).toContain('the name has A records without an owner');
  // An address of another type would reach the same clients.
  for (const type of ['AAAA', 'CNAME'])
    expect(
      await two.change({ create: [endpoint(type, first.dnsName, [type === 'AAAA' ? '2001:db8::1' : 'x.example'])] }),
    ).toBe(500);
  expect(refusal(two)).toMatchObject({ code: 'conflict' });
  expect(await zone.contents()).toEqual(before);
  expect(await zone.owners()).toEqual([
    'external-dns:one-b/service/default/web second',
    'external-dns:one/service/default/web first',
  ]);
});

test('two instances that both share add their values up, and the same value stays until the last one releases it', async () => {
  const zone = await newZone();
  const [one, two, alone] = [
    await startWebhook(service, { key, ownerId: 'east', share: true }),
    await startWebhook(service, { key, ownerId: 'west', share: true }),
    await startWebhook(service, { key, ownerId: 'alone' }),
  ];
  const [mine, theirs] = [
    { ...a(`any.${zone.name}`, '192.0.2.1', '192.0.2.9'), recordTTL: 300 },
    { ...a(`any.${zone.name}`, '192.0.2.2', '192.0.2.9'), recordTTL: 60 },
  ];
  expect(await one.change({ create: [mine] })).toBe(204);
  expect(await alone.change({ create: [a(`any.${zone.name}`, '192.0.2.9')] })).toBe(500);
  expect(await two.change({ create: [theirs] })).toBe(204);
  expect(await zone.contents()).toEqual(['any A 192.0.2.1', 'any A 192.0.2.2', 'any A 192.0.2.9']);
  // Each sees its own values and its own TTL, so that external-dns has nothing to change.
  expect(await one.records()).toMatchObject([{ targets: mine.targets, recordTTL: 300 }]);
  expect((await one.records())[0]).not.toHaveProperty('providerSpecific');
  expect(await two.records()).toMatchObject([{ targets: theirs.targets, recordTTL: 60 }]);
  expect(await one.change({ delete: [mine] })).toBe(204);
  expect(await zone.contents()).toEqual(['any A 192.0.2.2', 'any A 192.0.2.9']);
  expect(await two.change({ delete: [theirs] })).toBe(204);
  expect(await zone.contents()).toEqual([]);
  // One side alone is not enough.
  expect(await alone.change({ create: [a(`solo.${zone.name}`, '192.0.2.9')] })).toBe(204);
  expect(await two.change({ create: [a(`solo.${zone.name}`, '192.0.2.9')] })).toBe(500);
  expect(refusal(two)?.msg).toContain('belongs to external-dns:alone/service/default/web, which does not share it');
});

test('the keys of two teams reach only their own zones, also with the same id', async () => {
  const zone = await newZone();
  const stranger = await service.key({ team: 'second' });
  const theirs = await service.zone(`theirs-of-${zone.name}`, stranger);
  const [mine, other] = [
    await startWebhook(service, { key, ownerId: 'same' }),
    await startWebhook(service, { key: stranger.text, ownerId: 'same' }),
  ];
  const [www, foreign] = [a(`www.${zone.name}`, '192.0.2.1'), a(`www.${theirs.zoneName}`, '192.0.2.2')];
  // Inside of no zone for the other key: the name of a zone of team `first` is not a zone to it.
  expect(await mine.change({ create: [www, foreign] })).toBe(204);
  expect(await other.change({ create: [foreign] })).toBe(204);
  expect(await namesOf(mine)).toContain(www.dnsName);
  expect(await namesOf(other)).toEqual([foreign.dnsName]);
  expect(await other.change({ delete: [www], updateOld: [www], updateNew: [a(www.dnsName, '192.0.2.66')] })).toBe(204);
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
  // A key for some names writes and deletes those alone.
  const some = await service.key({ onlyNames: ['app*'] });
  const limited = await startWebhook(service, { key: some.text, ownerId: 'same' });
  expect(await limited.change({ delete: [www], create: [a(`app.${zone.name}`, '192.0.2.3')] })).toBe(204);
  expect(await limited.change({ create: [a(`api.${zone.name}`, '192.0.2.3')] })).toBe(500);
  expect(refusal(limited)).toMatchObject({ code: 'forbidden' });
  expect(await zone.contents()).toEqual(['app A 192.0.2.3', 'www A 192.0.2.1']);
});

test('a repeated round writes nothing, and records that others changed are repaired', async () => {
  const zone = await newZone();
  const webhook = await startWebhook(service, { key });
  const www = a(`www.${zone.name}`, '192.0.2.1', '192.0.2.2');
  expect(await webhook.change({ create: [www] })).toBe(204);
  const rows = async () => [
    await sql`select xmin::text from zones where id = ${zone.id}`,
    await sql`select xmin::text from owned_sets order by id`,
    await sql`select xmin::text from records order by id`,
    await sql`select count(*)::int as n from changes`,
  ];
  const before = await rows();
  expect(await webhook.change({ create: [www] })).toBe(204);
  expect(await webhook.change({ updateOld: [www], updateNew: [a(www.dnsName, '192.0.2.2', '192.0.2.1')] })).toBe(204);
  expect(await webhook.change({ delete: [a(`gone.${zone.name}`, '192.0.2.1')] })).toBe(204);
  expect(await rows()).toEqual(before);
  const { body } = await request('GET', `/zones/${zone.id}/records`);
  for (const { id } of body.records as { id: string }[]) await request('DELETE', `/zones/${zone.id}/records/${id}`);
  const [seen] = await webhook.records();
  expect(seen).toMatchObject({ dnsName: www.dnsName, targets: [] });
  expect(seen?.providerSpecific).toContainEqual({ name: 'zonestead/repair', value: 'true' });
  expect(await webhook.change({ updateOld: [seen as object], updateNew: [www] })).toBe(204);
  expect(await zone.contents()).toEqual(['www A 192.0.2.1', 'www A 192.0.2.2']);
});

test('a crash between the request and its answer, at any request, leaves nothing that the next round does not correct', async () => {
  const zone = await newZone();
  let lost = 0;
  /** The service applies the request, and the provider ends without the answer. */
  const losing = (client: Client): Client =>
    withReplies(
      client,
      on(applyRecords, async (input, options) => {
        await client.call(applyRecords, input, options);
        lost += 1;
        throw new Error('the connection was lost');
      }),
    );
  const dying = await startWebhook(service, { key, ownerId: 'crash', through: losing });
  const next = await startWebhook(service, { key, ownerId: 'crash' });
  const old = endpoint('CNAME', `www.${zone.name}`, ['x.example'], { labels: { resource: 'service/one/old' } });
  const wanted = endpoint('A', old.dnsName, ['192.0.2.1'], { labels: { resource: 'service/two/new' } });
  expect(await dying.change({ create: [old] })).toBe(503);
  expect(await next.records()).toMatchObject([{ recordType: 'CNAME', targets: ['x.example'] }]);
  expect(await dying.change({ delete: [old], create: [wanted] })).toBe(503);
  expect(lost).toBe(2);
  // external-dns, which has not heard the answer, either repeats the changes or reads the records first.
  expect(await next.change({ delete: [old], create: [wanted] })).toBe(204);
  expect(await next.records()).toMatchObject([{ recordType: 'A', targets: ['192.0.2.1'] }]);
  expect(await zone.owners()).toEqual(['external-dns:crash/service/two/new www']);
});

test('a name moves from one object to another with its value, and its first owner keeps nothing', async () => {
  const zone = await newZone();
  const webhook = await startWebhook(service, { key, ownerId: 'move' });
  const [from, to] = ['service/one/web', 'ingress/two/web'].map((resource) =>
    endpoint('A', `www.${zone.name}`, ['192.0.2.1'], { labels: { resource } }),
  ) as [object, object];
  await webhook.change({ create: [from] });
  expect(await webhook.change({ updateOld: [from], updateNew: [to] })).toBe(204);
  expect(await zone.owners()).toEqual(['external-dns:move/ingress/two/web www']);
  expect(await zone.contents()).toEqual(['www A 192.0.2.1']);
});

test('existing records without an owner are adopted only if that is on, and only if they are identical', async () => {
  const zone = await newZone();
  await service.record(zone, 'same', 'A', '192.0.2.1', { ttl: 300 });
  await service.record(zone, 'more', 'A', '192.0.2.1', { ttl: 300 });
  await service.record(zone, 'more', 'A', '192.0.2.2', { ttl: 300 });
  const wanted = (name: string) => ({ ...a(`${name}.${zone.name}`, '192.0.2.1'), recordTTL: 300 });
  const never = await startWebhook(service, { key, ownerId: 'adopter' });
  expect(await never.change({ create: [wanted('same')] })).toBe(500);
  const adopter = await startWebhook(service, { key, ownerId: 'adopter', adopt: true });
  expect(await adopter.change({ create: [{ ...wanted('same'), recordTTL: 60 }] })).toBe(500);
  expect(await adopter.change({ create: [wanted('same')] })).toBe(204);
  expect(await adopter.change({ create: [wanted('more')] })).toBe(500);
  expect(await zone.owners()).toEqual(['external-dns:adopter/service/default/web same']);
  expect(await adopter.change({ delete: [wanted('same'), wanted('more')] })).toBe(204);
  expect(await zone.contents()).toEqual(['more A 192.0.2.1', 'more A 192.0.2.2']);
});

test('a round that deletes more than half of everything deletes nothing, and the rest of it is applied', async () => {
  const [zone, second] = [await newZone(), await newZone()];
  const webhook = await startWebhook(service, { key, ownerId: 'brake' });
  const names = Array.from({ length: 24 }, (_, at) => a(`h${at}.${zone.name}`, '192.0.2.1'));
  const others = Array.from({ length: 20 }, (_, at) => a(`h${at}.${second.name}`, '192.0.2.1'));
  expect(await webhook.change({ create: [...names, ...others] })).toBe(204);
  const fresh = a(`fresh.${zone.name}`, '192.0.2.1');
  // 24 of 44.
  expect(await webhook.change({ delete: names, create: [fresh] })).toBe(500);
  expect(webhook.lines.join('')).toContain('wants to delete 24 of 44 sets of records; nothing was deleted');
  expect(await zone.contents()).toHaveLength(25);
  // 22 of 45 are fewer than half, although they are almost all of one zone.
  expect(await webhook.change({ delete: names.slice(0, 22) })).toBe(204);
  expect(await zone.contents()).toHaveLength(3);
  // With those of the rounds before, it is more than half.
  expect(await webhook.change({ delete: names.slice(22) })).toBe(500);
  expect(webhook.lines.join('')).toContain('to delete 2 of 23 sets of records, after 22 others in the last minutes');
  expect(await zone.contents()).toHaveLength(3);
  // Names that only change their type are not deleted.
  const aliases = others.map(({ dnsName }) => endpoint('CNAME', dnsName, ['x.example']));
  expect(await webhook.change({ delete: others, create: aliases })).toBe(204);
  const rest = await webhook.records();
  expect(await webhook.change({ delete: rest })).toBe(500);
  const willing = await startWebhook(service, { key, ownerId: 'brake', massDeletion: true });
  expect(await willing.change({ delete: rest })).toBe(204);
  expect(await zone.contents()).toEqual([]);
  expect(await second.contents()).toEqual([]);
});

test('an entry of the TXT registry exists only for a record that was accepted', async () => {
  const zone = await newZone();
  await service.record(zone, 'taken', 'A', '192.0.2.1');
  const webhook = await startWebhook(service, { key, ownerId: 'txt' });
  const entry = (dnsName: string, name: string) =>
    endpoint('TXT', name, ['"heritage=external-dns,external-dns/owner=txt"'], { labels: { ownedRecord: dnsName } });
  const [taken, free] = [a(`taken.${zone.name}`, '192.0.2.2'), a(`free.${zone.name}`, '192.0.2.2')];
  const entries = [entry(taken.dnsName, `a-taken.${zone.name}`), entry(free.dnsName, `a-free.${zone.name}`)];
  expect(await webhook.change({ create: [taken, free, ...entries] })).toBe(500);
  const names = (await zone.contents()).map((line) => line.split(' ').slice(0, 2).join(' '));
  expect(names).toEqual(['a-free TXT', 'free A', 'taken A']);
  expect(await webhook.change({ delete: [free, ...entries] })).toBe(204);
  expect(await zone.contents()).toEqual(['taken A 192.0.2.1']);
});
