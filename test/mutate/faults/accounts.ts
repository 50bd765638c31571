// Faults about people: their limits, their accounts at a provider, and their sign-ins.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const byChanges = noticedBy('accounts', 'test/integration/service/accounts/many-changes.test.ts');
const byIdentity = noticedBy('accounts', 'test/integration/console/provider-identity.test.ts');
const byProvider = noticedBy('accounts', 'test/integration/console/provider.test.ts');
const byClaims = noticedBy('accounts', 'test/unit/console/forms.test.ts');
const bySettings = noticedBy('accounts', 'test/unit/config.test.ts');
const byRetention = noticedBy('accounts', 'test/integration/store/retention.test.ts');
const byTrusts = noticedBy('accounts', 'test/integration/service/trusts/trusts.test.ts');

export const ACCOUNT_FAULTS: readonly Fault[] = [
  byChanges(
    'pool',
    'changes of one team take all database connections',
    'src/service/accounts/account.ts',
    'inTurn(context, caller, [teamId], work,',
    'inTurn(context, caller, [], work,',
  ),
  byChanges(
    'stranger',
    'a person waits for the changes of a team of others',
    'src/service/accounts/account.ts',
    '  await mustBeMember(context, caller.actor, teamId);\n  const mustAct',
    '  const mustAct',
  ),
  byChanges(
    'session',
    'each key of a person has a limit of its own for changes of teams',
    'src/service/limits.ts',
    "BUCKETS[bucket].holder === 'person' && user !== null",
    'false && user !== null',
  ),
  byChanges(
    'unlimited',
    'changes of teams have no limit',
    'src/api/write-limits.ts',
    'isOn && actor.user !== null ? BUCKETS.account.limit : null',
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
  byIdentity(
    'second-account',
    'another account at the provider with the address of a person is this person',
    'src/service/accounts/provided-people.ts',
    'if (knownUser && (await findSubject(tx, issuer, knownUser.id)) !== null) {',
    'if (false) {',
  ),
  byIdentity(
    'old-address',
    'the address of a person stays when the provider states another one',
    'src/service/accounts/provided-people.ts',
    'if (email === null || email === user.email) return user;',
    'return user;',
  ),
  byIdentity(
    'unicode',
    'an address with a KELVIN SIGN is the one with a k',
    'src/service/accounts/address.ts',
    'text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())',
    'text.toLowerCase()',
  ),
  byIdentity(
    'suspended-key',
    'the key of a suspended person is valid',
    'src/store/keys.ts',
    'coalesce(k.revoked_at, u.suspended_at)',
    'k.revoked_at',
  ),
  byIdentity(
    'no-owner',
    'a team loses its only owner silently',
    'src/service/accounts/people-administration.ts',
    'else if (orphans.length > 0 && !force) throw withoutOwner(user, orphans);',
    '',
  ),
  byIdentity(
    'linked-sessions',
    'sessions stay after a person got another account',
    'src/service/accounts/people-administration.ts',
    'for (const person of holder === null ? [user] : [user, holder]) await endSessions(tx, person, now);',
    '',
  ),
  byIdentity(
    'state-twice',
    'a copied cookie brings a sign-in back twice',
    'src/console/shell/provider-pages.ts',
    "if (!(await useState(context, startedSignIn.state))) throw refusal('sign-in-not-begun');",
    '',
  ),
  byIdentity(
    'sign-ins',
    'a person signs in without a limit',
    'src/service/accounts/sessions.ts',
    '  await countSignIn(context, userId);\n  return context',
    '  return context',
  ),
  byProvider(
    'false-text',
    'email_verified "false" counts as absent',
    'src/console/shell/provider.ts',
    "verifiedClaim === undefined ? null : verifiedClaim === true || verifiedClaim === 'true'",
    "typeof verifiedClaim === 'boolean' ? verifiedClaim : null",
  ),
  byClaims(
    'two-documents',
    'the address of one document has the verification of another',
    'src/console/shell/provider.ts',
    '} = documents.find((claims) => asText(claims.email) !== null) ?? {};',
    '} = Object.assign({}, ...documents.toReversed());',
  ),
  bySettings(
    'distinguished',
    'a distinguished name becomes several groups',
    'src/settings/forms.ts',
    'pairs.every(({ length }) => length === 2)',
    'pairs.every(({ length }) => length >= 2)',
  ),
  byRetention(
    'sign-in-history',
    'the history of sign-ins has no limit',
    'src/store/retention.ts',
    "`coalesce(team_id, 'people')`",
    "'team_id'",
  ),
  byRetention(
    'answers-of-others',
    'a key with many answers to Idempotency-Keys takes those of another key of its team',
    'src/store/retention.ts',
    'order by h.bytes desc limit 1',
    'order by h.bytes limit 1',
  ),
  byIdentity(
    'removed-found',
    'the administrator resumes a removed person, whom no list shows',
    'src/service/accounts/address.ts',
    'if (address.endsWith(',
    "if (address === '' && address.endsWith(",
  ),
  byIdentity(
    'suspended-owner',
    'the last owner who is not suspended leaves the team',
    'src/store/people.ts',
    'isNull(users.suspendedAt),',
    '',
  ),
  byIdentity(
    'late-session',
    'a suspended person signs in, and a sign-in during the suspension of its person leaves a session',
    'src/service/accounts/sessions.ts',
    "if (!valid) throw refusal('person-suspended');",
    'if (!valid) return { id, from };',
  ),
  {
    name: 'people-sign-in-addresses',
    breaks: 'an address comes back from the OpenID provider without a limit',
    edits: [
      {
        file: 'src/console/shell/provider-pages.ts',
        find: 'const RATE = { most: 60,',
        replace: 'const RATE = { most: 60_000,',
      },
    ],
    project: 'integration',
    tests: ['test/integration/console/provider-limit.test.ts'],
  },
  {
    name: 'people-sign-in-one-count',
    breaks: 'all addresses share the limit of returns from the OpenID provider',
    edits: [{ file: 'src/http/hooks/address-limit.ts', find: 'count(network);', replace: "count('others');" }],
    project: 'integration',
    tests: ['test/integration/console/provider-limit.test.ts'],
  },
  byIdentity(
    'waiting-end',
    'the end of the access of a person does not see a sign-in that has begun',
    'src/store/people.ts',
    ".for('update');\n}\n\nexport async function countMemberships",
    ".for('no key update');\n}\n\nexport async function countMemberships",
  ),
];
