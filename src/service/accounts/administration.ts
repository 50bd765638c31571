// The administrator's commands: people, and the keys of any team. They use the database directly and need no key. Every change
// is written to the same history as the changes over the API.
import { findNearest } from '#base/nearest.ts';
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import { type Db, openDatabase, type Tx } from '#store/database.ts';
import { keyById, teamByName } from '#store/keys.ts';
import { allNodeKeys } from '#store/node-keys.ts';
import { insertMember, insertUser, lockTeam, memberOf, type Role, setRole, userByEmail } from '#store/people.ts';
import { allKeys, revokeKeyRow, zonesOfTeam } from '#store/team-keys.ts';
import { teamNames } from '#store/team-list.ts';
import { mintedTerms } from '../keys/app-keys.ts';
import { ensureTeam, mintKey, mintPersonKey } from '../keys/keys.ts';
import { judgeTerms, NO_TERMS, type TermsInput } from '../keys/terms.ts';
import type { MintedTsigKey } from '../keys/tsig.ts';
import { revokeNodeKey } from '../nodes/keys.ts';
import { insist } from '../refusal.ts';
import { readAddress } from './address.ts';
import { endInvitations } from './members.ts';
import { TEAM_ID } from './provided-teams.ts';

type Random = (bytes: number) => Buffer;

export interface ListedKey {
  id: string;
  name: string;
  /** The team's name or the person's e-mail address; empty for a node key, whose name is that of its node. */
  holder: string;
  kind: 'app' | 'person' | 'node';
  records: string;
  manageZones: string;
  clusters: string;
  createdAt: Date;
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
}

/** Runs `work` on one connection, which is closed afterwards. */
export async function withDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const database = openDatabase(url, { max: 1, name: 'zonestead-admin' });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

export interface DryRun {
  /** Whether the transaction is rolled back at its end. (Default: false.) */
  dryRun?: boolean | undefined;
}

/**
 * Runs `work` in a transaction. A dry run does everything, with all checks, and rolls it back at the end.
 * @returns the result of `work`, also in a dry run
 */
export async function inTransaction<T>(url: string, work: (tx: Tx) => Promise<T>, { dryRun }: DryRun = {}): Promise<T> {
  return withDatabase(url, async (db) => {
    let done: { result: T } | undefined;
    try {
      await db.transaction(async (tx) => {
        done = { result: await work(tx) };
        if (dryRun) throw new Error('A dry run writes nothing.');
      });
    } catch (error) {
      if (!dryRun || done === undefined) throw error;
    }
    return (done as { result: T }).result;
  });
}

/** The author of the command line's changes in the history. */
export const COMMAND_LINE = { keyId: null, requestId: 'command-line' } as const;

/** A team by its name or its id. */
export interface NamedTeam {
  team: string;
  /** Whether a team of this name is created if there is none. (Default: that is an error.) */
  createTeam?: boolean | undefined;
}

/**
 * Creates an app key of a team. Unlike over the API, the limits may be higher than those of the service.
 * @param input.tsig the algorithm of its TSIG key. (Default: it has none.)
 * @throws Refusal bad_request; Error if a zone of `grants` does not belong to the team
 */
export async function adminMintKey(
  url: string,
  named: NamedTeam,
  { tsig: algorithm, ...input }: TermsInput & { name: string; tsig?: TsigKeyAlgorithm | undefined },
  random: Random,
  now: Date,
): Promise<{ teamId: string; keyId: string; text: string; tsig: MintedTsigKey | null }> {
  const terms = insist(judgeTerms(NO_TERMS, input, { now, anyLimits: true }));
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const { id: teamId } = await namedTeam(tx, named, random);
      const wanted = terms.grants.map((grant) => grant.zoneId);
      const found = await zonesOfTeam(tx, teamId, wanted);
      const missing = wanted.find((id) => !found.includes(id));
      if (missing !== undefined)
        throw new Error(`zone ${missing} does not exist, or does not belong to team ${named.team}`);
      const { id: keyId, text, tsig } = await mintKey(tx, { teamId, ...terms, tsig: algorithm }, random);
      const after = mintedTerms(terms, tsig);
      const entry = { teamId, action: 'key.mint', subject: keyId, before: null, after, at: now } as const;
      await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
      return { teamId, keyId, text, tsig };
    }),
  );
}

/** All keys, or the keys of one team, without their secrets. The keys of nodes come last. */
export async function adminListKeys(url: string, team: string | null): Promise<ListedKey[]> {
  const [rows, nodeRows] = await withDatabase(url, async (db) => [
    await allKeys(db, team),
    team === null ? await allNodeKeys(db) : [],
  ]);
  const keys = rows.map(({ team: teamName, email, ...row }) => ({
    ...datesOf(row),
    holder: teamName ?? email ?? '',
    kind: teamName === null ? ('person' as const) : ('app' as const),
    records: row.records,
    manageZones: row.manageZones,
    // A person may.
    clusters: teamName === null ? 'write' : row.clusters,
  }));
  const none = { holder: '', kind: 'node', records: 'none', manageZones: 'none', clusters: 'none' } as const;
  return [...keys, ...nodeRows.map((row) => ({ ...datesOf(row), ...none }))];
}

