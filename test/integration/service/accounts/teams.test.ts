// /v1/account/teams and their members: every route and refusal, from the outside.
import { describe, expect, test } from 'vitest';
import { refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { send, says } = accountApi(service);
const owner = await addPerson(service, { team: 'red' });
const member = await addPerson(service, { team: 'red', role: 'member' });
const stranger = await addPerson(service, { team: 'blue' });
const red = `/teams/${owner.team}`;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const someone = `${red}/members/${owner.id}`;
test.each([
  ['GET', '/teams', undefined],
  ['POST', '/teams', { name: 'mine' }],
  ['GET', red, undefined],
  ['PATCH', red, { name: 'mine' }],
  ['GET', `${red}/changes`, undefined],
  ['GET', `${red}/members`, undefined],
  ['POST', `${red}/members`, { email: stranger.email }],
  ['PATCH', someone, { role: 'member' }],
  ['DELETE', someone, undefined],
  ['GET', `${red}/keys`, undefined],
  ['POST', `${red}/keys`, { name: 'more', records: 'write' }],
  ['GET', `${red}/keys/x`, undefined],
  ['PATCH', `${red}/keys/x`, { records: 'write' }],
  ['DELETE', `${red}/keys/x`, undefined],
  // Refused before anything else is looked at.
  ['POST', '/teams', { nonsense: 1 }],
] as const)('an app key is refused %s %s with 403, even of its own team', async (method, path, body) => {
  const own = await service.key({ team: 'red' });
  expect(await says(own, method, path, body)).toBe('403 forbidden');
});

test('an app key is told who it is', async () => {
  expect(await says(service.admin, 'GET', '')).toBe(200);
});

test('no key at all is 401 everywhere', async () => {
  for (const path of ['', '/teams', red, `${red}/members`, `${red}/keys`]) {
    expect(await says({ text: 'yu_0_0' }, 'GET', path)).toBe('401 unauthorized');
  }
});

test('a person creates a team and is its owner; the list shows its own only', async () => {
  const created = await send(stranger, 'POST', '/teams', { name: 'Grün & Söhne' });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^team_[0-9a-f]{12}$/),
    name: 'Grün & Söhne',
    role: 'owner',
    createdAt: expect.stringMatching(ISO),
  });
  const { body } = await send(stranger, 'GET', '/teams');
  expect((body.teams as { name: string; role: string }[]).map(({ name, role }) => [name, role])).toEqual([
    ['Grün & Söhne', 'owner'],
    ['blue', 'owner'],
  ]);
  expect(await says(stranger, 'GET', `/teams/${created.body.id}`)).toBe(200);
  expect(await says(owner, 'GET', `/teams/${created.body.id}`)).toBe('404 not_found');
});

test('the name of a team that is taken is a conflict, for a new team and for a renamed one', async () => {
  expect(await says(stranger, 'POST', '/teams', { name: 'red' })).toBe('409 conflict');
  expect(await says(stranger, 'PATCH', `/teams/${stranger.team}`, { name: 'red' })).toBe('409 conflict');
});

test.each([[{}], [{ name: '' }], [{ name: ' x' }], [{ name: 'x '.repeat(40) }], [{ name: 'a\nb' }], [{ name: 'a\0' }]])(
  'the name of a team in %j is a bad request',
  async (body) => {
    expect(await says(stranger, 'POST', '/teams', body)).toBe('400 bad_request');
  },
);

test('unknown fields of a team are refused', async () => {
  expect(await says(stranger, 'POST', '/teams', { name: 'fine', owner: 'me' })).toBe('400 bad_request');
});

test('an owner renames a team; a member may not; for others the team is not there', async () => {
  expect(await says(member, 'PATCH', red, { name: 'crimson' })).toBe('403 forbidden');
  expect(await says(stranger, 'PATCH', red, { name: 'crimson' })).toBe('404 not_found');
  const renamed = await send(owner, 'PATCH', red, { name: 'crimson' });
  expect(renamed.body).toMatchObject({ id: owner.team, name: 'crimson', role: 'owner' });
  expect(await says(owner, 'PATCH', red, { name: 'red' })).toBe(200);
});

test('a POST that is repeated with its Idempotency-Key makes one team', async () => {
  const post = () =>
    service.request('POST', '/../account/teams', { name: 'once' }, stranger.text, { 'idempotency-key': 'team-1' });
  const [first, second] = [await post(), await post()];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
});

test.each([
  ['GET', '', undefined],
  ['GET', '/changes', undefined],
  ['GET', '/members', undefined],
  ['POST', '/members', { email: 'person1@example.org', role: 'owner' }],
  ['PATCH', '/members/x', { role: 'owner' }],
  ['DELETE', '/members/x', undefined],
  ['GET', '/keys', undefined],
  ['POST', '/keys', { name: 'x' }],
  ['GET', '/keys/x', undefined],
  ['PATCH', '/keys/x', { name: 'x' }],
  ['DELETE', '/keys/x', undefined],
] as const)("%s %s answers the same for another person's team as for an id of nothing", async (method, path, body) => {
  const foreign = await send(stranger, method, `${red}${path}`, body);
  const nothing = await send(stranger, method, `/teams/team_0${path}`, body);
  expect(refusal(foreign)).toBe('404 not_found');
  expect(foreign.body).toEqual(nothing.body);
});

