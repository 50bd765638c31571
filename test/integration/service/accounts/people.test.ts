// People: the rights of a `yu_` key, personal zones, and the zones of one's teams, seen from the outside.
import { expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson, type TestPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { request, sql } = service;
const { send, says, dns } = accountApi(service);
const ada = await addPerson(service, { team: 'red', email: 'Ada@Example.org' });
const ben = await addPerson(service, { team: 'red', role: 'member' });
const eve = await addPerson(service, { team: 'blue' });
const create = async (who: { text: string }, zoneName: string, owner?: string) =>
  request('POST', '/zones', { zoneName, ...(owner === undefined ? {} : { owner }) }, who.text);
const names = async (who: { text: string }) => {
  const { zones } = (await request('GET', '/zones', undefined, who.text)).body as { zones: { zoneName: string }[] };
  return zones.map(({ zoneName }) => zoneName);
};

test("a person's key has the form yu_<keyId>_<secret>, and is not accepted under another prefix", async () => {
  expect(ada.text).toMatch(/^yu_[0-9a-f]{12}_[0-9a-f]{64}$/);
  expect(await dns({ text: ada.text.replace('yu_', 'yk_') }, 'GET', '/zones')).toBe('401 unauthorized');
  expect(await dns({ text: service.admin.text.replace('yk_', 'yu_') }, 'GET', '/zones')).toBe('401 unauthorized');
});

test("a person's key is told whose it is and which teams that is in", async () => {
  const { status, body } = await send(ada, 'GET', '');
  expect(status).toBe(200);
  expect(body).toEqual({
    key: {
      id: ada.keyId,
      name: 'test',
      records: 'write',
      manageZones: 'write',
      clusters: 'write',
      signals: [],
      onlyNames: null,
      onlyTypes: null,
      zoneWrites: null,
      recordWrites: null,
      expiresAt: null,
    },
    user: { id: ada.id, email: 'ada@example.org', name: expect.any(String), quota: expect.any(Object) },
    teams: [{ id: ada.team, name: 'red', role: 'owner' }],
  });
});

test("a person's key cannot be stored with less than the rights of the person, nor without a holder, nor with two", async () => {
  const set = (what: string) => sql.unsafe(`update api_keys set ${what} where id = '${ada.keyId}'`);
  await expect(set("records = 'read'")).rejects.toThrow('api_keys_person_whole');
  await expect(set("only_types = '{TXT}'")).rejects.toThrow('api_keys_person_whole');
  await expect(set('user_id = null')).rejects.toThrow('api_keys_one_holder');
  await expect(set(`team_id = '${ada.team}'`)).rejects.toThrow('api_keys_one_holder');
});

test("a person's key is found again for the same address in other capitals, as a further key", async () => {
  const again = await addPerson(service, { email: 'ADA@example.ORG' });
  expect(again.id).toBe(ada.id);
  expect(await dns(again, 'GET', '/zones')).toBe(200);
  expect(await dns(ada, 'GET', '/zones')).toBe(200);
});

test('a personal zone is created by a person without owner, and with "personal" (POST /zones)', async () => {
  for (const [name, owner] of [['mine.example'], ['mine2.example', 'personal']] as const) {
    const reply = await create(ada, name, owner);
    expect(reply.status).toBe(200);
    expect(reply.body).toMatchObject({ status: 'done', owner: 'personal', zoneName: name });
  }
});

test('a personal zone does not exist for any other caller: not for the team mates, not for app keys', async () => {
  const { body: zone } = await create(ada, 'diary.example');
  const redKey = await service.key({ team: 'red' });
  for (const stranger of [ben, eve, redKey, service.admin]) {
    expect(await dns(stranger, 'GET', `/zones/${zone.id}`)).toBe('404 not_found');
    expect(await dns(stranger, 'GET', `/zones/${zone.id}/records`)).toBe('404 no_zone');
    expect(await dns(stranger, 'GET', `/zones/${zone.id}/ds`)).toBe('404 no_zone');
    expect(await dns(stranger, 'DELETE', `/zones/${zone.id}`)).toBe('404 no_zone');
    expect(await dns(stranger, 'POST', `/zones/${zone.id}/park`)).toBe('404 no_zone');
    expect(
      await dns(stranger, 'POST', `/zones/${zone.id}/records`, { name: 'a', type: 'A', content: '192.0.2.1' }),
    ).toBe('404 no_zone');
    expect(await dns(stranger, 'GET', '/zones?suffix_of=www.diary.example')).toBe('404 not_found');
    expect(await names(stranger)).not.toContain('diary.example');
  }
});

test('a personal zone is the whole of its owner: records, parking, delegation data, deletion, and it is in DNS', async () => {
  const { body: zone } = await create(ada, 'whole.example');
  const path = `/zones/${zone.id}`;
  const record = await request('POST', `${path}/records`, { name: 'a', type: 'A', content: '192.0.2.9' }, ada.text);
  expect(record.status).toBe(201);
  expect((await service.dns.lookup('a.whole.example', 'A')).answers).toHaveLength(1);
  expect(await dns(ada, 'GET', '/zones?suffix_of=a.whole.example')).toBe(200);
  expect(await names(ada)).toContain('whole.example');
  expect(await dns(ada, 'POST', `${path}/park`)).toBe(200);
  expect(await dns(ada, 'POST', `${path}/unpark`)).toBe(200);
  expect(await dns(ada, 'GET', `${path}/ds`)).toBe(200);
  const owners = await sql`select user_id, team_id from changes where zone_id = ${String(zone.id)}`;
  expect(new Set(owners.map((row) => `${row.user_id} ${row.team_id}`))).toEqual(new Set([`${ada.id} null`]));
  expect(await dns(ada, 'DELETE', path)).toBe(204);
});

test('a personal zone keeps others from zones above and below it, its own person not', async () => {
  await create(ada, 'guard.example');
  expect(refusal(await create(eve, 'sub.guard.example'))).toBe('409 conflict');
  expect(refusal(await create(eve, 'guard.example'))).toBe('409 conflict');
  expect(refusal(await create(eve, 'sub.guard.example', `org:${eve.team}`))).toBe('409 conflict');
  // The same person, but the names would leave one owner for another.
  expect(refusal(await create(ada, 'sub.guard.example', `org:${ada.team}`))).toBe('409 conflict');
  expect((await create(ada, 'sub.guard.example')).status).toBe(200);
});

test('a zone of a team is created by any of its members with org:<teamId>', async () => {
  for (const [who, name] of [
    [ada, 'red1.example'],
    [ben, 'red2.example'],
  ] as [TestPerson, string][]) {
    const reply = await create(who, name, `org:${ada.team}`);
    expect(reply.body).toMatchObject({ owner: `org:${ada.team}`, zoneName: name });
  }
});

test('a zone of a team is seen and changed by all members and by the app keys of the team, by no other caller', async () => {
  const { body: zone } = await create(ada, 'shared.example', `org:${ada.team}`);
  const redKey = await service.key({ team: 'red' });
  for (const friend of [ada, ben, redKey]) {
    expect(await dns(friend, 'GET', `/zones/${zone.id}`)).toBe(200);
    expect(await names(friend)).toContain('shared.example');
    expect(await dns(friend, 'POST', `/zones/${zone.id}/park`)).toBe(200);
  }
  expect(await dns(eve, 'GET', `/zones/${zone.id}`)).toBe('404 not_found');
  expect(await names(eve)).not.toContain('shared.example');
});

test('a zone of a team is not created for a team of others or for a team that is not there, with one answer for both', async () => {
  const foreign = await create(eve, 'eve1.example', `org:${ada.team}`);
  const nobody = await create(eve, 'eve2.example', 'org:team_000000000000');
  expect(refusal(foreign)).toBe('403 forbidden');
  expect(foreign.body).toEqual(nobody.body);
});

test.each(['org:', 'team', 'ORG:x', 'user_1', 'personal '])(
  'a zone of a team with the owner "%s" is a bad request',
  async (owner) => {
    expect(refusal(await create(eve, 'eve3.example', owner))).toBe('400 bad_request');
  },
);

test('a zone of a team is lost to a person who leaves the team, at once', async () => {
  const guest = await addPerson(service, { team: 'red', role: 'member' });
  const { body: zone } = await create(guest, 'guest.example', `org:${guest.team}`);
  expect(await dns(guest, 'GET', `/zones/${zone.id}`)).toBe(200);
  expect(await says(guest, 'DELETE', `/teams/${guest.team}/members/${guest.id}`)).toBe(204);
  expect(await dns(guest, 'GET', `/zones/${zone.id}`)).toBe('404 not_found');
  expect(await dns(ada, 'GET', `/zones/${zone.id}`)).toBe(200);
});

test('a zone of a team lists page by page across all owners of a person, in one order', async () => {
  const both = await addPerson(service, { team: 'pages' });
  await create(both, 'p1.example');
  await create(both, 'p2.example', `org:${both.team}`);
  await create(both, 'p3.example');
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await request('GET', `/zones?limit=1${cursor}`, undefined, both.text);
    seen.push(...(body.zones as { zoneName: string }[]).map(({ zoneName }) => zoneName));
    if (body.next === undefined) break;
    cursor = `&cursor=${body.next}`;
  }
  expect(seen).toEqual(['p1.example', 'p2.example', 'p3.example']);
});

test.each([[undefined], ['personal'], ['first'], ['org:team_000000000000']])(
  'the owner %s is 403 for an app key (contract K4 and K11)',
  async (owner) => {
    const reply = await create(service.admin, 'app.example', owner);
    expect(refusal(reply)).toBe('403 forbidden');
    expect(reply.body.message).toContain('An app can only create zones in its own team');
  },
);
