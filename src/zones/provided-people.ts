// Signing in people whom an OpenID provider has authenticated: who that is here, which teams its groups put it in, and a
// session, all in one transaction. Knows nothing of OpenID Connect but what a provider says of a person.
import { insertAccountChange } from '../store/account-changes.ts';
import { sqlFailure, type Tx } from '../store/database.ts';
import { insertIdentity, userOfIdentity } from '../store/identities.ts';
import { teamByName } from '../store/keys.ts';
import {
  deleteMember,
  insertMember,
  insertUser,
  lockTeam,
  memberOf,
  type Role,
  setRole,
  type UserRow,
  userByEmail,
} from '../store/people.ts';
import type { House } from './change.ts';
import { ensureTeam } from './keys.ts';
import { type GroupRule, providedRoles } from './provided-roles.ts';
import { Refusal } from './refusal.ts';
import { type PersonSession, startSessionIn } from './sessions.ts';

/** What the provider says. */
export interface ProvidedPerson {
  issuer: string;
  subject: string;
  email: string | null;
  /** Null: the provider does not say. */
  emailVerified: boolean | null;
  name: string | null;
  groups: string[];
}

/** @throws Refusal forbidden, with what stands against it */
export async function startProvidedSession(
  house: House,
  person: ProvidedPerson,
  rules: readonly GroupRule[],
  requestId: string,
): Promise<PersonSession> {
  const roles = providedRoles(rules, person.groups);
  const attempt = () => house.db.transaction((tx) => enter(tx, house, person, roles, requestId));
  return attempt().catch((error) => {
    // Somebody, or the same person in another window, was made at this very moment: now there is who to find.
    if (sqlFailure(error)?.code === UNIQUE_VIOLATION) return attempt();
    throw error;
  });
}

const UNIQUE_VIOLATION = '23505';

async function enter(
  tx: Tx,
  house: House,
  person: ProvidedPerson,
  roles: ReadonlyMap<string, Role | null>,
  requestId: string,
): Promise<PersonSession> {
  const user =
    (await userOfIdentity(tx, person.issuer, person.subject)) ?? (await welcome(tx, house, person, roles, requestId));
  const session = await startSessionIn(tx, house, user.id, null, requestId);
  // In one order for everybody, so that two sign-ins never wait for each other.
  for (const [team, role] of [...roles].sort(([one], [other]) => (one < other ? -1 : 1))) {
    await giveRole(tx, house, { userId: user.id, team, role, keyId: session.id, requestId });
  }
  return session;
}

/** A person seen for the first time in this way: found by address, or made when a group has a team here. */
async function welcome(
  tx: Tx,
  house: House,
  person: ProvidedPerson,
  roles: ReadonlyMap<string, Role | null>,
  requestId: string,
): Promise<UserRow> {
  const email = person.email?.toLowerCase() ?? null;
  if (email === null || person.emailVerified === false) {
    throw new Refusal('forbidden', 'Your provider tells no e-mail address of yours that it has verified.');
  }
  const known = await userByEmail(tx, email);
  // Whoever may write any address at the provider would otherwise be anybody here.
  if (known && person.emailVerified !== true) {
    throw new Refusal(
      'forbidden',
      `There is a person ${email} here already, and your provider does not say that this address is verified.`,
    );
  }
  if (!known && ![...roles.values()].some((role) => role !== null)) {
    throw new Refusal('forbidden', `None of your groups has a team here, and nobody has added ${email} yet.`);
  }
  const user = known ?? { id: `user_${house.random(6).toString('hex')}`, email, name: nameOf(person, email) };
  if (!known) {
    await insertUser(tx, user);
    const entry = { teamId: null, keyId: null, action: 'user.create', subject: user.id, before: null } as const;
    await insertAccountChange(tx, { ...entry, after: { email, name: user.name }, requestId, at: house.now() });
  }
  await insertIdentity(tx, { issuer: person.issuer, subject: person.subject, userId: user.id });
  return user;
}

function nameOf({ name }: ProvidedPerson, email: string): string {
  const plain = (name ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? email.slice(0, 64) : plain;
}

interface Given {
  userId: string;
  team: string;
  role: Role | null;
  /** The session's, for the history. */
  keyId: string;
  requestId: string;
}

/** Makes membership what the groups say; the provider may also take away a team's last owner. */
async function giveRole(tx: Tx, house: House, { userId, team, role, keyId, requestId }: Given): Promise<void> {
  const known = role === null ? await teamByName(tx, team) : await ensureTeam(tx, team, house.random);
  if (!known) return;
  await lockTeam(tx, known.id);
  const before = (await memberOf(tx, known.id, userId))?.role ?? null;
  if (before === role) return;
  const at = house.now();
  if (role === null) await deleteMember(tx, known.id, userId);
  else if (before === null) await insertMember(tx, { teamId: known.id, userId, role, createdAt: at });
  else await setRole(tx, known.id, userId, role);
  await insertAccountChange(tx, {
    teamId: known.id,
    keyId,
    action: role === null ? 'member.remove' : before === null ? 'member.add' : 'member.change',
    subject: userId,
    before: before === null ? null : { role: before },
    after: role === null ? null : { role },
    requestId,
    at,
  });
}
