// What changes teams, members and keys have in common: only people may, in one transaction that holds the team's row,
// with an entry of history. Knows nothing of zones.
import { type AccountChange, accountChangesOf, insertAccountChange } from '../store/account-changes.ts';
import type { Tx } from '../store/database.ts';
import { keyStanding } from '../store/keys.ts';
import { lockTeam, memberOf, type Role, type TeamRow } from '../store/people.ts';
import type { Actor, Person } from './actor.ts';
import { type Caller, type House, keyRevoked, once } from './change.ts';
import { BUSY_RETRY_MS } from './queue.ts';
import { Refusal } from './refusal.ts';

/** The person behind a key. @throws Refusal forbidden for app accounts' keys */
export function mustBePerson(actor: Actor): Person {
  if (actor.user !== null) return actor.user;
  throw new Refusal(
    'forbidden',
    "This is the key of an app account; teams, members and keys are for people's keys (yu_…).",
  );
}

export function noTeam(): Refusal {
  return new Refusal('not_found', 'No such team, or you are not a member of it.');
}

/** @throws Refusal forbidden, not_found */
export async function mustBeMember(house: House, actor: Actor, teamId: string): Promise<Role> {
  const member = await memberOf(house.db, teamId, mustBePerson(actor).id);
  if (!member) throw noTeam();
  return member.role;
}

export interface TeamOutcome<T> {
  answer: T;
  /** Null: nothing was changed. */
  change: Pick<AccountChange, 'action' | 'subject' | 'before' | 'after'> | null;
}

export interface TeamWork {
  tx: Tx;
  team: TeamRow;
  role: Role;
  /** The time of the change. */
  now: Date;
}

/**
 * Runs one change of a team. Role and key are judged after the lock, so that who was removed meanwhile changes nothing.
 * @throws Refusal forbidden (app key, not an owner), not_found, unauthorized (revoked meanwhile), busy, and what
 * `operation` refuses; nothing is written then
 */
export async function changeTeam<T>(
  house: House,
  caller: Caller,
  teamId: string,
  needs: Role,
  operation: (work: TeamWork) => Promise<TeamOutcome<T>>,
): Promise<T> {
  const person = mustBePerson(caller.actor);
  return teamBusy(
    once(house, caller, async (tx) => {
      const now = house.now();
      // What follows must not be on its way before the lock is there.
      const team = await lockTeam(tx, teamId);
      const [member, standing] = await Promise.all([
        memberOf(tx, teamId, person.id),
        keyStanding(tx, caller.actor.keyId, { teamId }, now),
      ]);
      if (!standing.valid) throw keyRevoked();
      if (!team || !member) throw noTeam();
      if (needs === 'owner' && member.role !== 'owner') {
        throw new Refusal('forbidden', 'Only an owner of the team may do this; you are a member.');
      }
      const { answer, change } = await operation({ tx, team, role: member.role, now });
      if (change) await insertAccountChange(tx, { ...change, ...accountHistory(caller, teamId, now) });
      return answer;
    }),
  );
}

export function accountHistory(caller: Caller, teamId: string | null, now: Date) {
  return { teamId, keyId: caller.actor.keyId, requestId: caller.requestId, at: now };
}

/** The sentence of `busy` speaks of a zone; here it was the team that somebody else held. */
async function teamBusy<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'busy') throw error;
    throw new Refusal(
      'busy',
      'The team is busy with another change. Nothing was written; try again in a moment.',
      BUSY_RETRY_MS,
    );
  }
}

const PAGE = 100;

/** A team's history, the newest first. @throws Refusal forbidden, not_found, bad_request (cursor) */
export async function readAccountChanges(
  house: House,
  actor: Actor,
  teamId: string,
  { limit = PAGE, cursor }: { limit?: number | undefined; cursor?: string | undefined },
) {
  await mustBeMember(house, actor, teamId);
  if (cursor !== undefined && !/^[0-9]{1,15}$/.test(cursor)) {
    throw new Refusal('bad_request', 'cursor: must be the `next` of an earlier answer.');
  }
  const rows = await accountChangesOf(house.db, teamId, limit + 1, cursor === undefined ? null : Number(cursor));
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    changes: page.map(({ id, at, teamId: _, ...rest }) => ({ id: String(id), at: at.toISOString(), ...rest })),
    ...(last && page.length < rows.length ? { next: String(last.id) } : {}),
  };
}
