// Signs in a person whom an OpenID provider has authenticated: finds or creates the person, sets the memberships that
// the person's groups grant, and starts a session, all in one transaction.
import { quoteForShell } from '#base/shell.ts';
import { clip } from '#dns/verdict.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import { sqlFailure, type Tx } from '#store/database.ts';
import { findSubject, insertIdentity, userOfIdentity } from '#store/identities.ts';
import { countInvitationsOfAddress } from '#store/invitations.ts';
import { insertUser, type Role, type UserRow, userByEmail } from '#store/people.ts';
import { setAddress } from '#store/people-list.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { readAddress } from './address.ts';
import { type GroupRule, providedRoles } from './provided-roles.ts';
import { giveRoles, type Withheld } from './provided-teams.ts';
import { countSignIn, type PersonSession, startSessionIn } from './sessions.ts';

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

/** @throws Refusal forbidden, with the reason in its message; rate_limited */
export async function startProvidedSession(
  context: ServiceContext,
  person: ProvidedPerson,
  terms: ProviderTerms,
  requestId: string,
): Promise<SignedIn> {
  const roles = providedRoles(terms.rules, person.groups);
  const knownUser = await userOfIdentity(context.db, person.issuer, person.subject);
  if (knownUser !== null) await countSignIn(context, knownUser.id);
  const attempt = () =>
    context.db.transaction(async (tx) => {
      const signIn = { roles, trustEmail: terms.trustEmail, requestId };
      const user =
        (await returningPerson(tx, context, person, signIn)) ?? (await attachIdentity(tx, context, person, signIn));
      const session = await startSessionIn(tx, context, user.id, null, requestId);
      const who = { userId: user.id, keyId: session.id, requestId };
      return { session, email: user.email, withheld: await giveRoles(tx, context, who, roles) };
    });
  return attempt().catch((error) => {
    // Another sign-in created the same person or team at the same time: the second attempt finds it.
    if (sqlFailure(error)?.code === UNIQUE_VIOLATION) return attempt();
    throw error;
  });
}

const UNIQUE_VIOLATION = '23505';

interface SignIn {
  roles: ReadonlyMap<string, Role | null>;
  trustEmail: boolean;
  requestId: string;
}

/**
 * The person with this account at the provider, with the address that the provider states now: the address before is
 * free for another person. Null if the account is new here.
 * @throws Refusal forbidden
 */
async function returningPerson(
  tx: Tx,
  context: ServiceContext,
  person: ProvidedPerson,
  { trustEmail, requestId }: SignIn,
): Promise<UserRow | null> {
  const user = await userOfIdentity(tx, person.issuer, person.subject);
  if (user === null) return null;
  const isVerified = person.emailVerified ?? trustEmail;
  const email = isVerified && person.email !== null ? readAddress(person.email) : null;
  if (email === null || email === user.email) return user;
  if ((await userByEmail(tx, email)) !== null) throw refusal('provider-address-taken', { email });
  await setAddress(tx, user.id, email);
  const entry = { teamId: null, keyId: null, action: 'user.change', subject: user.id, requestId } as const;
  const [before, after] = [{ email: user.email }, { email }];
  await insertAccountChange(tx, { ...entry, before, after, at: context.now() });
  return { ...user, email };
}

/**
 * Attaches a new identity to the person with its address. A new person is created if one of the groups has a team, or
 * if a team has invited the address. A person who has another account at this provider gets no second one: the provider
 * may have given the address to another person.
 */
async function attachIdentity(
  tx: Tx,
  context: ServiceContext,
  person: ProvidedPerson,
  signIn: SignIn,
): Promise<UserRow> {
  const { issuer, subject } = person;
  const email = verifiedEmail(person, signIn.trustEmail);
  const knownUser = await userByEmail(tx, email);
  if (knownUser && (await findSubject(tx, issuer, knownUser.id)) !== null) {
    throw refusal('provider-other-account', { email, command: linkCommand(email, issuer, subject) });
  }
  const isWanted =
    [...signIn.roles.values()].some((role) => role !== null) ||
    (await countInvitationsOfAddress(tx, email, context.now())) > 0;
  if (!knownUser && !isWanted) {
    throw refusal('provider-no-team', { email });
  }
  const user = knownUser ?? { id: `user_${context.random(6).toString('hex')}`, email, name: cleanName(person, email) };
  if (!knownUser) {
    await insertUser(tx, user);
    const entry = { teamId: null, keyId: null, action: 'user.create', subject: user.id, before: null } as const;
    const after = { email, name: user.name };
    await insertAccountChange(tx, { ...entry, after, requestId: signIn.requestId, at: context.now() });
  }
  await insertIdentity(tx, { issuer, subject, userId: user.id });
  return user;
}

/**
 * A command for the shell of the administrator. A subject has at most 255 ASCII characters (OpenID Connect Core section
 * 2).
 */
function linkCommand(email: string, issuer: string, subject: string): string {
  const shownSubject = /^[\x20-\x7e]{1,255}$/.test(subject) ? quoteForShell(subject) : '<subject>';
  return `zonestead admin users link --email ${quoteForShell(email)} --issuer ${quoteForShell(issuer)} --subject ${shownSubject}`;
}

/**
 * The address of the person, in lower case. The address must be verified: otherwise a user who can enter any address at
 * the provider could sign in as another person of this service, now or later.
 * @throws Refusal forbidden
 */
function verifiedEmail({ email, emailVerified }: ProvidedPerson, trustEmail: boolean): string {
  if (email === null) throw refusal('provider-no-email');
  const address = readAddress(email);
  if (address === null) throw refusal('provider-email-form', { email: clip(email) });
  if (emailVerified === false) {
    throw refusal('provider-email-unverified', { email: address });
  }
  if (emailVerified === null && !trustEmail) {
    throw refusal('provider-email-unclear', { email: address });
  }
  return address;
}

function cleanName({ name }: ProvidedPerson, email: string): string {
  const plain = (name ?? '')
    .replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '')
    .trim()
    .slice(0, 64);
  return plain === '' ? email.slice(0, 64) : plain;
}
