// Invitations to teams: a person is a member only after accepting, inviting does not tell who has an account, and what
// is open is bounded.
import { describe, expect, test } from 'vitest';
import { accountApi, addPerson, type TestPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { sql } = service;
const { send, says } = accountApi(service);
let teams = 0;

/** A team of its own with an owner. */
async function newTeam() {
  const owner = await addPerson(service, { team: `team ${++teams}` });
  return { owner, path: `/teams/${owner.team}` };
}
const invite = async (owner: TestPerson, email: string, role = 'member') =>
  (await send(owner, 'POST', `/teams/${owner.team}/members`, { email, role })).body as { id: string };
const openTo = async (who: { text: string }) =>
  (await send(who, 'GET', '/invitations')).body.invitations as { id: string; team: { id: string }; role: string }[];
const memberCount = async (team: string) => (await sql`select from memberships where team_id = ${team}`).length;
const actions = async (owner: TestPerson) => {
  const { body } = await send(owner, 'GET', `/teams/${owner.team}/changes`);
  return (body.changes as { action: string; subject: string }[]).map(({ action, subject }) => [action, subject]);
};

test('an invitation makes no member by itself; the person accepts it and is one, with the role that it offers', async () => {
  const { owner, path } = await newTeam();
  const guest = await addPerson(service);
  const sent = await send(owner, 'POST', `${path}/members`, { email: guest.email.toUpperCase(), role: 'owner' });
  expect(sent.status).toBe(201);
  const id = String(sent.body.id);
  expect(sent.body).toEqual({
    id: expect.stringMatching(/^inv_[0-9a-f]{12}$/),
    email: guest.email,
    role: 'owner',
    invitedBy: owner.email,
    createdAt: expect.any(String),
    expiresAt: expect.any(String),
  });
  const { createdAt, expiresAt } = sent.body as { createdAt: string; expiresAt: string };
  expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(30 * 24 * 3600 * 1000);
  expect(await memberCount(owner.team)).toBe(1);
  expect(await says(guest, 'GET', path)).toBe('404 not_found');
  expect((await send(guest, 'GET', '')).body.teams).toEqual([]);
  expect(await openTo(guest)).toEqual([
    {
      id,
      team: { id: owner.team, name: `team ${teams}` },
      role: 'owner',
      invitedBy: owner.email,
      createdAt,
      expiresAt,
    },
  ]);
  const accepted = await send(guest, 'POST', `/invitations/${id}/accept`);
  expect([accepted.status, accepted.body]).toEqual([
    200,
    { id: owner.team, name: `team ${teams}`, role: 'owner', createdAt: expect.any(String) },
  ]);
  expect(await says(guest, 'GET', path)).toBe(200);
  expect(await openTo(guest)).toEqual([]);
  expect(await says(guest, 'POST', `/invitations/${id}/accept`)).toBe('404 not_found');
  expect((await actions(owner)).slice(0, 2)).toEqual([
    ['member.add', guest.id],
    ['invitation.create', id],
  ]);
});

test('an invitation that is declined has ended, and the address can be invited again', async () => {
  const { owner, path } = await newTeam();
  const guest = await addPerson(service);
  const { id } = await invite(owner, guest.email);
  expect(await says(owner, 'POST', `${path}/members`, { email: guest.email })).toBe('409 conflict');
  expect(await says(guest, 'POST', `/invitations/${id}/decline`)).toBe(204);
  expect(await openTo(guest)).toEqual([]);
  expect(await memberCount(owner.team)).toBe(1);
  expect(await says(guest, 'POST', `/invitations/${id}/accept`)).toBe('404 not_found');
  expect((await actions(owner))[0]).toEqual(['invitation.decline', id]);
  expect((await invite(owner, guest.email)).id).not.toBe(id);
});

test('an invitation that is revoked cannot be accepted; members see the open ones, and only owners send and revoke', async () => {
  const { owner, path } = await newTeam();
  const member = await addPerson(service, { team: `team ${teams}`, role: 'member' });
  const guest = await addPerson(service);
  const { id } = await invite(owner, guest.email);
  const listed = (await send(member, 'GET', `${path}/invitations`)).body.invitations as { id: string }[];
  expect(listed.map((each) => each.id)).toEqual([id]);
  expect(await says(member, 'POST', `${path}/members`, { email: 'x@example.org' })).toBe('403 forbidden');
  expect(await says(member, 'DELETE', `${path}/invitations/${id}`)).toBe('403 forbidden');
  expect(await says(guest, 'GET', `${path}/invitations`)).toBe('404 not_found');
  expect(await says(guest, 'DELETE', `${path}/invitations/${id}`)).toBe('404 not_found');
  expect(await says(owner, 'DELETE', `${path}/invitations/${id}`)).toBe(204);
  expect(await says(owner, 'DELETE', `${path}/invitations/${id}`)).toBe('404 not_found');
  expect(await says(guest, 'POST', `/invitations/${id}/accept`)).toBe('404 not_found');
  expect((await actions(owner))[0]).toEqual(['invitation.revoke', id]);
});

test('an invitation is for the person of the address alone', async () => {
  const { owner } = await newTeam();
  const [guest, thief] = [await addPerson(service), await addPerson(service)];
  const { id } = await invite(owner, guest.email);
  expect(await openTo(thief)).toEqual([]);
  for (const answer of ['accept', 'decline']) {
    expect(await says(thief, 'POST', `/invitations/${id}/${answer}`)).toBe('404 not_found');
  }
  const other = await newTeam();
  expect(await says(other.owner, 'DELETE', `${other.path}/invitations/${id}`)).toBe('404 not_found');
  expect(await openTo(guest)).toHaveLength(1);
});

test('an invitation waits for a person who is not here yet', async () => {
  const { owner } = await newTeam();
  const { id } = await invite(owner, 'later@example.org');
  const later = await addPerson(service, { email: 'Later@example.org' });
  expect((await openTo(later)).map((each) => each.id)).toEqual([id]);
  expect(await says(later, 'POST', `/invitations/${id}/accept`)).toBe(200);
});

test('an invitation is over after 30 days, for the person, the team and the limits', async () => {
  const { owner, path } = await newTeam();
  const guest = await addPerson(service);
  const { id } = await invite(owner, guest.email);
  await sql`update invitations set expires_at = now() where id = ${id}`;
  expect(await openTo(guest)).toEqual([]);
  expect((await send(owner, 'GET', `${path}/invitations`)).body.invitations).toEqual([]);
  expect(await says(guest, 'POST', `/invitations/${id}/accept`)).toBe('404 not_found');
  await invite(owner, guest.email);
  expect(await openTo(guest)).toHaveLength(1);
});

test.each(['accept', 'decline'])(
  'an invitation is answered once, however often %s is sent at the same time',
  async (answer) => {
    const { owner } = await newTeam();
    const guest = await addPerson(service);
    const { id } = await invite(owner, guest.email);
    const said = await Promise.all([1, 2, 3, 4].map(() => says(guest, 'POST', `/invitations/${id}/${answer}`)));
    expect(said.filter((each) => each === '404 not_found')).toHaveLength(3);
    expect(await memberCount(owner.team)).toBe(answer === 'accept' ? 2 : 1);
  },
);

test('an invitation by an owner answers the same for an address that a person has and one that no person has', async () => {
  const { owner, path } = await newTeam();
  const known = await addPerson(service);
  const shape = async (email: string) => {
    const { status, body } = await send(owner, 'POST', `${path}/members`, { email });
    return [status, Object.keys(body).sort(), { ...body, id: '', createdAt: '', expiresAt: '', email: '' }];
  };
  expect(await shape(known.email)).toEqual(await shape('nobody.at.all@example.org'));
  const again = async (email: string) =>
    (await send(owner, 'POST', `${path}/members`, { email })).text.replace(email, 'ADDRESS');
  expect(await again(known.email)).toBe(await again('nobody.at.all@example.org'));
});

test('inviting a member of the team is a conflict', async () => {
  const { owner, path } = await newTeam();
  expect(await says(owner, 'POST', `${path}/members`, { email: owner.email })).toBe('409 conflict');
});

test.each([
  [{}],
  [{ email: 'nobody' }],
  [{ email: `${'a'.repeat(250)}@example.org` }],
  [{ userId: 'user_0' }],
  [{ email: 'a@example.org', role: 'admin' }],
  [{ email: 'a@example.org', since: 'now' }],
])('an invitation by an owner with %j is a bad request', async (body) => {
  const { owner, path } = await newTeam();
  expect(await says(owner, 'POST', `${path}/members`, body)).toBe('400 bad_request');
});

test.each([
  ['removed', 'DELETE', undefined],
  ['made a member', 'PATCH', { role: 'member' }],
] as const)(
  'an owner who may no longer invite because of being %s: the invitations that this owner sent end',
  async (_title, method, body) => {
    const { owner, path } = await newTeam();
    const rogue = await addPerson(service, { team: `team ${teams}` });
    const [accomplice, friend] = [await addPerson(service), await addPerson(service)];
    const { id } = await invite(rogue, accomplice.email, 'owner');
    await invite(owner, friend.email);
    await send(owner, method, `${path}/members/${rogue.id}`, body);
    expect(await says(accomplice, 'POST', `/invitations/${id}/accept`)).toBe('404 not_found');
    expect(await openTo(friend)).toHaveLength(1);
    expect(await actions(owner)).toContainEqual(['invitation.revoke', id]);
  },
);

describe('the limits', () => {
  const fill = async (owner: TestPerson, open: number, row: (at: number) => { team?: string; email?: string }) => {
    for (let at = 0; at < open; at++) {
      const { team = owner.team, email = `fill${at}@example.net` } = row(at);
      await sql`insert into invitations (id, team_id, email, role, invited_by, expires_at)
        values (${`inv_${Math.random()}`}, ${team}, ${email}, 'member', ${owner.id}, now() + interval '1 day')`;
    }
  };

  test('a team has at most 50 open invitations: one more is a conflict until one is revoked', async () => {
    const { owner, path } = await newTeam();
    const other = await addPerson(service, { team: `team ${teams}` });
    await fill(other, 49, () => ({ team: owner.team }));
    const { id } = await invite(owner, 'fiftieth@example.org');
    const refused = await send(owner, 'POST', `${path}/members`, { email: 'more@example.org' });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('50 open invitations')]);
    await send(owner, 'DELETE', `${path}/invitations/${id}`);
    expect(await says(owner, 'POST', `${path}/members`, { email: 'more@example.org' })).toBe(201);
  });

  test('a person has sent at most 50 open invitations, in any number of teams', async () => {
    const { owner } = await newTeam();
    const second = (await send(owner, 'POST', '/teams', { name: `second of ${owner.id}` })).body.id;
    await fill(owner, 50, () => ({}));
    const refused = await send(owner, 'POST', `/teams/${second}/members`, { email: 'more@example.org' });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('You have sent 50')]);
  });

  test('an address has at most 100 open invitations', async () => {
    const guest = await addPerson(service);
    for (let at = 0; at < 100; at++) {
      const id = `team_fill${at}`;
      await sql`insert into teams (id, name) values (${id}, ${id})`;
    }
    const { owner, path } = await newTeam();
    const elsewhere = await addPerson(service);
    await fill(elsewhere, 100, (at) => ({ team: `team_fill${at}`, email: guest.email }));
    const refused = await send(owner, 'POST', `${path}/members`, { email: guest.email });
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('100 open invitations')]);
    expect(await openTo(guest)).toHaveLength(100);
  });

  test('a person has at most 100 teams: neither an invitation nor a new team exceeds that', async () => {
    const guest = await addPerson(service);
    await sql`insert into memberships (team_id, user_id, role) select id, ${guest.id}, 'member' from teams
      where id like 'team_fill%' limit 99`;
    const ids = await Promise.all([1, 2, 3].map(async () => (await invite((await newTeam()).owner, guest.email)).id));
    // At the same time, so that counting must not be overtaken.
    const said = await Promise.all([
      ...ids.map((id) => says(guest, 'POST', `/invitations/${id}/accept`)),
      says(guest, 'POST', '/teams', { name: 'one too many' }),
    ]);
    expect(said.filter((each) => each === 200 || each === 201)).toHaveLength(1);
    expect(said.filter((each) => each === '409 conflict')).toHaveLength(3);
    expect(await sql`select from memberships where user_id = ${guest.id}`).toHaveLength(100);
    // The invitation is still there when there is room again.
    expect(await says(guest, 'DELETE', `/teams/team_fill0/members/${guest.id}`)).toBe(204);
    const [left] = await openTo(guest);
    expect(await says(guest, 'POST', `/invitations/${left?.id}/accept`)).toBe(200);
  });
});

