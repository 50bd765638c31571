// The name of a deleted zone is kept for its former owner for some time, with the names above and below it.
import { expect, test } from 'vitest';
import { adminReleaseName } from '#service/zones/quarantine.ts';
import { refusal } from '../../../support/http/requests.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const off = await service.anotherApi({ settings: { ZONESTEAD_QUARANTINE_HOURS: '0' } });
const { request, sql, admin } = service;
const second = await service.key({ team: 'second' });

const create = async (zoneName: string, key = second, api = request) => {
  const reply = await api('POST', '/zones', { zoneName, owner: `org:${key.team}` }, key.text);
  return { reply, says: reply.status < 300 ? reply.status : refusal(reply) };
};
const remove = (id: string, key = admin, api = request) => api('DELETE', `/zones/${id}`, undefined, key.text);

test.each([
  ['the name itself', 'dev.one.kept.example'],
  ['a name above', 'kept.example'],
  ['a name below', 'a.dev.one.kept.example'],
])('another team gets 409 for %s, and the former team is not named', async (_, zoneName) => {
  const zone = await service.zone('dev.one.kept.example');
  expect((await remove(zone.id)).status).toBe(204);
  const { reply, says } = await create(zoneName);
  expect(says).toBe('409 conflict');
  expect(reply.text).not.toContain(admin.team);
  expect(reply.text).not.toContain('first');
  // 72 hours, said to the second.
  const until = /until (\S+Z)/.exec(reply.body.message as string)?.[1] ?? '';
  const hours = (Date.parse(until) - Date.now()) / 3_600_000;
  expect([hours > 71.9, hours <= 72]).toEqual([true, true]);
});

test('another team can take a sibling name', async () => {
  const zone = await service.zone('one.beside.example');
  await remove(zone.id);
  expect((await create('two.beside.example')).says).toBe(200);
  expect((await create('xone.beside.example')).says).toBe(200);
});

test('the former team can make the zone again at once, as often as it likes', async () => {
  for (let time = 0; time < 3; time += 1) {
    const zone = await service.zone('again.example');
    expect((await remove(zone.id)).status).toBe(204);
  }
  await service.zone('a.again.example');
  expect((await create('again.example')).says).toBe('409 conflict');
});

test('a person keeps the name of a personal zone, also from a team of its own', async () => {
  const person = await addPerson(service, { team: 'third' });
  const send = (owner: string) => request('POST', '/zones', { zoneName: 'own.personal.example', owner }, person.text);
  const first = await send('personal');
  await request('DELETE', `/zones/${first.body.id}`, undefined, person.text);
  expect(refusal(await send(`org:${person.team}`))).toBe('409 conflict');
  expect((await send('personal')).status).toBe(200);
});

test('the quarantine ends automatically', async () => {
  const zone = await service.zone('ends.example');
  await remove(zone.id);
  expect((await create('ends.example')).says).toBe('409 conflict');
  await sql`update quarantined_names set until = now() where name = 'ends.example'`;
  expect((await create('ends.example')).says).toBe(200);
});

test('an administrator of the service can end the quarantine, which is in the history of the team', async () => {
  const zone = await service.zone('released.example');
  await remove(zone.id);
  expect(await adminReleaseName(service.database.url, 'Released.Example.', new Date())).toBe('released.example');
  expect((await create('released.example')).says).toBe(200);
  await expect(adminReleaseName(service.database.url, 'released.example', new Date())).rejects.toThrow(
    'the name released.example is not in quarantine',
  );
  const rows = await sql`select team_id, key_id from account_changes where action = 'name.release'`;
  expect(rows).toEqual([{ team_id: admin.team, key_id: null }]);
});

test('the setting 0 keeps no name, and heeds none', async () => {
  const kept = await service.zone('heeded.off.example');
  await remove(kept.id);
  expect((await create('heeded.off.example', second, off.request)).says).toBe(200);
  const zone = await service.zone('free.off.example');
  await remove(zone.id, admin, off.request);
  expect((await create('free.off.example')).says).toBe(200);
});

test('one owner keeps the newest thousand names', async () => {
  const third = await service.key({ team: 'fourth' });
  await sql`
    insert into quarantined_names (name, tree, team_id, until)
    select 'n' || i || '.many.example', 'example many n' || i, ${third.team}, now() + i * interval '1 minute'
    from generate_series(1, 1000) i`;
  const zone = await service.zone('newest.many.example', third);
  await sql`update quarantined_names set until = now() + interval '1 hour' where team_id = ${third.team} and name = 'n1.many.example'`;
  await remove(zone.id, third);
  const rows = await sql`select name from quarantined_names where team_id = ${third.team}`;
  expect(rows).toHaveLength(1_000);
  expect(rows.some(({ name }) => name === 'newest.many.example')).toBe(true);
  expect(rows.some(({ name }) => name === 'n2.many.example')).toBe(false);
});
