// The subjects of a trust: the list for people, and the pinned UID of a service account, which a person replaces after
// the account was deleted and created again.
import type { Tx } from '#store/database.ts';
import { listSubjects, repinSubject, type SubjectRow } from '#store/trust-subjects.ts';
import { mustBeMember } from '../accounts/account.ts';
import type { Actor } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { recordAccountChange, workAsMember } from './lifecycle.ts';
import { mustBeTrust } from './trusts.ts';

/** The subjects that a list shows. */
export const MAX_LISTED_SUBJECTS = 1_000;

export interface SubjectView extends Omit<SubjectRow, 'createdAt' | 'lastUsedAt'> {
  /** The time of the first request. */
  createdAt: string;
  /** Accurate to one minute. */
  lastUsedAt: string | null;
}

export function subjectView({ createdAt, lastUsedAt, ...rest }: SubjectRow): SubjectView {
  return { ...rest, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

/** The subjects that used the trust last, at most {@link MAX_LISTED_SUBJECTS}. @throws Refusal forbidden, not_found */
export async function readSubjects(
  context: ServiceContext,
  actor: Actor,
  teamId: string,
  id: string,
): Promise<{ subjects: SubjectView[]; total: number }> {
  await mustBeMember(context, actor, teamId);
  const { subjects: total } = await mustBeTrust(context.db, teamId, id);
  return { subjects: (await listSubjects(context.db, id, MAX_LISTED_SUBJECTS)).map(subjectView), total };
}

/** The subject whose tokens are accepted again. */
export interface AcceptedSubject {
  subject: string;
  /** The UID of the service account. Null: that of the next token. */
  uid: string | null;
}

/**
 * Accepts a service account that was created again: its tokens have another UID than the pinned one.
 * @throws Refusal forbidden (app key), not_found, conflict (the trust pins nothing, or is revoked), busy
 */
export async function acceptSubject(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  id: string,
  wantedSubject: AcceptedSubject,
): Promise<void> {
  await workAsMember(context, caller, teamId, async (work) => {
    await recordAccountChange(work, await acceptIn(work.tx, await mustBeTrust(work.tx, teamId, id), wantedSubject));
  });
}

/**
 * @returns the history entry.
 * @throws Refusal not_found, conflict
 */
export async function acceptIn(
  tx: Tx,
  { id, pinSubjects, revokedAt }: Awaited<ReturnType<typeof mustBeTrust>>,
  { subject, uid }: AcceptedSubject,
) {
  if (revokedAt !== null) throw refusal('trust-ended');
  if (!pinSubjects) throw refusal('trust-pins-nothing', { trust: id });
  const before = await repinSubject(tx, id, subject, uid);
  if (before === undefined) throw refusal('no-trust-subject', { trust: id, subject: subject.slice(0, 200) });
  return { action: 'trust.accept', subject: id, before: { subject, uid: before }, after: { subject, uid } } as const;
}
