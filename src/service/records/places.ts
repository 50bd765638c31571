// The places in the write window that a request needs. Only a request that was judged knows which of its sets or RRsets write
// something, so its places are counted then, before anything is written. A large request takes some before it is judged.
import { Refusal } from '../refusal.ts';
import type { Judgement, Member } from './judge.ts';

/** The places of one request. */
export interface Places {
  /** How many were counted so far. */
  taken: number;
  /** Counts the request as so many writes in all. @throws Refusal rate_limited, bad_request */
  take(places: number): Promise<void>;
}

/** Takes the places of a request that is about to be judged. @throws Refusal rate_limited */
export async function takeBefore(places: Places, changes: number): Promise<void> {
  await places.take(changes);
  places.taken = changes;
}

/** Whether a member needs more places than were counted for it. */
export function isMore(
  members: readonly Member[],
  judgement: Judgement,
  refused: ReadonlyMap<Member, Refusal>,
): boolean {
  return lacking(members, judgement, refused).length > 0;
}

/**
 * Counts the places that the judged members need, and adds the members whose window is full to `refused`.
 * @returns whether it added one
 */
export async function takePlaces(
  members: readonly Member[],
  judgement: Judgement,
  refused: Map<Member, Refusal>,
): Promise<boolean> {
  let isRefused = false;
  for (const { member, places, need } of lacking(members, judgement, refused)) {
    try {
      await places.take(need);
      places.taken = need;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.set(member, error);
      isRefused = true;
    }
  }
  return isRefused;
}

function lacking(members: readonly Member[], judgement: Judgement, refused: ReadonlyMap<Member, Refusal>) {
  return members.flatMap((member, index) => {
    const [places, need] = [member.places, judgement.places[index] ?? 0];
    return places === null || refused.has(member) || need <= places.taken ? [] : [{ member, places, need }];
  });
}
