// What whoever runs the service does from the command line, beside the database and without a key: people, keys of any
// team, all of it in the same history.
import { insertAccountChange } from '../store/account-changes.ts';
import { type Db, openDatabase, type Tx } from '../store/database.ts';
import { keyById } from '../store/keys.ts';
import { insertMember, insertUser, memberOf, type Role, setRole, userByEmail } from '../store/people.ts';
import { allKeys, revokeKeyRow, zonesOfTeam } from '../store/team-keys.ts';
import { judgeTerms, NO_TERMS, type TermsInput } from './key-terms.ts';
import { ensureTeam, mintKey, mintPersonKey } from './keys.ts';
import { insist } from './refusal.ts';

type Random = (bytes: number) => Buffer;

export interface ListedKey {
  id: string;
  name: string;
  /** The team's name or the person's e-mail address. */
  holder: string;
  kind: 'app' | 'person';
  records: string;
  manageZones: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'zonestead-admin' });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

const COMMAND_LINE = { keyId: null, requestId: 'command-line' } as const;

/**
 * An app key of the team of that name, which is made when there is none. Other than over the API, any limits may be given.
 * @throws Refusal bad_request; Error when a zone of `grants` is none of the team's
 */
export async function adminMintKey(
  url: string,
  team: string,
  input: TermsInput & { name: string },
  random: Random,
  now: Date,
): Promise<{ teamId: string; keyId: string; text: string }> {
  const terms = insist(judgeTerms(NO_TERMS, input, { now, anyLimits: true }));
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const { id: teamId } = await ensureTeam(tx, team, random);
      const wanted = terms.grants.map((grant) => grant.zoneId);
      const found = await zonesOfTeam(tx, teamId, wanted);
      const missing = wanted.find((id) => !found.includes(id));
      if (missing !== undefined) throw new Error(`zone ${missing} does not exist, or does not belong to team ${team}`);
      const { id: keyId, text } = await mintKey(tx, { teamId, ...terms }, random);
      const entry = { teamId, action: 'key.mint', subject: keyId, before: null, after: terms, at: now } as const;
      await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
      return { teamId, keyId, text };
    }),
  );
}

/** Every key, or those of one team; never a secret. */
export async function adminListKeys(url: string, team: string | null): Promise<ListedKey[]> {
  const rows = await withDatabase(url, (db) => allKeys(db, team));
  return rows.map(({ team: teamName, email, ...row }) => ({
    id: row.id,
    name: row.name,
    holder: teamName ?? email ?? '',
    kind: teamName === null ? 'person' : 'app',
    records: row.records,
    manageZones: row.manageZones,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    revokedAt: row.revokedAt,
    lastUsedAt: row.lastUsedAt,
  }));
}

/** Revokes any key, app or person; repeating is fine. @throws Error when there is none of that id */
export async function adminRevokeKey(url: string, keyId: string, now: Date): Promise<void> {
  await withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const key = await keyById(tx, keyId);
      if (!key) throw new Error(`there is no key ${keyId}; "zonestead keys list" shows the ids`);
      if (!(await revokeKeyRow(tx, keyId, now))) return;
      const entry = { teamId: key.teamId, action: 'key.revoke', subject: keyId, after: null, at: now } as const;
      await insertAccountChange(tx, { ...entry, before: { name: key.name }, ...COMMAND_LINE });
    }),
  );
}

export interface NewPerson {
  email: string;
  /** Kept as it is for a person who exists. */
  name: string;
  /** Name of the key. */
  keyName: string;
  /** A team to be a member of, made when there is none. */
  team: { name: string; role: Role } | null;
}

/** A person, unless there is one of that address, with a further key, in a team when one is named. */
export async function adminAddPerson(
  url: string,
  { email, name, keyName, team }: NewPerson,
  random: Random,
  now: Date,
): Promise<{ userId: string; isNew: boolean; keyId: string; text: string; teamId: string | null }> {
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const found = await userByEmail(tx, email.toLowerCase());
      const user = found ?? { id: `user_${random(6).toString('hex')}`, email: email.toLowerCase(), name };
      const tell = (action: 'user.create' | 'key.mint', subject: string, after: object) =>
        insertAccountChange(tx, { teamId: null, action, subject, before: null, after, at: now, ...COMMAND_LINE });
      if (!found) {
        await insertUser(tx, user);
        await tell('user.create', user.id, { email: user.email, name });
      }
      const teamId = team === null ? null : await joinTeam(tx, user.id, team, random, now);
      const { id: keyId, text } = await mintPersonKey(tx, { userId: user.id, name: keyName }, random);
      await tell('key.mint', keyId, { userId: user.id, name: keyName });
      return { userId: user.id, isNew: found === null, keyId, text, teamId };
    }),
  );
}

async function joinTeam(
  tx: Tx,
  userId: string,
  { name, role }: { name: string; role: Role },
  random: Random,
  now: Date,
): Promise<string> {
  const { id: teamId } = await ensureTeam(tx, name, random);
  const member = await memberOf(tx, teamId, userId);
  if (member?.role === role) return teamId;
  if (member) await setRole(tx, teamId, userId, role);
  else await insertMember(tx, { teamId, userId, role, createdAt: now });
  await insertAccountChange(tx, {
    teamId,
    action: member ? 'member.change' : 'member.add',
    subject: userId,
    before: member ? { role: member.role } : null,
    after: { role },
    at: now,
    ...COMMAND_LINE,
  });
  return teamId;
}
