// A node remembers the revocations of the service, and a database that was restored to an earlier time learns it from
// there.
import { expect, test, vi } from 'vitest';
import { adminRevokeKey } from '#service/credentials/administration.ts';
import { prepareRestoredNode } from '../../../support/knot/restored-node.ts';
import { zonestead } from '../../../support/program/command-line.ts';

const { before, after, node, restored } = await prepareRestoredNode();

async function afterRestore(...words: string[]) {
  vi.stubEnv('DATABASE_URL', after.database.url);
  try {
    return await zonestead('admin', 'after-restore', ...words);
  } finally {
    vi.unstubAllEnvs();
  }
}
const isRevoked = async (id: string) =>
  (await after.sql`select revoked_at is not null as yes from api_keys where id = ${id}`)[0]?.yes;

test('Keys that were revoked after the time of a restore are listed and revoked again, and a node cannot name others', async () => {
  const [leaked, used, idle] = [await before.key(), await after.key(), await after.key()];
  const copy = await after.key();
  await after.sql`update api_keys set id = ${leaked.id} where id = ${copy.id}`;
  const since = new Date(Date.now() + 3_600_000).toISOString();
  await after.sql`update api_keys set last_used_at = ${since} where id = ${used.id}`;
  await adminRevokeKey(before.database.url, leaked.id, new Date());
  await before.sql`insert into account_changes (team_id, action, subject, request_id) values ('t', 'member.remove', 'nobody', 'r')`;
  await node.start();
  await expect.poll(() => node.log()).toMatch(/"endings":\d+.*the node remembers revocations/);
  await node.stop();
  await restored.start();
  await expect
    .poll(async () => (await after.sql`select instance from nodes where position is not null`).length)
    .toBe(1);

  const unproven = await afterRestore();
  expect(unproven.out).toMatch(/0 of 2 endings that ns1 remembers are undone\n2 endings are of another database/);
  const [{ secret }] = (await before.sql`select seal_secret as secret from service`) as unknown as [{ secret: Buffer }];
  await after.sql`update service set seal_secret = ${secret}`;
  const listed = await afterRestore();
  expect(listed.out).toMatch(new RegExp(`^key +${leaked.id} .* is valid again +zonestead admin keys revoke$`, 'm'));
  expect(listed.out).toContain('1 of 2 endings that ns1 remembers are undone');
  expect((await afterRestore('--revoke-since', 'yesterday')).err).toContain('is not a time in ISO 8601');
  expect((await afterRestore('--revoke-since', since)).err).toMatch(/revokes 2 keys .*--yes/);
  expect((await afterRestore('--revoke-since', since, '--dry-run')).out).toContain(`dry run: key ${leaked.id}`);
  expect(await isRevoked(leaked.id)).toBe(false);
  expect((await afterRestore('--revoke-since', since, '--yes')).out).toContain('2 keys and sessions revoked');
  expect([await isRevoked(leaked.id), await isRevoked(used.id), await isRevoked(idle.id)]).toEqual([true, true, false]);
  expect((await afterRestore()).out).toContain('0 of ');
});
