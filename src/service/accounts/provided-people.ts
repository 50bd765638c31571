// Signs in a person whom an OpenID provider has authenticated: finds or creates the person, sets the memberships that the
// person's groups grant, and starts a session, all in one transaction.
import { insertAccountChange } from '#store/account-changes.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { insertIdentity, userOfIdentity } from '#store/identities.ts';
import { countInvitationsOfAddress } from '#store/invitations.ts';
import { insertUser, type Role, type UserRow, userByEmail } from '#store/people.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { type GroupRule, providedRoles } from './provided-roles.ts';
import { giveRoles, type Withheld } from './provided-teams.ts';
import { type PersonSession, startSessionIn } from './sessions.ts';

/** The claims of the provider. */
export interface ProvidedPerson {
  issuer: string;
  subject: string;
  email: string | null;
  /** Null: the provider sent no such claim. */
  emailVerified: boolean | null;
  name: string | null;
  groups: string[];
}

/** The settings that decide how the service uses the provider's claims. */
export interface ProviderTerms {
  rules: readonly GroupRule[];
  /** Whether an address counts as verified if the provider does not send the claim `email_verified`. */
  trustEmail: boolean;
}

interface SignedIn {
  session: PersonSession;
  /** The person's address in this service, in lower case. */
  email: string;
  /** The teams of the group rules that the person was not added to. */
  withheld: Withheld[];
}

/** @throws Refusal forbidden, with the reason in its message */
export async function startProvidedSession(
  context: ServiceContext,
  person: ProvidedPerson,
  terms: ProviderTerms,
  requestId: string,
): Promise<SignedIn> {
  const roles = providedRoles(terms.rules, person.groups);
  const attempt = () =>
    context.db.transaction(async (tx) => {
      const user =
        (await userOfIdentity(tx, person.issuer, person.subject)) ??
        (await attachIdentity(tx, context, person, { roles, trustEmail: terms.trustEmail, requestId }));
      const session = await startSessionIn(tx, context, user.id, null, requestId);
      const signIn = { userId: user.id, keyId: session.id, requestId };
      return { session, email: user.email, withheld: await giveRoles(tx, context, signIn, roles) };
    });
  return attempt().catch((error) => {
    // Another sign-in created the same person or team at the same time: the second attempt finds it.
    if (sqlFailure(error)?.code === UNIQUE_VIOLATION) return attempt();
    throw error;
  });
}

const UNIQUE_VIOLATION = '23505';

interface FirstSignIn {
  roles: ReadonlyMap<string, Role | null>;
  trustEmail: boolean;
  requestId: string;
}

/**
 * Attaches a new identity to the person with its address. A new person is created if one of the groups has a team, or if a team
 * has invited the address.
 */
async function attachIdentity(
  tx: Tx,
  context: ServiceContext,
  person: ProvidedPerson,
  signIn: FirstSignIn,
): Promise<UserRow> {
  const email = verifiedEmail(person, signIn.trustEmail);
  const known = await userByEmail(tx, email);
  const isWanted =
    [...signIn.roles.values()].some((role) => role !== null) ||
    (await countInvitationsOfAddress(tx, email, context.now())) > 0;
  if (!known && !isWanted) {
    throw refusal('provider-no-team', { email });
  }
  const user = known ?? { id: `user_${context.random(6).toString('hex')}`, email, name: nameOf(person, email) };
  if (!known) {
    await insertUser(tx, user);
    const entry = { teamId: null, keyId: null, action: 'user.create', subject: user.id, before: null } as const;
    const after = { email, name: user.name };
    await insertAccountChange(tx, { ...entry, after, requestId: signIn.requestId, at: context.now() });
  }
  await insertIdentity(tx, { issuer: person.issuer, subject: person.subject, userId: user.id });
  return user;
}

/**
 * The address of the person, in lower case. The address must be verified: otherwise a user who can enter any address at the
 * provider could sign in as another person of this service, now or later.
 * @throws Refusal forbidden
 */
function verifiedEmail({ email, emailVerified }: ProvidedPerson, trustEmail: boolean): string {
  if (email === null) throw refusal('provider-no-email');
  if (emailVerified === false) {
    throw refusal('provider-email-unverified', { email });
  }
  if (emailVerified === null && !trustEmail) {
    throw refusal('provider-email-unclear', { email });
  }
  return email.toLowerCase();
}

function nameOf({ name }: ProvidedPerson, email: string): string {
  const plain = (name ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? email.slice(0, 64) : plain;
}
