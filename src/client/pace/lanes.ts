// The waiting jobs of the dispatcher, and which of them goes next, as data and pure decisions.
//
//   groups     take turns: the group with the fewest places in the window first, then the one that was served longest ago
//   lanes      the order within a group
//   again      jobs that got 429 or `busy`: first in their lane, in the order in which they returned
//   zones      a FIFO queue per zone; the order of the map is the round robin: a zone that was served goes to its end
//
// A job may be sent when its bucket is not paused, the budget admits its group, its zone is not paused, its zone has no other
// write in flight (writers of one zone queue on its row, and the second would only get `busy`), its group has less than its
// share of the requests in flight, and a place is free. After a pause of a bucket only one request is sent at a time, until
// an answer is not 429.

/** The order within a group: certificates use `acme`, people wait for `change`, and `create` is bulk. */
export const LANES = ['acme', 'change', 'create'] as const;

export type Lane = (typeof LANES)[number];

/** The service counts writes of zones and writes of records in separate windows. */
export const BUCKETS = ['zones', 'records'] as const;

export type Bucket = (typeof BUCKETS)[number];

export interface Waiting {
  readonly lane: Lane;
  readonly bucket: Bucket;
  /** Jobs of one group take turns with those of the others. */
  readonly group: string;
  /** Null for calls that belong to no zone yet; those do not block each other. */
  readonly zone: string | null;
  /** About how many bytes the job adds to a batch; 0 when it can only be sent alone. */
  readonly bytes: number;
}

interface LaneState<J extends Waiting> {
  readonly again: J[];
  readonly zones: Map<string | null, J[]>;
}

interface BucketState {
  /** Ms; null when it is not paused. */
  pausedUntil: number | null;
  /** After a pause, until a job that was sent since then was not refused for its rate. */
  cautious: boolean;
  inFlight: number;
}

export interface PaceState<J extends Waiting> {
  /** Groups with waiting jobs; the one that was served longest ago is first. */
  readonly groups: Map<string, Record<Lane, LaneState<J>>>;
  /** Requests in flight that a single group may have. */
  readonly maxInFlight: number;
  readonly buckets: Readonly<Record<Bucket, BucketState>>;
  /** The end of the pause in ms, by zone. */
  readonly zonePaused: Map<string | null, number>;
  readonly zonesInFlight: Set<string>;
  /** Requests in flight by group; a batch counts for the group whose turn it was. */
  readonly groupsInFlight: Map<string, number>;
  /** In ms, by zone: until then bulk creations are collected, because others were sent shortly before. */
  readonly gathering: Map<string | null, number>;
  inFlight: number;
}

/** The state of the write limit for a group. */
export interface Admission {
  /** Places of the group in the window. */
  used(bucket: Bucket, group: string): number;
  /** The time from which it may write, in ms; not after `now` if it may. */
  permittedAt(bucket: Bucket, group: string, now: number): number;
}

type Decision<J> =
  | { readonly kind: 'send'; readonly job: J }
  /** No job may be sent before that time (ms). */
  | { readonly kind: 'wait'; readonly until: number }
  /** No job may be sent before a job in flight ends or a new one arrives. */
  | { readonly kind: 'idle' };

export function emptyState<J extends Waiting>(maxInFlight: number): PaceState<J> {
  const bucket = (): BucketState => ({ pausedUntil: null, cautious: false, inFlight: 0 });
  return {
    groups: new Map(),
    maxInFlight,
    buckets: { zones: bucket(), records: bucket() },
    zonePaused: new Map(),
    zonesInFlight: new Set(),
    groupsInFlight: new Map(),
    gathering: new Map(),
    inFlight: 0,
  };
}

/** Decides the next step at `now` (ms). Changes nothing. */
export function pick<J extends Waiting>(state: PaceState<J>, admission: Admission, now: number): Decision<J> {
  if (state.groups.size === 0 || state.inFlight >= mostInFlight(state)) return { kind: 'idle' };
  let best: { readonly job: J; readonly used: number } | undefined;
  let earliest = Number.POSITIVE_INFINITY;
  const share = shareOf(state);
  for (const [group, lanes] of state.groups) {
    if ((state.groupsInFlight.get(group) ?? 0) >= share) continue;
    const found = firstOf(state, lanes, admission, now);
    if (found.kind === 'wait') earliest = Math.min(earliest, found.until);
    if (found.kind !== 'send') continue;
    const used = admission.used(found.job.bucket, group);
    if (best === undefined || used < best.used) best = { job: found.job, used };
  }
  if (best) return { kind: 'send', job: best.job };
  return Number.isFinite(earliest) ? { kind: 'wait', until: earliest } : { kind: 'idle' };
}

/** Requests of all groups together that may be in flight. */
function mostInFlight({ maxInFlight }: PaceState<Waiting>): number {
  return 2 * maxInFlight;
}

/**
 * Requests that one group may have in flight, computed as if there were one more group, so that a new group finds a
 * place.
 */
function shareOf(state: PaceState<Waiting>): number {
  const active = new Set([...state.groups.keys(), ...state.groupsInFlight.keys()]).size;
  return Math.max(1, Math.floor(mostInFlight(state) / (active + 1)));
}

