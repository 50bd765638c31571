// The waiting room of the dispatcher: which job goes next, as data and pure decisions. It must not know what a job does,
// nor wait for anything.
//
//   again      jobs whose answer was "not now": first in their lane, in the order in which they came back
//   zones      per zone a FIFO queue; the order of the map is the round robin: who was served goes to its end
//
// A job may go when: the whole key is not paused, its zone is not paused, its zone has no other write in flight (writers
// of one zone queue on its row anyway, and the second would only earn `busy`), and a place is free. After a pause of the
// whole key one place is free until an answer shows that the key is welcome again.

/** In this order: certificates wait for `acme`, people for `change`, and `create` is bulk. */
export const LANES = ['acme', 'change', 'create'] as const;

export type Lane = (typeof LANES)[number];

export interface Waiting {
  readonly lane: Lane;
  /** Null for calls that belong to no zone yet; those do not hinder each other. */
  readonly zone: string | null;
  /** About how many bytes it adds to a batch; 0 when it can only go alone. */
  readonly bytes: number;
}

export interface LaneState<J extends Waiting> {
  readonly again: J[];
  readonly zones: Map<string | null, J[]>;
}

export interface PaceState<J extends Waiting> {
  readonly lanes: Record<Lane, LaneState<J>>;
  readonly maxInFlight: number;
  /** Ms; null when the key is not paused. */
  pausedUntil: number | null;
  /** After a pause of the whole key, until a job sent since then was not refused for pace. */
  cautious: boolean;
  /** Ms, by zone. */
  readonly zonePaused: Map<string | null, number>;
  readonly zonesInFlight: Set<string>;
  /** Ms, by zone: until then bulk gathers, because more of it has just gone. */
  readonly gathering: Map<string | null, number>;
  inFlight: number;
}

export type Decision<J> =
  | { readonly kind: 'send'; readonly job: J }
  /** Nothing may go before that moment (ms). */
  | { readonly kind: 'wait'; readonly until: number }
  /** Nothing may go before a job in flight ends or a new one comes. */
  | { readonly kind: 'idle' };

export function emptyState<J extends Waiting>(maxInFlight: number): PaceState<J> {
  const lane = (): LaneState<J> => ({ again: [], zones: new Map() });
  return {
    lanes: { acme: lane(), change: lane(), create: lane() },
    maxInFlight,
    pausedUntil: null,
    cautious: false,
    zonePaused: new Map(),
    zonesInFlight: new Set(),
    gathering: new Map(),
    inFlight: 0,
  };
}

/** What to do at `now` (ms). Changes nothing. */
export function pick<J extends Waiting>(state: PaceState<J>, now: number): Decision<J> {
  const { pausedUntil } = state;
  if (LANES.every((lane) => isEmpty(state.lanes[lane]))) return { kind: 'idle' };
  if (state.inFlight >= (state.cautious ? 1 : state.maxInFlight)) return { kind: 'idle' };
  if (pausedUntil !== null && now < pausedUntil) return { kind: 'wait', until: pausedUntil };

  let earliest = Number.POSITIVE_INFINITY;
  const mayGo = (lane: Lane, zone: string | null): boolean => {
    if (zone !== null && state.zonesInFlight.has(zone)) return false;
    const gathering = lane === 'create' ? (state.gathering.get(zone) ?? 0) : 0;
    const until = Math.max(state.zonePaused.get(zone) ?? 0, gathering);
    if (now >= until) return true;
    earliest = Math.min(earliest, until);
    return false;
  };
  for (const lane of LANES) {
    const { again, zones } = state.lanes[lane];
    for (const job of again) if (mayGo(lane, job.zone)) return { kind: 'send', job };
    for (const [zone, queue] of zones) {
      const job = queue[0];
      if (job !== undefined && mayGo(lane, zone)) return { kind: 'send', job };
    }
  }
  return Number.isFinite(earliest) ? { kind: 'wait', until: earliest } : { kind: 'idle' };
}

/** What may go together with the job, itself first: of its zone and lane, in their order, within both bounds. */
export function company<J extends Waiting>(state: PaceState<J>, job: J, most: number, mostBytes: number): J[] {
  const together = [job];
  if (job.bytes === 0) return together;
  const { again, zones } = state.lanes[job.lane];
  let bytes = job.bytes;
  for (const queue of [again, zones.get(job.zone) ?? []]) {
    for (const other of queue) {
      if (together.length >= most) return together;
      if (other === job || other.zone !== job.zone || other.bytes === 0) continue;
      if (bytes + other.bytes > mostBytes) return together;
      bytes += other.bytes;
      together.push(other);
    }
  }
  return together;
}

/** Puts a new job behind the others of its zone. */
export function enqueue<J extends Waiting>(state: PaceState<J>, job: J): void {
  const { zones } = state.lanes[job.lane];
  const queue = zones.get(job.zone);
  if (queue === undefined) zones.set(job.zone, [job]);
  else queue.push(job);
}

/** Takes a job out, wherever it waits, and sends its zone to the end of the round. False when it does not wait. */
export function dequeue<J extends Waiting>(state: PaceState<J>, job: J): boolean {
  const { again, zones } = state.lanes[job.lane];
  if (remove(again, job)) return true;
  const queue = zones.get(job.zone);
  if (queue === undefined || !remove(queue, job)) return false;
  zones.delete(job.zone);
  if (queue.length > 0) zones.set(job.zone, queue);
  return true;
}

/** How many jobs wait in a lane. */
export function depth<J extends Waiting>(state: PaceState<J>, lane: Lane): number {
  let sum = state.lanes[lane].again.length;
  for (const queue of state.lanes[lane].zones.values()) sum += queue.length;
  return sum;
}

// A zone without jobs has no queue.
function isEmpty(lane: LaneState<Waiting>): boolean {
  return lane.again.length === 0 && lane.zones.size === 0;
}

function remove<J>(queue: J[], job: J): boolean {
  // Nearly always the first one: shift is then the cheap way.
  if (queue[0] === job) {
    queue.shift();
    return true;
  }
  const index = queue.indexOf(job);
  if (index < 0) return false;
  queue.splice(index, 1);
  return true;
}
