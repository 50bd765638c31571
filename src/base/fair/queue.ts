// Items that wait, and which of them goes next, as a pure data structure without clock and timers.
//
//   groups   take turns by start-time fair queueing (Goyal, Vin and Cheng, 1996): each item that a group takes moves
//            the start of its next turn by the cost of the item, divided by the weight of the group; the earliest start
//            goes first
//   lanes    the order within a group: lane 0 first. A lane that was passed over 16 times has the next turn of its
//            group
//   lines    items of one lane that wait for the same thing: in the order of arrival, and held back together. Lines
//            take turns
//
// - No starvation: a group waits for at most one turn of each other group, however many items these have.
// - Work-conserving: as long as an item may go, there is a next one.
// - A group that leaves and returns at once gains nothing, and a group that could not go for a while has no turns saved
//   up.
// - The memory is that of the waiting items, and of at most 1,024 groups that have left.

export interface FairQueueOptions {
  /** The number of lanes of each group. (Default: 1.) */
  readonly lanes?: number;
  /** The turns of a group in relation to others, more than 0. (Default: 1 for each.) */
  readonly weightOf?: (group: string) => number;
}

export interface Spot {
  readonly group: string;
  /** From 0, which goes first. (Default: 0.) */
  readonly lane?: number;
  /** (Default: one line for the whole lane.) */
  readonly line?: string;
}

/** The items that may go now. (Defaults: everything may go, and all groups have the same rank.) */
export interface Rules<T> {
  readonly groupMayGo?: (group: string) => boolean;
  /** Whether the first item of a line may go. If not, the items behind it wait too. */
  readonly mayGo?: (item: T) => boolean;
  /** Groups with a lower rank go first; those of the same rank take turns. */
  readonly rank?: (group: string, item: T) => number;
}

interface Lane<T> {
  /** The order of the map is the round robin: a line that was served goes to its end. */
  readonly lines: Map<string, Set<T>>;
  /** Turns of the group that others of its lanes had since this lane was served. */
  passed: number;
}

interface Group<T> {
  readonly name: string;
  /** The virtual time of its next turn. */
  start: number;
  size: number;
  readonly lanes: (Lane<T> | undefined)[];
}

const MAX_PASSED = 16;
const MAX_LEFT = 1_024;

export class FairQueue<T> {
  readonly #lanes: number;
  readonly #weightOf: (group: string) => number;
  /** Groups with items. Those that were served are behind the others. */
  readonly #groups = new Map<string, Group<T>>();
  readonly #spots = new Map<T, Required<Spot>>();
  readonly #depths: number[];
  /** The virtual time of the last turn. */
  #now = 0;
  /** The next starts of groups that have left, as long as these are in the future. */
  readonly #left = new Map<string, number>();

  constructor({ lanes = 1, weightOf = () => 1 }: FairQueueOptions = {}) {
    this.#lanes = lanes;
    this.#weightOf = weightOf;
    this.#depths = Array.from({ length: lanes }, () => 0);
  }

  /** The number of items. */
  get size(): number {
    return this.#spots.size;
  }

  /** The number of groups with items. */
  get groups(): number {
    return this.#groups.size;
  }

