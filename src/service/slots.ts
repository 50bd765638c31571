// A limited number of slots for expensive work in one process. Teams share the slots fairly: a team never has more than its share,
// and a free slot goes to the waiting team with the fewest slots. The number of waiting requests and their time are limited. When the
// queue is full, a request takes the place of one of the team with the most waiting requests, so that no team fills the queue for others.
import { type Refusal, refusal } from './refusal.ts';

export interface Slots {
  /**
   * Waits for a slot.
   * @param holder the team or person that the work is for; see holderOf
   * @returns a function that releases the slot; further calls have no effect
   * @throws Refusal busy if too many requests wait, also later, or if no slot becomes free in time; the reason of the signal
   */
  take(holder: string, signal?: AbortSignal): Promise<() => void>;
  /** Whether a request waits that would get the next free slot. */
  isWanted(): boolean;
}

export interface SlotOptions {
  /** The number of slots in the process. */
  total: number;
  /** The number of slots that one holder may have at the same time. */
  share: number;
  /**
   * The number of requests that may wait. One holder may have at most half of them, and when all wait, the holder with the most of
   * them loses its newest one to a holder with fewer.
   */
  waiting: number;
  /** How long a request waits for a slot, in ms. */
  waitMs: number;
  /** The kind of work, for the message of the refusal: `imports of zone files`. */
  work: string;
}

/** The time after which a refused client should try again, in ms. */
const RETRY_MS = 2_000;

interface Waiter {
  holder: string;
  start(release: () => void): void;
  /** Ends the wait with a refusal. */
  refuse(): void;
}

export function createSlots({ total, share, waiting, waitMs, work }: SlotOptions): Slots {
  let taken = 0;
  const held = new Map<string, number>();
  const queue: Waiter[] = [];
  const heldBy = (holder: string) => held.get(holder) ?? 0;
  const isFree = (holder: string) => taken < total && heldBy(holder) < share;

  function start(holder: string): () => void {
    taken += 1;
    held.set(holder, heldBy(holder) + 1);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      taken -= 1;
      if (heldBy(holder) === 1) held.delete(holder);
      else held.set(holder, heldBy(holder) - 1);
      startNext();
    };
  }

  function startNext(): void {
    // The sort is stable, so requests of holders with equally many slots keep their order of arrival.
    const [next] = queue
      .filter(({ holder }) => isFree(holder))
      .sort((one, other) => heldBy(one.holder) - heldBy(other.holder));
    if (next === undefined) return;
    queue.splice(queue.indexOf(next), 1);
    next.start(start(next.holder));
  }

  const waitingOf = (holder: string) => queue.filter((waiter) => waiter.holder === holder);

  /** @throws Refusal busy if no other holder has more waiting requests than this one would have */
  function makeRoom(holder: string): void {
    const own = waitingOf(holder).length;
    if (own >= Math.ceil(waiting / 2)) throw busy(work);
    if (queue.length < waiting) return;
    const most = [...new Set(queue.map((waiter) => waiter.holder))]
      .map(waitingOf)
      .reduce((one, other) => (other.length > one.length ? other : one));
    if (most.length <= own + 1) throw busy(work);
    most.at(-1)?.refuse();
  }

  return {
    isWanted: () => queue.some(({ holder }) => heldBy(holder) < share),
    take(holder, signal) {
      return new Promise((resolve, reject) => {
        signal?.throwIfAborted();
        if (isFree(holder)) return resolve(start(holder));
        makeRoom(holder);
        const leave = (reason: unknown) => {
          queue.splice(queue.indexOf(waiter), 1);
          end();
          reject(reason as Error);
        };
        const timer = setTimeout(() => leave(busy(work)), waitMs);
        const onAbort = () => leave(signal?.reason);
        const end = () => {
          clearTimeout(timer);
          signal?.removeEventListener('abort', onAbort);
        };
        const waiter: Waiter = {
          holder,
          start: (release) => {
            end();
            resolve(release);
          },
          refuse: () => leave(busy(work)),
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        queue.push(waiter);
      });
    },
  };
}

function busy(work: string): Refusal {
  return refusal('service-busy', { work }, { retryAfterMs: RETRY_MS });
}

/** The team or person whose share of the slots the key uses. */
export function holderOf(actor: { teamId: string | null; user: { id: string } | null; keyId: string }): string {
  return actor.teamId ?? actor.user?.id ?? actor.keyId;
}
