// The common steps of all changes to teams, members and keys: only people may make them, and each runs in one
// transaction that locks the team's row and writes the history. Changes of one team wait in the process before they
// take a connection, as those of one zone do.
import { type AccountChange, insertAccountChange, listAccountChanges } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { keyStanding } from '#store/keys.ts';
import { findMember, lockTeam, type Role, type TeamRow } from '#store/people.ts';
import { inTurn } from '../change/locked.ts';
import { BUSY_RETRY_MS } from '../change/queue.ts';
import { keyRevoked } from '../change/standing.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { Refusal, refusal } from '../refusal.ts';
import type { Actor, Person } from './actor.ts';

/** The person behind a key. @throws Refusal forbidden for app accounts' keys */
export function mustBePerson(actor: Actor): Person {
  if (actor.user !== null) return actor.user;
  throw refusal('app-key');
}

export function noTeam(): Refusal {
  return refusal('no-team');
}

/** @throws Refusal forbidden, not_found */
export async function mustBeMember(context: ServiceContext, actor: Actor, teamId: string): Promise<Role> {
  const member = await findMember(context.db, teamId, mustBePerson(actor).id);
  if (!member) throw noTeam();
  return member.role;
}

type TeamChange = Pick<AccountChange, 'action' | 'subject' | 'before' | 'after'>;

interface TeamOutcome<T> {
  answer: T;
  /** The history entries. Null or empty: nothing was changed. */
  change: TeamChange | TeamChange[] | null;
}

export interface TeamWork {
  tx: Tx;
  team: TeamRow;
  role: Role;
  /** The time of the change. */
  now: Date;
}

/**
 * Runs one change of a team. It checks the role and the key after it has the lock, so that a person who was removed
 * while the request waited cannot change anything.
 * @throws Refusal forbidden (app key, not an owner), not_found, unauthorized (revoked meanwhile), busy, and the
 * refusals of `operation`; nothing is written then
 */
export async function changeTeam<T>(
  context: ServiceContext,
  caller: Caller,
  teamId: string,
  needs: Role,
  operation: (work: TeamWork) => Promise<TeamOutcome<T>>,
): Promise<T> {
  const person = mustBePerson(caller.actor);
  // A person who is not a member must not wait among the changes of the team, nor learn that there are any.
  await mustBeMember(context, caller.actor, teamId);
  const mustAct = async (tx: Tx) => {
    const now = context.now();
    // The statements below must not be sent before this lock is acquired.
    const team = await lockTeam(tx, teamId);
    const [member, standing] = await Promise.all([
      findMember(tx, teamId, person.id),
      keyStanding(tx, caller.actor.keyId, { teamId }, now),
    ]);
    if (!standing.valid) throw keyRevoked();
    if (!team || !member) throw noTeam();
    if (needs === 'owner' && member.role !== 'owner') throw refusal('owners-only');
    return { team, role: member.role, now };
  };
  const work = async (tx: Tx) => {
    const acting = await mustAct(tx);
    const { answer, change } = await operation({ tx, ...acting });
    for (const each of change === null ? [] : [change].flat()) {
      await insertAccountChange(tx, { ...each, ...accountHistory(caller, teamId, acting.now) });
    }
    return answer;
  };
  return teamBusy(inTurn(context, caller, [teamId], work, { mustRepeat: mustAct }));
}

export function accountHistory(caller: Caller, teamId: string | null, now: Date) {
  return { teamId, keyId: caller.actor.keyId, requestId: caller.requestId, at: now };
}

/** Replaces the message of `busy`, which is about a zone: here another change locked the team. */
export async function teamBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'busy') throw error;
    throw refusal('team-busy', {}, { retryAfterMs: BUSY_RETRY_MS });
  }
}

const PAGE = 100;

/** A team's history, the newest first. @throws Refusal forbidden, not_found, bad_request (cursor) */
export async function readAccountChanges(
  context: ServiceContext,
  actor: Actor,
  teamId: string,
  { limit = PAGE, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  await mustBeMember(context, actor, teamId);
  if (cursor !== undefined && !/^[0-9]{1,15}$/.test(cursor)) {
    throw refusal('bad-cursor');
  }
  const before = cursor === undefined ? null : Number(cursor);
  const { entries, more } = await listAccountChanges(context.db, teamId, limit, before);
  const last = entries.at(-1);
  return {
    changes: entries.map(({ id, at, teamId: _, ...rest }) => ({ id, at: at.toISOString(), ...rest })),
    ...(last && more ? { next: last.id } : {}),
  };
}
