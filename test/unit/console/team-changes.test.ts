// The changes of a team in words.
import { expect, test } from 'vitest';
import { describeTeamChange } from '#console/teams/team-changes.ts';

const names = new Map([
  ['0123456789ab', 'ci'],
  ['user_1', 'ada@example.org'],
]);
const describe = (action: string, subject: string, before: unknown = null, after: unknown = null) =>
  Object.values(describeTeamChange({ action, subject, before, after }, names));

test.each([
  [
    'a new key by its name',
    ['key.mint', 'ffffffffffff', null, { name: 'certificates' }],
    ['Created key', 'certificates'],
  ],
  ['a changed key whose name stays', ['key.change', '0123456789ab', { records: 'read' }, {}], ['Changed key', 'ci']],
  [
    'a renamed key by its new name',
    ['key.change', '0123456789ab', { name: 'ci' }, { name: 'cd' }],
    ['Changed key', 'cd'],
  ],
  ['a revoked key that is deleted', ['key.revoke', 'eeeeeeeeeeee', { name: 'old' }], ['Revoked key', 'old']],
  ['a member by the address', ['member.add', 'user_1', null, { role: 'owner' }], ['Added member', 'ada@example.org']],
  ['a person who left by the id', ['member.remove', 'user_2', { role: 'member' }], ['Removed member', 'user_2']],
  [
    'an invitation by its address',
    ['invitation.create', '7', null, { email: 'ben@x', role: 'member' }],
    ['Invited', 'ben@x'],
  ],
  ['the quota without a name', ['team.quota', 'team_1', { zones: 1 }, { zones: 2 }], ['Changed the quota', null]],
  ['an action of a newer version as it is stored', ['key.freeze', 'x', 7, 'text'], ['key.freeze', 'x']],
] as const)('the history of a team shows %s', (_what, [action, subject, before, after], shown) => {
  expect(describe(action, subject, before, after)).toEqual(shown);
});
