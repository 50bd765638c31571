// The administrator's commands for the keys and trusts of any team. author.ts has the rules that hold for
// administrators alone.
import type { TsigKeyAlgorithm } from '#dns/tsig/key.ts';
import { withDatabase } from '#store/admin.ts';
import type { Db, Tx } from '#store/database.ts';
import { keyById } from '#store/keys.ts';
import { allNodeKeys } from '#store/node-keys.ts';
import { allKeys } from '#store/team-keys.ts';
import { listSubjects } from '#store/trust-subjects.ts';
import { allTrusts, type SharingTrust, type TrustRow, trustById } from '#store/trusts.ts';
import type { TokenVerifier } from '#tokens/verifier.ts';
import { COMMAND_LINE, type DryRun, findTeam, inTransaction, type NamedTeam } from '../administrator.ts';
import { judgeTerms, NO_TERMS, type TermsInput } from '../keys/terms.ts';
import { revokeNodeKey } from '../nodes/keys.ts';
import { insist } from '../refusal.ts';
import { type Explanation, explain } from '../trusts/explain.ts';
import { judgeTrust, NO_TRUST, type TrustInput } from '../trusts/terms.ts';
import { ADMINISTRATOR } from './author.ts';
import { createKey, KEY, type MintedKey } from './keys.ts';
import { type CredentialWork, recordAccountChange, revokeCredential } from './lifecycle.ts';
import { type AcceptedSubject, acceptIn, MAX_LISTED_SUBJECTS, type SubjectView, subjectView } from './subjects.ts';
import { addTrust, TRUST, type TrustView, trustView } from './trusts.ts';

type Random = (bytes: number) => Buffer;

/** Runs a change of the credentials of a team. */
function workAsAdministrator<Answer>(
  url: string,
  namedTeam: NamedTeam,
  { random, now }: { random: Random; now: Date },
  change: (work: CredentialWork) => Promise<Answer>,
): Promise<Answer> {
  return inTransaction(url, async (tx) => {
    const { id } = await findTeam(tx, namedTeam, random);
    return change({ tx, team: { id, name: namedTeam.team }, author: ADMINISTRATOR, now, random, quotas: null });
  });
}

/** A key that the administrator sees, without its secret. */
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

/** @throws Refusal bad_request; Error if a zone of `grants` does not belong to the team */
export function adminMintKey(
  url: string,
  namedTeam: NamedTeam,
  { tsig: algorithm, ...input }: TermsInput & { name: string; tsig?: TsigKeyAlgorithm | undefined },
  random: Random,
  now: Date,
): Promise<MintedKey & { teamId: string }> {
  const terms = insist(judgeTerms(NO_TERMS, input, { now, anyLimits: true }));
  return workAsAdministrator(url, namedTeam, { random, now }, async (work) => ({
    ...(await createKey(work, terms, algorithm)),
    teamId: work.team.id,
  }));
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
      throw new Error(`there is no key ${keyId}; "zonestead admin keys list" shows the ids`);
    }
    await revokeCredential({ tx, team: { id: key.teamId }, author: ADMINISTRATOR, now }, KEY, key);
  };
  await inTransaction(url, revoke, options);
}

export type AdminTrustView = TrustView & { team: string };

function adminView(row: TrustRow): AdminTrustView {
  return { ...trustView(row), team: row.teamName };
}

/**
 * Creates a trust of a team, and revokes the trusts of other teams' members that accept the same tokens.
 * @throws Refusal bad_request; Error if a zone of `grants` does not belong to the team
 */
export function adminCreateTrust(
  url: string,
  namedTeam: NamedTeam,
  input: TrustInput & { name: string },
  random: Random,
  now: Date,
): Promise<AdminTrustView & { revoked: readonly SharingTrust[] }> {
  const terms = insist(judgeTrust(NO_TRUST, input, { now, isAdministrator: true }));
  return workAsAdministrator(url, namedTeam, { random, now }, async (work) => {
    const { id, revoked } = await addTrust(work, terms);
    return { ...adminView(await mustBeTrust(work.tx, id)), revoked };
  });
}

/** All trusts, or those of the team with this name. */
export async function adminListTrusts(url: string, team: string | null): Promise<AdminTrustView[]> {
  return withDatabase(url, async (db) => (await allTrusts(db, team)).map(adminView));
}

/** A trust with its subjects. @throws Error if it does not exist */
export async function adminReadTrust(url: string, id: string): Promise<AdminTrustView & { known: SubjectView[] }> {
  return withDatabase(url, async (db) => {
    const trust = await mustBeTrust(db, id);
    return { ...adminView(trust), known: (await listSubjects(db, id, MAX_LISTED_SUBJECTS)).map(subjectView) };
  });
}

/**
 * Repeated calls have no further effect.
 * @returns the trust before
 * @throws Error if the trust does not exist
 */
export async function adminRevokeTrust(
  url: string,
  id: string,
  now: Date,
  options: DryRun = {},
): Promise<AdminTrustView> {
  const revoke = async (tx: Tx) => {
    const trust = await mustBeTrust(tx, id);
    await revokeCredential(administratorsWork(tx, trust, now), TRUST, trust);
    return adminView(trust);
  };
  return inTransaction(url, revoke, options);
}

/** @throws Error if the trust does not exist; Refusal as acceptSubject */
export async function adminAcceptSubject(
  url: string,
  id: string,
  wantedSubject: AcceptedSubject,
  now: Date,
): Promise<void> {
  await inTransaction(url, async (tx) => {
    const trust = await mustBeTrust(tx, id);
    await recordAccountChange(administratorsWork(tx, trust, now), await acceptIn(tx, trust, wantedSubject));
  });
}

function administratorsWork(tx: Tx, { teamId }: TrustRow, now: Date) {
  return { tx, team: { id: teamId }, author: ADMINISTRATOR, now };
}

/** The verdict of every trust of the service, or of one team. @throws Refusal bad_request if the text is not a token */
export async function adminExplainToken(
  url: string,
  tokens: TokenVerifier,
  text: string,
  team: string | null,
  now: Date,
): Promise<Explanation> {
  return withDatabase(url, async (db) => explain(db, tokens, text, await allTrusts(db, team), now));
}

async function mustBeTrust(db: Db | Tx, id: string): Promise<TrustRow> {
  const trust = await trustById(db, null, id);
  if (!trust) throw new Error(`there is no trust ${id}; "zonestead admin trusts list" shows the ids`);
  return trust;
}
