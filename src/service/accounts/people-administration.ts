// The administrator's commands about people: list, suspend, resume, remove, and the account at an OpenID provider. Each
// change is one transaction with its history.
//
//     active     may sign in; keys and sessions are valid
//     suspended  no key is valid and no sign-in succeeds; memberships stay, and `resume` makes keys valid again
//     removed    keys, sessions, identities and memberships have ended; the address is free, the row stays for the
//                history
import { insertAccountChange } from '#store/account-changes.ts';
import { withDatabase } from '#store/admin.ts';
import type { Tx } from '#store/database.ts';
import { deleteIdentities, findSubject, moveIdentity, userOfIdentity } from '#store/identities.ts';
import { oldSessions } from '#store/keys.ts';
import {
  deleteMember,
  findMember,
  hasOtherOwner,
  insertMember,
  listUserTeams,
  lockTeam,
  lockUserAlone,
  setRole,
  type UserRow,
  userByEmail,
} from '#store/people.ts';
import {
  allPeople,
  keysOfPerson,
  type ListedPerson,
  markRemoved,
  personalZones,
  setSuspended,
} from '#store/people-list.ts';
import { revokeKeyRow } from '#store/team-keys.ts';
import { COMMAND_LINE, type DryRun, inTransaction } from '../administrator.ts';
import { readAddress } from './address.ts';
import { endInvitations, revokeMemberKeys } from './members.ts';
import { SESSION_NAME } from './sessions.ts';

/** The personal zones that a refusal names. */
const MAX_NAMED = 10;

type FoundPerson = NonNullable<Awaited<ReturnType<typeof userByEmail>>>;
type Entry = Pick<Parameters<typeof insertAccountChange>[1], 'teamId' | 'action' | 'subject' | 'before' | 'after'>;

export async function adminListPeople(url: string): Promise<ListedPerson[]> {
  return withDatabase(url, allPeople);
}

/**
 * Ends the sessions of a person. Keys are invalid until `adminResumePerson`.
 * @returns whether the person was active.
 * @throws Error
 */
export async function adminSuspendPerson(
  url: string,
  email: string,
  now: Date,
  options: DryRun = {},
): Promise<boolean> {
  return inTransaction(
    url,
    async (tx) => {
      const user = await mustBePersonAt(tx, email);
      await endSessions(tx, user, now);
      if (!(await setSuspended(tx, user.id, now))) return false;
      await note(tx, now, { teamId: null, action: 'user.suspend', subject: user.id, before: null, after: null });
      return true;
    },
    options,
  );
}

/**
 * @returns whether the person was suspended.
 * @throws Error
 */
export async function adminResumePerson(url: string, email: string, now: Date, options: DryRun = {}): Promise<boolean> {
  return inTransaction(
    url,
    async (tx) => {
      const user = await mustBePersonAt(tx, email);
      if (!(await setSuspended(tx, user.id, null))) return false;
      await note(tx, now, { teamId: null, action: 'user.resume', subject: user.id, before: null, after: null });
      return true;
    },
    options,
  );
}

interface Removal extends DryRun {
  email: string;
  /** The address of the person who becomes owner of the teams that would have none. */
  heir?: string | undefined;
  /** Whether teams may stay without an owner. (Default: false.) */
  force?: boolean | undefined;
  /** Whether app keys and trusts that the person created in teams are revoked. (Default: false.) */
  revokeKeys?: boolean | undefined;
}

/**
 * @returns the teams that the person was in.
 * @throws Error if a team would have no owner, or the person has zones
 */
