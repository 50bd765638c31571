// Faults about people: their limits, their accounts at a provider, and their sign-ins.
import type { Fault } from '../fault.ts';

const fault =
  (test: string) =>
  (name: string, breaks: string, file: string, find: string, replace: string): Fault => ({
    name: `accounts-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project: test.startsWith('test/unit/') ? 'unit' : 'integration',
    tests: [test],
  });

const byChanges = fault('test/integration/account/many-changes.test.ts');
const byTrusts = fault('test/integration/account/trusts.test.ts');

export const ACCOUNT_FAULTS: readonly Fault[] = [
  byChanges(
    'pool',
    'changes of one team take all database connections',
    'src/service/accounts/account.ts',
    'inTurn(context, caller, [teamId], async (tx) => {',
    'inTurn(context, caller, [], async (tx) => {',
  ),
  byChanges(
    'stranger',
    'a person waits for the changes of a team of others',
    'src/service/accounts/account.ts',
    '  await mustBeMember(context, caller.actor, teamId);\n  return teamBusy(',
    '  return teamBusy(',
  ),
  byChanges(
    'session',
    'each key of a person has a limit of its own for changes of teams',
    'src/service/limits.ts',
    "bucket === 'account' && user !== null",
    'false && user !== null',
  ),
  byChanges(
    'unlimited',
    'changes of teams have no limit',
    'src/api/app.ts',
    'limits && actor.user !== null ? LIMITS.account : null',
    'null',
  ),
  byTrusts(
    'members',
    'members of other types of keys are kept',
    'src/service/trusts/key-source.ts',
    "EC: ['crv', 'x', 'y']",
    "EC: ['crv', 'x', 'y', 'n', 'e']",
  ),
  byTrusts(
    'digest',
    'the history has the keys of a trust with every change of its name',
    'src/service/trusts/history.ts',
    "keySource.kind !== 'pinned' || ",
    'true || ',
  ),
];