test.each(['%00', 'x'.repeat(400), "'--", '%2e%2e'])('the id of a team that cannot be (%s) is 404 too', async (id) => {
  expect(await says(stranger, 'GET', `/teams/${id}/members`)).toBe('404 not_found');
  expect(await says(owner, 'DELETE', `${red}/members/${id}`)).toBe('404 not_found');
  expect(await says(owner, 'GET', `${red}/keys/${id}`)).toBe('404 not_found');
});

describe('members', () => {
  const list = async () => {
    const { members } = (await send(owner, 'GET', `${red}/members`)).body;
    return Object.fromEntries((members as { userId: string; role: string }[]).map((each) => [each.userId, each.role]));
  };

  test('every member of a team sees all members', async () => {
    const { status, body } = await send(member, 'GET', `${red}/members`);
    expect(status).toBe(200);
    expect(body.members).toContainEqual({
      userId: owner.id,
      email: owner.email,
      name: expect.any(String),
      role: 'owner',
      createdAt: expect.stringMatching(ISO),
      validKeys: 0,
    });
  });

  test('a member cannot invite, change or remove members, nor make itself an owner', async () => {
    expect(await says(member, 'POST', `${red}/members`, { email: stranger.email })).toBe('403 forbidden');
    expect(await says(member, 'PATCH', `${red}/members/${member.id}`, { role: 'owner' })).toBe('403 forbidden');
    expect(await says(member, 'DELETE', `${red}/members/${owner.id}`)).toBe('403 forbidden');
    expect(await list()).toMatchObject({ [member.id]: 'member', [owner.id]: 'owner' });
  });

  test('a person who is not a member can be neither changed nor removed', async () => {
    expect(await says(owner, 'PATCH', `${red}/members/${stranger.id}`, { role: 'owner' })).toBe('404 not_found');
    expect(await says(owner, 'DELETE', `${red}/members/${stranger.id}`)).toBe('404 not_found');
  });

  test('the last owner can neither leave nor become a member; with a second one it can', async () => {
    const alone = await addPerson(service, { team: 'alone' });
    const mate = await addPerson(service, { team: 'alone', role: 'member' });
    const path = `/teams/${alone.team}/members`;
    expect(await says(alone, 'DELETE', `${path}/${alone.id}`)).toBe('409 conflict');
    expect(await says(alone, 'PATCH', `${path}/${alone.id}`, { role: 'member' })).toBe('409 conflict');
    expect(await says(alone, 'PATCH', `${path}/${alone.id}`, { role: 'owner' })).toBe(200);
    expect(await says(alone, 'PATCH', `${path}/${mate.id}`, { role: 'owner' })).toBe(200);
    expect(await says(alone, 'DELETE', `${path}/${alone.id}`)).toBe(204);
    expect(await says(alone, 'GET', `/teams/${alone.team}`)).toBe('404 not_found');
  });

  test('two owners who leave at the same moment leave one behind', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, two] = [
        await addPerson(service, { team: `pair${round}` }),
        await addPerson(service, { team: `pair${round}` }),
      ];
      const said = await Promise.all(
        [one, two].map((who) => says(who, 'DELETE', `/teams/${one.team}/members/${who.id}`)),
      );
      expect(said.sort()).toEqual([204, '409 conflict']);
    }
  });
});

test('the history of a team shows each action and its actor, to its members, a page at a time', async () => {
  const boss = await addPerson(service);
  const { id } = (await send(boss, 'POST', '/teams', { name: 'history' })).body;
  await send(boss, 'PATCH', `/teams/${id}`, { name: 'annals' });
  const invitation = (await send(boss, 'POST', `/teams/${id}/members`, { email: member.email })).body.id;
  await send(member, 'POST', `/invitations/${invitation}/accept`);
  await send(boss, 'DELETE', `/teams/${id}/members/${member.id}`);
  // Refusals leave no trace.
  await send(boss, 'DELETE', `/teams/${id}/members/${boss.id}`);
  const { body } = await send(boss, 'GET', `/teams/${id}/changes`);
  const entries = body.changes as { action: string; subject: string; before: unknown; after: unknown; keyId: string }[];
  expect(entries.map(({ action, subject, before, after }) => [action, subject, before, after])).toEqual([
    ['member.remove', member.id, { role: 'member' }, null],
    ['member.add', member.id, null, { role: 'member', invitation }],
    ['invitation.create', invitation, null, { email: member.email, role: 'member' }],
    ['team.rename', id, { name: 'history' }, { name: 'annals' }],
    ['team.create', id, null, { name: 'history', owner: boss.id }],
  ]);
  const by = entries.map(({ action, keyId }) => (action === 'member.add' ? member.keyId : boss.keyId) === keyId);
  expect(new Set(by)).toEqual(new Set([true]));
  const first = (await send(boss, 'GET', `/teams/${id}/changes?limit=3`)).body;
  expect(first.changes).toEqual(entries.slice(0, 3));
  const second = (await send(boss, 'GET', `/teams/${id}/changes?limit=3&cursor=${first.next}`)).body;
  expect(second).toEqual({ changes: entries.slice(3) });
  expect(await says(boss, 'GET', `/teams/${id}/changes?cursor=x`)).toBe('400 bad_request');
  expect(await says(boss, 'GET', `/teams/${id}/changes?limit=0`)).toBe('400 bad_request');
});