export async function adminRemovePerson(
  url: string,
  { email, heir, force = false, revokeKeys: isRevoking = false, ...options }: Removal,
  now: Date,
): Promise<{ team: string; role: string }[]> {
  return inTransaction(
    url,
    async (tx) => {
      const user = await mustBePersonAt(tx, email);
      await mustHaveNoZones(tx, user);
      const teams = (await listUserTeams(tx, user.id)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
      const orphans: typeof teams = [];
      for (const team of teams) {
        await lockTeam(tx, team.id);
        if (team.role === 'owner' && !(await hasOtherOwner(tx, team.id, user.id))) orphans.push(team);
      }
      if (heir !== undefined) await inherit(tx, orphans, user, await mustBePersonAt(tx, heir), now);
      else if (orphans.length > 0 && !force) throw withoutOwner(user, orphans);
      for (const team of teams) {
        await deleteMember(tx, team.id, user.id);
        const before = { role: team.role };
        const removal = { action: 'member.remove', subject: user.id, before, after: null } as const;
        const endedInvitations = await endInvitations({ tx, team }, user.id);
        const revokedCredentials = isRevoking ? await revokeMemberKeys({ tx, team, now }, user.id) : [];
        for (const entry of [removal, ...endedInvitations, ...revokedCredentials])
          await note(tx, now, { ...entry, teamId: team.id });
      }
      await revokeKeys(tx, await keysOfPerson(tx, user.id), now);
      await deleteIdentities(tx, user.id);
      await markRemoved(tx, user.id, now);
      const before = { email: user.email, name: user.name };
      await note(tx, now, { teamId: null, action: 'user.remove', subject: user.id, before, after: null });
      return teams.map(({ name, role }) => ({ team: name, role }));
    },
    options,
  );
}

/**
 * Makes an account at an OpenID provider that of the person with this address. Sessions of both people concerned end.
 * @returns the subject that the person had there before.
 * @throws Error
 */
export async function adminLinkPerson(
  url: string,
  { email, issuer, subject, ...options }: DryRun & { email: string; issuer: string; subject: string },
  now: Date,
): Promise<string | null> {
  return inTransaction(
    url,
    async (tx) => {
      const user = await mustBePersonAt(tx, email);
      const before = await findSubject(tx, issuer, user.id);
      if (before === subject) return before;
      const holder = await userOfIdentity(tx, issuer, subject);
      await moveIdentity(tx, { issuer, subject, userId: user.id });
      for (const person of holder === null ? [user] : [user, holder]) await endSessions(tx, person, now);
      const from = { issuer, subject: before, person: holder?.id ?? null };
      const entry = {
        teamId: null,
        action: 'user.link',
        subject: user.id,
        before: from,
        after: { issuer, subject },
      } as const;
      await note(tx, now, entry);
      return before;
    },
    options,
  );
}

/** The row is locked until the transaction ends. @throws Error */
async function mustBePersonAt(tx: Tx, email: string): Promise<FoundPerson> {
  const address = readAddress(email);
  const user = address === null ? null : await userByEmail(tx, address);
  if (user === null) throw new Error(`there is no user ${email}; "zonestead admin users list" shows the addresses`);
  await lockUserAlone(tx, user.id);
  return user;
}

async function mustHaveNoZones(tx: Tx, { id, email }: UserRow): Promise<void> {
  const names = await personalZones(tx, id, MAX_NAMED + 1);
  if (names.length === 0) return;
  const shownNames = names.slice(0, MAX_NAMED).join(', ');
  throw new Error(
    `${email} has personal zones: ${shownNames}${names.length > MAX_NAMED ? ', …' : ''}; delete them first, with a key of the user ("zonestead admin users add --email ${email}" makes one)`,
  );
}

function withoutOwner({ email }: UserRow, teams: readonly { name: string }[]): Error {
  const names = teams.map(({ name }) => JSON.stringify(name)).join(', ');
  return new Error(
    `${email} is the only owner of ${names}; name the next owner with --heir <address>, or leave the teams without an owner with --force`,
  );
}

async function inherit(
  tx: Tx,
  teams: readonly { id: string }[],
  user: UserRow,
  heir: FoundPerson,
  now: Date,
): Promise<void> {
  if (heir.id === user.id) throw new Error(`--heir must be another user than ${user.email}`);
  if (heir.suspendedAt !== null) throw new Error(`${heir.email} is suspended, so it cannot be the --heir of a team`);
  for (const { id } of teams) {
    const member = await findMember(tx, id, heir.id);
    if (member) await setRole(tx, id, heir.id, 'owner');
    else await insertMember(tx, { teamId: id, userId: heir.id, role: 'owner', createdAt: now });
    const action = member ? ('member.change' as const) : ('member.add' as const);
    const before = member ? { role: member.role } : null;
    await note(tx, now, { teamId: id, action, subject: heir.id, before, after: { role: 'owner' } });
  }
}

async function endSessions(tx: Tx, { id }: UserRow, now: Date): Promise<void> {
  const sessions = await oldSessions(tx, id, SESSION_NAME, { now, keep: 0 });
  await revokeKeys(
    tx,
    sessions.map((each) => ({ id: each, name: SESSION_NAME })),
    now,
  );
}

async function revokeKeys(tx: Tx, keys: readonly { id: string; name: string }[], now: Date): Promise<void> {
  for (const { id, name } of keys) {
    if (!(await revokeKeyRow(tx, id, now))) continue;
    await note(tx, now, { teamId: null, action: 'key.revoke', subject: id, before: { name }, after: null });
  }
}

async function note(tx: Tx, at: Date, entry: Entry): Promise<void> {
  await insertAccountChange(tx, { ...entry, at, ...COMMAND_LINE });
}