function firstOf<J extends Waiting>(
  state: PaceState<J>,
  lanes: Record<Lane, LaneState<J>>,
  admission: Admission,
  now: number,
): Decision<J> {
  let earliest = Number.POSITIVE_INFINITY;
  const permitted = new Map<Bucket, number>();
  const permittedAt = ({ bucket, group }: J): number => {
    const known = permitted.get(bucket) ?? admission.permittedAt(bucket, group, now);
    permitted.set(bucket, known);
    return known;
  };
  const mayGo = (job: J): boolean => {
    const { lane, bucket, zone } = job;
    if (zone !== null && state.zonesInFlight.has(zone)) return false;
    const { pausedUntil, cautious, inFlight } = state.buckets[bucket];
    if (cautious && inFlight > 0) return false;
    const gathering = lane === 'create' ? (state.gathering.get(zone) ?? 0) : 0;
    const until = Math.max(pausedUntil ?? 0, state.zonePaused.get(zone) ?? 0, gathering, permittedAt(job));
    if (now >= until) return true;
    earliest = Math.min(earliest, until);
    return false;
  };
  for (const lane of LANES) {
    const { again, zones } = lanes[lane];
    for (const job of again) if (mayGo(job)) return { kind: 'send', job };
    for (const queue of zones.values()) {
      const job = queue[0];
      if (job !== undefined && mayGo(job)) return { kind: 'send', job };
    }
  }
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
export function batchWith<J extends Waiting>(state: PaceState<J>, job: J, bounds: BatchBounds): J[] {
  const batch = [job];
  if (job.bytes === 0) return batch;
  const turns = [...state.groups].flatMap(([group, lanes]) => {
    const { again, zones } = lanes[job.lane];
    const jobs = [...again, ...(zones.get(job.zone) ?? [])].filter(
      (other) => other !== job && other.zone === job.zone && other.bytes > 0,
    );
    return jobs.length === 0 ? [] : [{ group, jobs, next: 0, own: group === job.group ? 1 : 0 }];
  });
  let bytes = job.bytes;
  while (turns.length > 0 && batch.length < bounds.most) {
    const turn = turns.reduce((a, b) => (bounds.used(b.group) + b.own < bounds.used(a.group) + a.own ? b : a));
    const other = turn.jobs[turn.next] as J;
    const fits = bytes + other.bytes <= bounds.mostBytes && bounds.admits(turn.group, batch.length, turn.own);
    if (fits) {
      batch.push(other);
      bytes += other.bytes;
      turn.own += 1;
      turn.next += 1;
    }
    if (!fits || turn.next === turn.jobs.length) turns.splice(turns.indexOf(turn), 1);
  }
  return batch;
}

/** Puts a new job behind the others of its group, lane and zone. */
export function enqueue<J extends Waiting>(state: PaceState<J>, job: J): void {
  const { zones } = lanesOf(state, job.group)[job.lane];
  const queue = zones.get(job.zone);
  if (queue === undefined) zones.set(job.zone, [job]);
  else queue.push(job);
}

/** Puts a job that returned at the front of its lane, behind others that returned. */
export function enqueueAgain<J extends Waiting>(state: PaceState<J>, job: J): void {
  lanesOf(state, job.group)[job.lane].again.push(job);
}

/** Removes a job and moves its zone and its group to the end of their rounds. Returns false when it is not waiting. */
export function dequeue<J extends Waiting>(state: PaceState<J>, job: J): boolean {
  const lanes = state.groups.get(job.group);
  if (lanes === undefined || !removeFrom(lanes[job.lane], job)) return false;
  state.groups.delete(job.group);
  if (LANES.some((lane) => !isEmpty(lanes[lane]))) state.groups.set(job.group, lanes);
  return true;
}

/** The number of waiting jobs in a lane. */
export function depth<J extends Waiting>(state: PaceState<J>, lane: Lane): number {
  let sum = 0;
  for (const lanes of state.groups.values()) {
    sum += lanes[lane].again.length;
    for (const queue of lanes[lane].zones.values()) sum += queue.length;
  }
  return sum;
}

function lanesOf<J extends Waiting>(state: PaceState<J>, group: string): Record<Lane, LaneState<J>> {
  const known = state.groups.get(group);
  if (known) return known;
  const lane = (): LaneState<J> => ({ again: [], zones: new Map() });
  const lanes = { acme: lane(), change: lane(), create: lane() };
  state.groups.set(group, lanes);
  return lanes;
}

function removeFrom<J extends Waiting>({ again, zones }: LaneState<J>, job: J): boolean {
  if (remove(again, job)) return true;
  const queue = zones.get(job.zone);
  if (queue === undefined || !remove(queue, job)) return false;
  zones.delete(job.zone);
  if (queue.length > 0) zones.set(job.zone, queue);
  return true;
}

// A zone without jobs has no queue.
function isEmpty(lane: LaneState<Waiting>): boolean {
  return lane.again.length === 0 && lane.zones.size === 0;
}

function remove<J>(queue: J[], job: J): boolean {
  // Almost always the first one: shift is then the cheap way.
  if (queue[0] === job) {
    queue.shift();
    return true;
  }
  const index = queue.indexOf(job);
  if (index < 0) return false;
  queue.splice(index, 1);
  return true;
}
