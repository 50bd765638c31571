// Writers of one zone wait here, in order of arrival, before they use a database connection. Otherwise the waiting
// writers of a busy zone would use all connections, and the writers of other zones would get none. Between replicas the
// row lock is the queue. Changes of a team wait by its id, and those that join or found a team by the id of the person.
//
//     run      gets a turn of its own
//     join     shares a turn with the requests that joined directly after it: a group
//
// A turn ends when its work has settled. The work can return members of a group to the queue; these come before all
// others.
import { type Refusal, refusal } from '../refusal.ts';

export interface ZoneQueue {
  /**
   * Runs `work` after all earlier work of this zone.
   * @param work receives the time that it waited, in ms
   * @throws Refusal busy if its turn does not come in time; `work` is not started then
   */
  run<T>(zoneId: string, work: (waitedMs: number) => Promise<T>): Promise<T>;
  /**
   * Adds a member to a group. The `work` of the group's first member runs for all of them.
   * @returns the outcome of this member
   * @throws Refusal busy if its turn does not come in time; the error of this member, or of the work; Refusal
   * bad_request if the client closed the connection before the turn, in which case `work` does not get the member
   */
  join<M, T>(zoneId: string, member: Joining<M>, work: GroupWork<M, T>): Promise<T>;
  /** Whether work of this zone is in progress, so that `run` and `join` would wait. */
  isBusy(zoneId: string): boolean;
}

export interface Joining<M> {
  value: M;
  /** The number of changes. */
  size: number;
  /** The size in octets. */
  bytes: number;
  /** Whether the client closed its connection, so that no client waits for the outcome. */
  isGone?: (() => boolean) | undefined;
}

/** A member of the group whose turn it is. */
export interface Turn<M> {
  value: M;
  /** The time since it joined, in ms. */
  waitedMs(): number;
}

/** `again`: the work did nothing for the member, which waits again until its time limit. */
export type Outcome<T> = { kind: 'done'; value: T } | { kind: 'failed'; error: unknown } | { kind: 'again' };

/** Returns one outcome for each member, in their order. An error of the work is the outcome of all members. */
export type GroupWork<M, T> = (members: readonly Turn<M>[]) => Promise<readonly Outcome<T>[]>;

/** The limits of a group. A member that is larger gets a turn of its own. */
const MAX = { members: 64, size: 256, bytes: 1024 * 1024 };

export const BUSY_RETRY_MS = 1_000;

export function busy(): Refusal {
  return refusal('zone-busy', {}, { retryAfterMs: BUSY_RETRY_MS });
}

interface Waiter {
  since: number;
  timer: NodeJS.Timeout | undefined;
  reject(error: unknown): void;
  /** Starts a turn of its own; null for a member of a group. */
  start: (() => void) | null;
  member: Member | null;
}

interface Member extends Joining<unknown> {
  work: GroupWork<unknown, unknown>;
  resolve(value: unknown): void;
}

/** @param waitMs the time that a writer waits for its turn */
export function createZoneQueue(waitMs: number, now: () => number = () => performance.now()): ZoneQueue {
  // A zone has an entry while its work is in progress: the writers that wait.
  const zones = new Map<string, Waiter[]>();

  function startNext(zoneId: string, waiters: Waiter[]): void {
    const next = waiters.shift();
    if (!next) {
      zones.delete(zoneId);
      return;
    }
    const group = [next, ...(next.start ? [] : takeMembers(waiters, next))];
    for (const { timer } of group) clearTimeout(timer);
    if (next.start) next.start();
    else void runGroup(zoneId, waiters, group);
  }

  async function runGroup(zoneId: string, waiters: Waiter[], group: readonly Waiter[]): Promise<void> {
    const presentWaiters = group.filter((waiter) => !hasLeft(waiter));
    const [first] = presentWaiters;
    if (first?.member) {
      const turns = presentWaiters.map(({ member, since }) => ({
        value: member?.value,
        waitedMs: () => now() - since,
      }));
      const [settlement] = await Promise.allSettled([first.member.work(turns)]);
      const again: Waiter[] = [];
      for (const [at, waiter] of presentWaiters.entries()) {
        const outcome = settlement.status === 'fulfilled' ? settlement.value[at] : failed(settlement.reason);
        if (outcome?.kind === 'done') waiter.member?.resolve(outcome.value);
        else if (outcome?.kind === 'again') again.push(waiter);
        else waiter.reject(outcome?.error ?? new Error('a member of a group has no outcome'));
      }
      waiters.unshift(...again);
      for (const waiter of again) limitWait(waiter, waiters);
    }
    startNext(zoneId, waiters);
  }

  function limitWait(waiter: Waiter, waiters: Waiter[]): void {
    waiter.timer = setTimeout(
      () => {
        const at = waiters.indexOf(waiter);
        if (at >= 0) waiters.splice(at, 1);
        waiter.reject(busy());
      },
      Math.max(0, waitMs - (now() - waiter.since)),
    );
  }

  function wait(zoneId: string, waiter: Waiter): void {
    const waiters = zones.get(zoneId);
    if (waiters) {
      limitWait(waiter, waiters);
      waiters.push(waiter);
      return;
    }
    const first = [waiter];
    zones.set(zoneId, first);
    startNext(zoneId, first);
  }

  return {
    isBusy: (zoneId) => zones.has(zoneId),
    async run(zoneId, work) {
      const since = now();
      await new Promise<void>((resolve, reject) => {
        wait(zoneId, { since, timer: undefined, reject, start: resolve, member: null });
      });
      try {
        return await work(now() - since);
      } finally {
        startNext(zoneId, zones.get(zoneId) ?? []);
      }
    },
    join: (zoneId, joining, work) =>
      new Promise((resolve, reject) => {
        const member = { ...joining, work, resolve } as unknown as Member;
        wait(zoneId, { since: now(), timer: undefined, reject, start: null, member });
      }),
  };
}

/** Removes from `waiters` the members directly after the first one that fit into its group. */
function takeMembers(waiters: Waiter[], first: Waiter): Waiter[] {
  let { size = 0, bytes = 0 } = first.member ?? {};
  const fits = ({ member }: Waiter): boolean => {
    if (member === null) return false;
    size += member.size;
    bytes += member.bytes;
    return size <= MAX.size && bytes <= MAX.bytes;
  };
  let count = 0;
  while (count < waiters.length && count + 1 < MAX.members && fits(waiters[count] as Waiter)) count += 1;
  return waiters.splice(0, count);
}

/** Whether the client of a member closed its connection. If so, the member is refused. */
function hasLeft({ member, reject }: Waiter): boolean {
  if (!member?.isGone?.()) return false;
  reject(refusal('client-left'));
  return true;
}

function failed(error: unknown): Outcome<unknown> {
  return { kind: 'failed', error };
}
