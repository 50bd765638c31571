// The teams of the OpenID rules: a name in a rule is bound to the id of a team, so that no person gets the zones of a
// group by creating a team of that name first, or by taking the name later.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminBindTeam, adminListTeams } from '#service/accounts/team-administration.ts';
import { adminTeamQuota } from '#service/accounts/team-quota.ts';
import { startConsoleWithProvider, visit } from '../../support/console/console.ts';
import { providerVisits } from '../../support/console/provider-visit.ts';
import { accountApi, addPerson } from '../../support/service/people.ts';

const FIXED = 'team_00000000f1ed';
const { idp, service } = await startConsoleWithProvider(
  `finance=finance-dns:owner,web=web team,ops=ops-dns:owner,fixed=${FIXED}:owner,gone=team_ffffffffffff,late=late-dns`,
);
const { signIn } = providerVisits(idp, service);
const { send } = accountApi(service);
const person = (name: string, groups: string[]) =>
  idp.people.set(name, { email: `${name}@example.org`, email_verified: true, name, groups });
const teamsOf = async (email: string) =>
  (
    await service.sql`select t.id, t.name, m.role from memberships m join teams t on t.id = m.team_id
      join users u on u.id = m.user_id where u.email = ${email} order by t.name`
  ).map(({ id, name, role }) => ({ id, name, role }));
const bind = (rule: string, more: { teamId?: string; confirmed?: boolean } = {}) =>
  adminBindTeam(service.database.url, { rule, teamId: null, confirmed: false, ...more }, new Date());

test('a team that was created by hand under the name of a rule is not bound by the first sign-in: its founder and the founder’s key see nothing of the group', async () => {
  const mallory = await addPerson(service);
  const { body: trap } = await send(mallory, 'POST', '/teams', { name: 'finance-dns' });
  const keys = `/teams/${trap.id}/keys`;
  const minted = await send(mallory, 'POST', keys, { name: 'x', records: 'write', manageZones: 'write' });
  const secret = String(minted.body.secret);

  person('alice', ['finance', 'web']);
  const { browser, page } = await signIn('alice');
  expect([page.status, page.location]).toEqual([303, '/console/teams']);
  const { text } = await browser.get('/console/teams');
  expect(text).toContain('A team of that name was made by hand, so you were not added to it.');
  expect(text).toContain('zonestead admin teams bind &quot;finance-dns&quot;');
  // Her membership of the other team is kept, and she shares no team with mallory.
  expect((await teamsOf('alice@example.org')).map(({ name }) => name)).toEqual(['web team']);
  const warned = service.log.map((line) => JSON.parse(line)).filter(({ level }) => level === 'warn');
  expect(warned).toContainEqual(expect.objectContaining({ team: 'finance-dns', subject: 'alice' }));

  // The administrator creates a team for the group and binds the rule to it.
  const made = await addPerson(service, { team: 'finance for real' });
  await expect(bind('finance-dns')).rejects.toThrow(/already has owner person\d+@example\.org, key \w+ \(x\)/);
  await bind('finance-dns', { teamId: made.team, confirmed: true });
  const again = await signIn('alice');
  expect((await again.browser.get('/console/teams')).text).not.toContain('made by hand');
  expect(await teamsOf('alice@example.org')).toContainEqual({
    id: made.team,
    name: 'finance for real',
    role: 'owner',
  });
  await again.browser.get('/console/zones/new');
  const created = await again.browser.post('/console/zones', {
    zoneName: 'payroll.example',
    owner: `org:${made.team}`,
  });
  expect(created.status).toBe(303);
  for (const key of [secret, mallory.text]) {
    const { body } = await service.request('GET', '/zones', undefined, key);
    expect(body.zones).toEqual([]);
    const found = await service.request('GET', '/zones?suffix_of=www.payroll.example', undefined, key);
    expect(found.status).toBe(404);
  }
});

