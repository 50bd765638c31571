// The waiting jobs of the dispatcher, and which of them goes next, as data and pure decisions.
//
//   groups     the group with the fewest places in the window first; those with as many take turns (base/fair/queue.ts)
//   lanes      the order within a group. In each lane, jobs that got 429 or `busy` go before the others
//   lines      a line for each zone, and one for its challenges: in the order of arrival, and in turns
//
// A job may be sent when its bucket is not paused, the budget admits its group, its zone is not paused, its zone has no
// other write in flight (writers of one zone queue on its row, and the second would only get `busy`), its group has
// less than its share of the requests in flight, a permit is free, and its line has collected long enough
// (gathering.ts). After a pause of a bucket only one request is sent at a time, until an answer is not 429.
import { FairPermits } from '#base/fair/permits.ts';
import { FairQueue } from '#base/fair/queue.ts';
import { Gathering } from './gathering.ts';
import { LANES, type Lane, type PacedBucket, perBucket, type Waiting } from './waiting.ts';

interface BucketState {
  /** Ms; null when it is not paused. */
  pausedUntil: number | null;
  /** After a pause, until a job that was sent since then was not refused for its rate. */
  cautious: boolean;
  inFlight: number;
}

export interface PaceState<J extends Waiting> {
  /** Each lane is two lanes of the queue: jobs that returned, and the others. */
  readonly queue: FairQueue<J>;
  /** Requests in flight by group; a batch counts for the group whose turn it was. */
  readonly permits: FairPermits;
  readonly buckets: Readonly<Record<PacedBucket, BucketState>>;
  /** The end of the pause in ms, by zone. */
  readonly zonePaused: Map<string | null, number>;
  readonly zonesInFlight: Set<string>;
  readonly gathering: Gathering;
}

/** The state of the write limit for a group. */
export interface Admission {
  /** Places of the group in the window. */
  used(bucket: PacedBucket, group: string): number;
  /** The time from which it may write, in ms; not after `now` if it may. */
  permittedAt(bucket: PacedBucket, group: string, now: number): number;
}

type Decision<J> =
  | { readonly kind: 'send'; readonly job: J }
  /** No job may be sent before that time (ms). */
  | { readonly kind: 'wait'; readonly until: number }
  /** No job may be sent before a job in flight ends or a new one arrives. */
  | { readonly kind: 'idle' };

/**
 * @param maxInFlight requests in flight of a single group; all groups together may have twice as many
 * @param gatherMs see gathering.ts
 */
export function emptyState<J extends Waiting>(maxInFlight: number, gatherMs: number): PaceState<J> {
  const bucket = (): BucketState => ({ pausedUntil: null, cautious: false, inFlight: 0 });
  return {
    queue: new FairQueue({ lanes: 2 * LANES.length }),
    permits: new FairPermits(2 * maxInFlight, maxInFlight),
    buckets: perBucket(bucket),
    zonePaused: new Map(),
    zonesInFlight: new Set(),
    gathering: new Gathering(gatherMs),
  };
}

/** Decides the next step at `now` (ms). Changes nothing. */
export function pick<J extends Waiting>(state: PaceState<J>, admission: Admission, now: number): Decision<J> {
  const { queue, permits } = state;
  if (queue.size === 0 || permits.isFull()) return { kind: 'idle' };
  let earliest = Number.POSITIVE_INFINITY;
  const timeByKey = new Map<string, number>();
  const permittedAt = ({ bucket, group }: J): number => {
    const key = `${bucket} ${group}`;
    const at = timeByKey.get(key) ?? admission.permittedAt(bucket, group, now);
    timeByKey.set(key, at);
    return at;
  };
  const mayGo = (job: J): boolean => {
    const { bucket, zone } = job;
    if (zone !== null && state.zonesInFlight.has(zone)) return false;
    const { pausedUntil, cautious, inFlight } = state.buckets[bucket];
    if (cautious && inFlight > 0) return false;
    const gatherTime = state.gathering.mayGoAt(job);
    const until = Math.max(pausedUntil ?? 0, state.zonePaused.get(zone) ?? 0, gatherTime, permittedAt(job));
    if (now >= until) return true;
    earliest = Math.min(earliest, until);
    return false;
  };
  const share = permits.share(queue);
  const job = queue.next({
    groupMayGo: (group) => permits.of(group) < share,
    mayGo,
    rank: (group, { bucket }) => admission.used(bucket, group),
  });
  if (job !== undefined) return { kind: 'send', job };
  return Number.isFinite(earliest) ? { kind: 'wait', until: earliest } : { kind: 'idle' };
}

