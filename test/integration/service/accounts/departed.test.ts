// The app keys of a person who leaves a team: they belong to the team, so they stay valid, are told apart, and can be
// revoked in the same step.
import { expect, test } from 'vitest';
import { accountApi, addPerson, type TestPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService();
const { send, says, dns } = accountApi(service);
let teams = 0;

interface Key {
  id: string;
  secret: string;
  mintedBy: { userId: string; email: string; isMember: boolean } | null;
}
const mint = async (who: TestPerson, more = {}) =>
  (await send(who, 'POST', `/teams/${who.team}/keys`, { name: 'x', records: 'write', ...more })).body as unknown as Key;

async function newTeam() {
  const team = `team ${++teams}`;
  const owner = await addPerson(service, { team });
  const member = await addPerson(service, { team, role: 'member' });
  const path = `/teams/${owner.team}`;
  const minters = async () => {
    const keys = (await send(owner, 'GET', `${path}/keys`)).body.keys as Key[];
    return Object.fromEntries(keys.map(({ id, mintedBy }) => [id, mintedBy]));
  };
  return { team, owner, member, path, minters };
}

test('an app key names its creator, in its answer and in the list; one of the command line names no person', async () => {
  const { owner, member, path, team, minters } = await newTeam();
  const [one, two] = [await mint(owner), await mint(member)];
  const byHand = await service.key({ team });
  const of = ({ id, email }: TestPerson) => ({ userId: id, email, isMember: true });
  expect([one.mintedBy, two.mintedBy]).toEqual([of(owner), of(member)]);
  expect(await minters()).toEqual({ [one.id]: of(owner), [two.id]: of(member), [byHand.id]: null });
  // A change by another person does not hide who knows the secret.
  await send(owner, 'PATCH', `${path}/keys/${two.id}`, { name: 'changed' });
  expect((await minters())[two.id]).toEqual(of(member));
});

test('an app key outlives its minter’s membership, and then says so', async () => {
  const { owner, member, path, minters } = await newTeam();
  const [own, key] = [await mint(owner), await mint(member)];
  // Being in another team is not membership of this one.
  await addPerson(service, { team: 'elsewhere', email: member.email });
  expect(await says(member, 'DELETE', `${path}/members/${member.id}`)).toBe(204);
  expect(await dns({ text: key.secret }, 'GET', '/zones')).toBe(200);
  expect((await minters())[key.id]).toEqual({ userId: member.id, email: member.email, isMember: false });
  expect((await minters())[own.id]?.isMember).toBe(true);
});

test('removing a member shows first how many valid keys that member created', async () => {
  const { owner, member, path } = await newTeam();
  const [first] = [await mint(member), await mint(member), await mint(member, { expiresAt: '2099-01-01T00:00:00Z' })];
  await send(owner, 'DELETE', `${path}/keys/${first.id}`);
  await service.sql`update api_keys set expires_at = now() where team_id = ${owner.team} and expires_at is not null`;
  const { members } = (await send(owner, 'GET', `${path}/members`)).body;
  const counts = (members as { userId: string; validKeys: number }[]).map((each) => [each.userId, each.validKeys]);
  expect(Object.fromEntries(counts)).toEqual({ [owner.id]: 0, [member.id]: 1 });
});

test('removing a member with revokeKeys=true revokes the keys that the member created, in this team and no others', async () => {
  const { owner, member, path } = await newTeam();
  const other = await newTeam();
  const elsewhere = await addPerson(service, { team: other.team, email: member.email });
  const [theirs, second, ours, abroad] = [
    await mint(member),
    await mint(member),
    await mint(owner),
    await mint({ ...member, team: elsewhere.team }),
  ];
  expect(await says(owner, 'DELETE', `${path}/members/${member.id}?revokeKeys=yes`)).toBe('400 bad_request');
  expect(await says(owner, 'DELETE', `${path}/members/${member.id}?revokeKeys=true`)).toBe(204);
  for (const { secret } of [theirs, second])
    expect(await dns({ text: secret }, 'GET', '/zones')).toBe('401 unauthorized');
  for (const { secret } of [ours, abroad]) expect(await dns({ text: secret }, 'GET', '/zones')).toBe(200);
  const { changes } = (await send(owner, 'GET', `${path}/changes?limit=3`)).body;
  expect((changes as { action: string; subject: string }[]).map(({ action, subject }) => [action, subject])).toEqual([
    ['key.revoke', second.id],
    ['key.revoke', theirs.id],
    ['member.remove', member.id],
  ]);
});

test('removing a member that is refused revokes nothing', async () => {
  const { owner, member, path } = await newTeam();
  const key = await mint(owner);
  expect(await says(owner, 'DELETE', `${path}/members/${owner.id}?revokeKeys=true`)).toBe('409 conflict');
  expect(await says(member, 'DELETE', `${path}/members/${owner.id}?revokeKeys=true`)).toBe('403 forbidden');
  expect(await dns({ text: key.secret }, 'GET', '/zones')).toBe(200);
});