test('a team that was created by hand under the name of a rule is bound by the administrator’s command, which first lists its people and keys', async () => {
  const owner = await addPerson(service, { team: 'ops-dns' });
  const key = await service.key({ team: 'ops-dns' });
  await expect(bind('ops-dns')).rejects.toThrow(`owner ${owner.email}, key ${key.id} (`);
  person('bob', ['ops']);
  await signIn('bob');
  expect(await teamsOf('bob@example.org')).toEqual([]);
  expect(await bind('ops-dns', { confirmed: true })).toMatchObject({ id: owner.team });
  await signIn('bob');
  expect(await teamsOf('bob@example.org')).toEqual([{ id: owner.team, name: 'ops-dns', role: 'owner' }]);
  const told =
    await service.sql`select key_id, after from account_changes where action = 'team.bind' and team_id = ${owner.team}`;
  expect(told).toEqual([{ key_id: null, after: { rule: 'ops-dns', team: owner.team } }]);
});

test('a team that the rule created stays bound to the rule after it is renamed, even if another team takes the old name', async () => {
  person('carol', ['web']);
  await signIn('carol');
  const [made] = await teamsOf('carol@example.org');
  expect(made).toMatchObject({ name: 'web team', role: 'member' });
  await service.sql`update teams set name = 'renamed' where id = ${made!.id}`;
  const squatter = await addPerson(service);
  expect((await send(squatter, 'POST', '/teams', { name: 'web team' })).status).toBe(201);
  person('dan', ['web']);
  await signIn('dan');
  expect(await teamsOf('dan@example.org')).toEqual([{ ...made, name: 'renamed' }]);
  // A person who leaves the group leaves the bound team, and no other.
  person('dan', []);
  await signIn('dan');
  expect(await teamsOf('dan@example.org')).toEqual([]);
  const bound = (await adminListTeams(service.database.url)).filter(({ rule }) => rule === 'web team');
  expect(bound.map(({ id }) => id)).toEqual([made!.id]);
});

test('a team that the rule created gets no more members than its quota allows, and the sign-in shows a message', async () => {
  person('olga', ['web']);
  person('peter', ['web']);
  await signIn('olga');
  const [web] = await teamsOf('olga@example.org');
  const { length: members } = await service.sql`select from memberships where team_id = ${web!.id}`;
  await adminTeamQuota(service.database.url, web!.id, { reset: false, numbers: { members } }, new Date());
  const { browser, page } = await signIn('peter');
  expect(page.status).toBe(303);
  expect((await browser.get('/console/teams')).text).toContain(`has ${members} of ${members} members`);
  expect(await teamsOf('peter@example.org')).toEqual([]);
  // Existing members stay members.
  await signIn('olga');
  expect(await teamsOf('olga@example.org')).toHaveLength(1);
  await adminTeamQuota(service.database.url, web!.id, { reset: true, numbers: {} }, new Date());
});

test('a team that the rule created is created once, even if several people of the group sign in at once for the first time', async () => {
  const names = ['erin', 'frank', 'grace'];
  for (const name of names) person(name, ['late']);
  const pages = await Promise.all(names.map((name) => signIn(name, visit(service))));
  expect(pages.map(({ page }) => page.status)).toEqual([303, 303, 303]);
  const teams = await Promise.all(names.map((name) => teamsOf(`${name}@example.org`)));
  expect(new Set(teams.flat().map(({ id }) => id)).size).toBe(1);
});

test('a rule that names an id gives that team under any name; an id that does not exist gives no team, and the person is told', async () => {
  await service.sql`insert into teams (id, name) values (${FIXED}, ${`any ${randomBytes(2).toString('hex')}`})`;
  person('heidi', ['fixed', 'gone']);
  const { browser } = await signIn('heidi');
  expect((await browser.get('/console/teams')).text).toContain(
    'names the team team_ffffffffffff, which does not exist',
  );
  expect((await teamsOf('heidi@example.org')).map(({ id, role }) => [id, role])).toEqual([[FIXED, 'owner']]);
});

test('a rule that names an id is not a name: a team with an id as its name is not created, and cannot be bound', async () => {
  await expect(bind('team_ffffffffffff')).rejects.toThrow('has the form of an id');
  expect(await service.sql`select 1 from teams where name = 'team_ffffffffffff'`).toHaveLength(0);
});

test('a bound team is not bound to a second name, and an unknown team is not bound', async () => {
  const [team] = await service.sql`select team_id from team_bindings limit 1`;
  await expect(bind('other', { teamId: String(team?.team_id), confirmed: true })).rejects.toThrow(
    'another name of the rules is bound to this team',
  );
  await expect(bind('nowhere')).rejects.toThrow('there is no team named "nowhere"');
});