  /** The number of groups without items that the queue remembers. */
  get remembered(): number {
    return this.#left.size;
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  /** The number of items of a group. */
  sizeOf(group: string): number {
    return this.#groups.get(group)?.size ?? 0;
  }

  has(item: T): boolean {
    return this.#spots.has(item);
  }

  /** The number of items in a lane of all groups. */
  depth(lane: number): number {
    return this.#depths[lane] ?? 0;
  }

  /**
   * Puts an item behind the others of its line. An item that waits already moves there.
   * @throws RangeError for an unknown lane
   */
  add(item: T, { group: name, lane = 0, line = '' }: Spot): void {
    if (!Number.isInteger(lane) || lane < 0 || lane >= this.#lanes) throw new RangeError(`There is no lane ${lane}`);
    this.remove(item);
    const group = this.#groups.get(name) ?? this.#join(name);
    const laneQueue = group.lanes[lane] ?? { lines: new Map<string, Set<T>>(), passed: 0 };
    group.lanes[lane] = laneQueue;
    const items = laneQueue.lines.get(line) ?? new Set<T>();
    laneQueue.lines.set(line, items.add(item));
    group.size += 1;
    this.#spots.set(item, { group: name, lane, line });
    this.#depths[lane] = this.depth(lane) + 1;
  }

  /** The next item, which stays in the queue; undefined if none may go. */
  next({ groupMayGo, mayGo, rank }: Rules<T> = {}): T | undefined {
    let best: { readonly item: T; readonly rank: number; readonly start: number } | undefined;
    for (const group of this.#groups.values()) {
      if (groupMayGo !== undefined && !groupMayGo(group.name)) continue;
      const item = findFirst(group, mayGo);
      if (item === undefined) continue;
      const start = Math.max(group.start, this.#now);
      // No start is earlier than now, and groups before this one in the map may not go.
      if (rank === undefined && start === this.#now) return item;
      const candidate = { item, rank: rank?.(group.name, item) ?? 0, start };
      const isEarlier =
        best === undefined ||
        candidate.rank < best.rank ||
        (candidate.rank === best.rank && candidate.start < best.start);
      if (isEarlier) best = candidate;
    }
    return best?.item;
  }

  /**
   * Removes an item because it goes now: its group, its lane and its line have had their turns.
   * @param cost the cost of the item, in turns
   * @returns false if it was not waiting
   */
  take(item: T, cost = 1): boolean {
    const spot = this.#spots.get(item);
    const group = spot && this.#groups.get(spot.group);
    if (spot === undefined || group === undefined) return false;
    this.#now = Math.max(this.#now, group.start);
    group.start = this.#now + cost / this.#weightOf(group.name);
    group.lanes.forEach((lane, index) => {
      if (lane !== undefined) lane.passed = index === spot.lane ? 0 : lane.passed + 1;
    });
    this.#groups.delete(group.name);
    this.#groups.set(group.name, group);
    const lines = group.lanes[spot.lane]?.lines;
    const items = lines?.get(spot.line);
    if (lines !== undefined && items !== undefined) {
      lines.delete(spot.line);
      lines.set(spot.line, items);
    }
    return this.remove(item);
  }

  /** Removes an item that gives up; no item gets a turn. @returns false if it was not waiting */
  remove(item: T): boolean {
    const spot = this.#spots.get(item);
    const group = spot && this.#groups.get(spot.group);
    if (spot === undefined || group === undefined) return false;
    this.#spots.delete(item);
    this.#depths[spot.lane] = this.depth(spot.lane) - 1;
    const lines = group.lanes[spot.lane]?.lines;
    const items = lines?.get(spot.line);
    items?.delete(item);
    if (items?.size === 0) lines?.delete(spot.line);
    if (lines?.size === 0) group.lanes[spot.lane] = undefined;
    group.size -= 1;
    if (group.size === 0) this.#leave(group);
    return true;
  }

  /**
   * The item to drop from a queue that is full, so that another one of this group fits: the last item of the group with
   * the most items. Undefined if no group has more items than this one would have.
   */
  overflow(group: string): T | undefined {
    let largest: Group<T> | undefined;
    for (const each of this.#groups.values()) if (each.size > (largest?.size ?? 0)) largest = each;
    if (largest === undefined || largest.size <= this.sizeOf(group) + 1) return undefined;
    const lane = largest.lanes.findLast((each) => each !== undefined);
    const line = [...(lane?.lines.values() ?? [])].at(-1);
    return [...(line ?? [])].at(-1);
  }

  /** The items of one line, by group, in the order of the groups' turns. */
  line(lane: number, line: string): { readonly group: string; readonly items: ReadonlySet<T> }[] {
    const groupItems: { readonly group: string; readonly start: number; readonly items: ReadonlySet<T> }[] = [];
    for (const { name, start, lanes } of this.#groups.values()) {
      const items = lanes[lane]?.lines.get(line);
      if (items !== undefined) groupItems.push({ group: name, start, items });
    }
    return groupItems.sort((a, b) => a.start - b.start);
  }

  #join(name: string): Group<T> {
    const group: Group<T> = {
      name,
      start: Math.max(this.#now, this.#left.get(name) ?? 0),
      size: 0,
      lanes: [],
    };
    this.#left.delete(name);
    this.#groups.set(name, group);
    return group;
  }

  #leave({ name, start }: Group<T>): void {
    this.#groups.delete(name);
    // Nothing waits: all groups are equal again.
    if (this.#groups.size === 0) {
      this.#left.clear();
      return;
    }
    if (start <= this.#now) return;
    this.#left.set(name, start);
    if (this.#left.size <= MAX_LEFT) return;
    for (const [each, at] of this.#left) if (at <= this.#now) this.#left.delete(each);
    const oldest = this.#left.keys().next().value;
    if (this.#left.size > MAX_LEFT && oldest !== undefined) this.#left.delete(oldest);
  }
}

/** The first item of a group that may go: of the lane that waited too long, otherwise of the first lane. */
function findFirst<T>({ lanes }: Group<T>, mayGo: Rules<T>['mayGo']): T | undefined {
  for (const lane of lanes) {
    if (lane === undefined || lane.passed < MAX_PASSED) continue;
    const item = firstIn(lane, mayGo);
    if (item !== undefined) return item;
  }
  for (const lane of lanes) {
    const item = lane && firstIn(lane, mayGo);
    if (item !== undefined) return item;
  }
  return undefined;
}

function firstIn<T>({ lines }: Lane<T>, mayGo: Rules<T>['mayGo']): T | undefined {
  for (const items of lines.values()) {
    const [item] = items;
    if (item !== undefined && (mayGo === undefined || mayGo(item))) return item;
  }
  return undefined;
}