test('an app key neither sees nor answers invitations', async () => {
  const { owner, path } = await newTeam();
  const key = await service.key({ team: `team ${teams}` });
  const { id } = await invite(owner, 'someone@example.org');
  for (const [method, at] of [
    ['GET', '/invitations'],
    ['POST', `/invitations/${id}/accept`],
    ['POST', `/invitations/${id}/decline`],
    ['GET', `${path}/invitations`],
    ['DELETE', `${path}/invitations/${id}`],
  ] as const) {
    expect([at, await says(key, method, at)]).toEqual([at, '403 forbidden']);
    expect([at, await says({ text: 'yu_0_0' }, method, at)]).toEqual([at, '401 unauthorized']);
  }
});

test('thousands of invitations do not slow the invited person’s requests: none reads them', async () => {
  const victim = await addPerson(service);
  const { owner } = await newTeam();
  // More than the limits allow, written past them.
  await sql`insert into teams (id, name) select 'team_many' || n, 'many' || n from generate_series(1, 1500) n`;
  await sql`insert into invitations (id, team_id, email, role, invited_by, expires_at)
    select 'inv_many' || n, 'team_many' || n, ${victim.email}, 'member', ${owner.id}, now() + interval '1 day'
    from generate_series(1, 1500) n`;
  const { body } = await send(victim, 'GET', '');
  expect(body.teams).toEqual([]);
  // The list itself is bounded.
  expect(await openTo(victim)).toHaveLength(100);
});
