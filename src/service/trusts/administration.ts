// The administrator's commands for trusts of any team. They use the database directly and need no key, and only they may choose key
// sources at private addresses and the cluster of the service. Every change is in the same history as those over the API.
import { insertAccountChange } from '#store/account-changes.ts';
import type { Db, Tx } from '#store/database.ts';
import { zonesOfTeam } from '#store/team-keys.ts';
import { subjectsOf } from '#store/trust-subjects.ts';
import { allTrusts, insertTrust, revokeTrustRow, type SharingTrust, type TrustRow, trustById } from '#store/trusts.ts';
import { COMMAND_LINE, type NamedTeam, namedTeam, withDatabase } from '../accounts/administration.ts';
import { insist } from '../refusal.ts';
import { type Explanation, explain } from './explain.ts';
import type { TokenVerifier } from './ports.ts';
import { revokeSharing } from './reservations.ts';
import { type AcceptedSubject, acceptIn, MOST_LISTED, type SubjectView, subjectView } from './subjects.ts';
import { indexOfTrust, judgeTrust, NO_TRUST, type TrustInput } from './terms.ts';
import { newTrustId, type TrustView, trustTermsView, trustView } from './trusts.ts';

export type AdminTrustView = TrustView & { team: string };

/** A new trust, and the trusts of other teams that were revoked because they accepted its tokens. */
export type CreatedTrust = AdminTrustView & { revoked: readonly Pick<SharingTrust, 'id' | 'name' | 'teamName'>[] };

function adminView(row: TrustRow): AdminTrustView {
  return { ...trustView(row), team: row.teamName };
}

/**
 * Creates a trust of a team, and revokes the trusts of other teams' members that accept the same tokens.
 * @throws Refusal bad_request; Error if a zone of `grants` does not belong to the team
 */
export async function adminCreateTrust(
  url: string,
  named: NamedTeam,
  input: TrustInput & { name: string },
  random: (bytes: number) => Buffer,
  now: Date,
): Promise<CreatedTrust> {
  const terms = insist(judgeTrust(NO_TRUST, input, { now, isAdministrator: true }));
  return inTransaction(url, async (tx) => {
    const { id: teamId } = await namedTeam(tx, named, random);
    const wanted = terms.grants.map((grant) => grant.zoneId);
    const found = await zonesOfTeam(tx, teamId, wanted);
    const missing = wanted.find((id) => !found.includes(id));
    if (missing !== undefined)
      throw new Error(`zone ${missing} does not exist, or does not belong to team ${named.team}`);
    const id = newTrustId(random);
    await insertTrust(tx, { id, teamId, ...terms, ...indexOfTrust(terms), createdBy: null, createdAt: now });
    const entry = {
      teamId,
      action: 'trust.create',
      subject: id,
      before: null,
      after: trustTermsView(terms),
      at: now,
    } as const;
    await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
    const revoked = await revokeSharing(tx, teamId, terms, COMMAND_LINE, now);
    return { ...adminView(await mustBeTrust(tx, id)), revoked };
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
    return { ...adminView(trust), known: (await subjectsOf(db, id, MOST_LISTED)).map(subjectView) };
  });
}

/**
 * Repeated calls have no further effect.
 * @param options.dryRun changes nothing
 * @returns the trust before
 * @throws Error if the trust does not exist
 */
export async function adminRevokeTrust(
  url: string,
  id: string,
  now: Date,
  { dryRun = false }: { dryRun?: boolean } = {},
): Promise<AdminTrustView> {
  return inTransaction(url, async (tx) => {
    const trust = await mustBeTrust(tx, id);
    if (dryRun || !(await revokeTrustRow(tx, id, now))) return adminView(trust);
    const { teamId, name } = trust;
    const entry = { teamId, action: 'trust.revoke', subject: id, before: { name }, after: null, at: now } as const;
    await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
    return adminView(trust);
  });
}

/** @throws Error if the trust does not exist; Refusal as acceptSubject */
export async function adminAcceptSubject(url: string, id: string, wanted: AcceptedSubject, now: Date): Promise<void> {
  await inTransaction(url, async (tx) => {
    const trust = await mustBeTrust(tx, id);
    const change = await acceptIn(tx, trust, wanted);
    await insertAccountChange(tx, { ...change, teamId: trust.teamId, at: now, ...COMMAND_LINE });
  });
}

/** The verdict of every trust of the service, or of one team. @throws Refusal bad_request if the text is no token */
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
  if (!trust) throw new Error(`there is no trust ${id}; "zonestead trusts list" shows the ids`);
  return trust;
}

async function inTransaction<T>(url: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  return withDatabase(url, (db) => db.transaction(work));
}