type Dates = Pick<ListedKey, 'id' | 'name' | 'createdAt' | 'expiresAt' | 'revokedAt' | 'lastUsedAt'>;

function datesOf({ id, name, createdAt, expiresAt, revokedAt, lastUsedAt }: Dates): Dates {
  return { id, name, createdAt, expiresAt, revokedAt, lastUsedAt };
}

/**
 * Revokes a key of an app account, of a person or of a node. Repeated calls have no further effect.
 * @throws Error if no key has this id
 */
export async function adminRevokeKey(url: string, keyId: string, now: Date, options: DryRun = {}): Promise<void> {
  const revoke = async (tx: Tx) => {
    const key = await keyById(tx, keyId);
    if (!key) {
      if (await revokeNodeKey(tx, keyId, COMMAND_LINE, now)) return;
      throw new Error(`there is no key ${keyId}; "zonestead keys list" shows the ids`);
    }
    if (!(await revokeKeyRow(tx, keyId, now))) return;
    const entry = { teamId: key.teamId, action: 'key.revoke', subject: keyId, after: null, at: now } as const;
    await insertAccountChange(tx, { ...entry, before: { name: key.name }, ...COMMAND_LINE });
  };
  await inTransaction(url, revoke, options);
}

interface NewPerson {
  email: string;
  /** The name of a new person. An existing person keeps their name. */
  name: string;
  /** Name of the key. */
  keyName: string;
  /** The team that the person joins. */
  team: (NamedTeam & { role: Role }) | null;
}

/** Creates a person, unless one with this address exists, and a new key for the person. Adds the person to `team` if it is set. */
export async function adminAddPerson(
  url: string,
  { email, name, keyName, team }: NewPerson,
  random: Random,
  now: Date,
): Promise<{ userId: string; isNew: boolean; keyId: string; text: string; teamId: string | null }> {
  return withDatabase(url, (db) =>
    db.transaction(async (tx) => {
      const address = readAddress(email);
      if (address === null) throw new Error(`${email} is not an address that a person of this service can have`);
      const found = await userByEmail(tx, address);
      const user = found ?? { id: `user_${random(6).toString('hex')}`, email: address, name };
      const record = (action: 'user.create' | 'key.mint', subject: string, after: object) =>
        insertAccountChange(tx, { teamId: null, action, subject, before: null, after, at: now, ...COMMAND_LINE });
      if (!found) {
        await insertUser(tx, user);
        await record('user.create', user.id, { email: user.email, name });
      }
      const teamId = team === null ? null : await joinTeam(tx, user.id, team, random, now);
      const { id: keyId, text } = await mintPersonKey(tx, { userId: user.id, name: keyName }, random);
      await record('key.mint', keyId, { userId: user.id, name: keyName });
      return { userId: user.id, isNew: found === null, keyId, text, teamId };
    }),
  );
}

/** @throws Error that suggests the team of the nearest name, if there is no team of this name or id */
export async function namedTeam(tx: Tx, { team, createTeam }: NamedTeam, random: Random): Promise<{ id: string }> {
  if (TEAM_ID.test(team)) {
    const found = await lockTeam(tx, team);
    if (found) return found;
    throw new Error(`there is no team ${team}; "zonestead teams list" shows the ids`);
  }
  const found = createTeam ? await ensureTeam(tx, team, random) : await teamByName(tx, team);
  if (found) return found;
  const nearest = findNearest(team, await teamNames(tx));
  const meant = nearest === null ? '' : ` Did you mean ${JSON.stringify(nearest)}?`;
  throw new Error(
    `there is no team ${JSON.stringify(team)}.${meant} "zonestead teams list" shows all teams, and --create-team creates this one`,
  );
}

async function joinTeam(
  tx: Tx,
  userId: string,
  { role, ...named }: NamedTeam & { role: Role },
  random: Random,
  now: Date,
): Promise<string> {
  const { id: teamId } = await namedTeam(tx, named, random);
  const member = await memberOf(tx, teamId, userId);
  if (member?.role === role) return teamId;
  if (member) await setRole(tx, teamId, userId, role);
  else await insertMember(tx, { teamId, userId, role, createdAt: now });
  const change = {
    action: member ? 'member.change' : 'member.add',
    subject: userId,
    before: member ? { role: member.role } : null,
    after: { role },
  } as const;
  const ended = member?.role === 'owner' ? await endInvitations({ tx, team: { id: teamId } }, userId) : [];
  for (const each of [change, ...ended]) await insertAccountChange(tx, { ...each, teamId, at: now, ...COMMAND_LINE });
  return teamId;
}