interface BatchBounds {
  /** The most changes and the most bytes of one batch. */
  readonly most: number;
  readonly mostBytes: number;
  /** Whether one more change of the group may be sent with `chosen` others, `own` of which are the group's. */
  admits(group: string, chosen: number, own: number): boolean;
  /** Places of the group in the window. */
  used(group: string): number;
}

/**
 * The changes that are sent with the job, which is the first: of its zone and lane, each group in turn, in the order of
 * arrival.
 */
export function batchWith<J extends Waiting>({ queue }: PaceState<J>, job: J, bounds: BatchBounds): J[] {
  const batch = [job];
  if (job.bytes === 0) return batch;
  const byGroup = Map.groupBy(
    [true, false].flatMap((again) => queue.line(numberLane(job, again), lineOf(job))),
    ({ group }) => group,
  );
  const turns = [...byGroup].flatMap(([group, lines]) => {
    const jobs = alike(job, lines);
    const next = jobs.next().value;
    return next === undefined ? [] : [{ group, jobs, next, own: group === job.group ? 1 : 0 }];
  });
  let bytes = job.bytes;
  while (turns.length > 0 && batch.length < bounds.most) {
    const turn = turns.reduce((a, b) => (bounds.used(b.group) + b.own < bounds.used(a.group) + a.own ? b : a));
    const fits = bytes + turn.next.bytes <= bounds.mostBytes && bounds.admits(turn.group, batch.length, turn.own);
    const after = fits ? turn.jobs.next().value : undefined;
    if (fits) {
      batch.push(turn.next);
      bytes += turn.next.bytes;
      turn.own += 1;
    }
    if (after === undefined) turns.splice(turns.indexOf(turn), 1);
    else turn.next = after;
  }
  return batch;
}

/** The other jobs that can be in a batch. */
function* alike<J extends Waiting>(
  job: J,
  lines: readonly { readonly items: ReadonlySet<J> }[],
): Generator<J, undefined> {
  for (const { items } of lines) for (const other of items) if (other !== job && other.bytes > 0) yield other;
  return undefined;
}

/**
 * Puts a new job behind the others of its group, lane and zone.
 * @param again it was refused before: it goes first in its lane
 */
export function enqueue<J extends Waiting>({ queue }: PaceState<J>, job: J, again = false): void {
  queue.add(job, { group: job.group, lane: numberLane(job, again), line: lineOf(job) });
}

/** Removes the pauses that have ended at `now` (ms). */
export function endPauses<J extends Waiting>(state: PaceState<J>, now: number): void {
  for (const bucket of Object.values(state.buckets))
    if (bucket.pausedUntil !== null && now >= bucket.pausedUntil) bucket.pausedUntil = null;
  endPast(state.zonePaused, now);
}

/** Removes the times that have passed at `now` (ms). */
export function endPast<Key>(ends: Map<Key, number>, now: number): void {
  for (const [key, until] of ends) if (now >= until) ends.delete(key);
}

/** The number of waiting jobs in a lane. */
export function depth<J extends Waiting>({ queue }: PaceState<J>, lane: Lane): number {
  return [true, false].reduce((sum, again) => sum + queue.depth(numberLane({ lane }, again)), 0);
}

function numberLane({ lane }: Pick<Waiting, 'lane'>, again: boolean): number {
  return 2 * LANES.indexOf(lane) + (again ? 0 : 1);
}

/** Challenges have lines of their own: they do not wait behind records whose window is full, nor share a batch. */
function lineOf({ zone, bucket }: Waiting): string {
  return bucket === 'challenges' ? `${zone} challenges` : (zone ?? '');
}
