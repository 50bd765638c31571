// Turns the lines of the feed into work of zones, and lists into work and removals. Decides with which cursor the node
// connects, and stores the cursor that is reached.
import type { Clock } from '#base/clock.ts';
import type { FeedLine } from '#contract/feed.ts';
import type { ServedSet } from '#dns/served.ts';
import type { Logger } from '#telemetry/log.ts';
import { addTo } from './difference.ts';
import { FeedFault } from './faults.ts';
import { type HeldRemovals, planList, planRemovals, SECOND_LIST_MS, type ServedHead } from './plan.ts';
import { emptyRow, type NodeState } from './state.ts';
import type { Zones } from './zones.ts';

interface IntakeOptions {
  readonly zones: Zones;
  readonly state: NodeState;
  readonly present: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether a list may remove any number of zones. */
  readonly removesAll: boolean;
  /** The database of the api is another one, or was restored. */
  onEpoch(): void;
}

/**
 * The cursor advances every second also if no zone changes. A node that starts with an older cursor hears again what
 * was said since, which is nothing then.
 */
const SELDOM_MS = 10_000;
/** A bound on the memory for one list, about 200 bytes for each zone. */
const MAX_LISTED = 2_000_000;

export class Intake {
  readonly #options: IntakeOptions;
  #latest: string | null;
  #asked: string | null = null;
  #epoch: string | null;
  #listing: Map<string, ServedHead> | null = null;
  #hasBegun = false;
  /** Cursors do not count until a list says what exists. */
  #needsList = false;
  #held: HeldRemovals | null = null;
  #isSecondAsked = false;
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { cursor, epoch } = options.state.facts();
    // Only a list says whether zones belong to the api that the last list lacked, or that the name server has by other
    // means.
    const isClear = [...options.state.rows().values()].every(({ id, isUnlisted }) => id !== '' && !isUnlisted);
    this.#latest = isClear ? cursor : null;
    this.#epoch = epoch;
  }

  /** The cursor for the next connection. */
  after(): string | null {
    this.#listing = null;
    this.#hasBegun = false;
    this.#asked = this.#latest;
    return this.#asked;
  }

  /** The next connection asks for the list. */
  askForList(): void {
    this.#latest = null;
  }

  /**
   * The next connection asks for the list, and no cursor counts before it: without the list, a change may be missing.
   * @returns false if the list is awaited already
   */
  requireList(): boolean {
    if (this.#needsList) return false;
    this.#latest = null;
    this.#needsList = true;
    this.#options.state.setFacts({ cursor: null });
    this.#options.zones.position.forget();
    return true;
  }

  /** @throws FeedFault */
  line(line: FeedLine): void {
    if (this.#hasBegun !== (line.kind !== 'begin')) throw new FeedFault(`the feed sent "${line.kind}" out of order`);
    const { zones } = this.#options;
    switch (line.kind) {
      case 'begin':
        this.#begin(line);
        return;
      case 'listed': {
        const { id, name, version, serial } = line;
        if (this.#listing === null) throw new FeedFault('the feed sent "listed" outside of a list');
        this.#listing.set(name, { id, name, version, serial });
        if (this.#listing.size > MAX_LISTED) throw new FeedFault(`the list has more than ${MAX_LISTED} zones`);
        return;
      }
      case 'list-end':
        this.#endList(line);
        return;
      case 'change': {
        const { id, name, version, serial } = line;
        const sets = new Map<string, ServedSet[]>(line.names.map((each) => [each, []]));
        for (const set of line.sets) {
          if (!sets.has(set.name))
            throw new FeedFault(`a change of ${name} has an RRset of a name that it does not change`);
          addTo(sets, set);
        }
        zones.add({ kind: 'names', head: { id, name, version, serial }, sets, latest: new Set(sets.keys()) });
        break;
      }
      case 'reload':
      case 'gone':
        zones.add({ kind: line.kind, id: line.id, name: line.name });
        break;
      default:
        break;
    }
    if (this.#listing === null) this.#mark(line.cursor);
  }

  /** Stores the cursor that is reached. */
  save(): void {
    const { clock, state, zones } = this.#options;
    const reachedPosition = zones.position.reached();
    if (this.#needsList || reachedPosition === null) return;
    const { cursor, epoch } = state.facts();
    if (cursor === reachedPosition.cursor && epoch === this.#epoch) return;
    state.setFacts({ cursor: reachedPosition.cursor, epoch: this.#epoch });
    this.#savedAt = clock.now();
  }

  /** The same without a change of a zone: at most every 10 s. */
  saveSeldom(): void {
    if (this.#options.clock.now() - this.#savedAt >= SELDOM_MS) this.save();
  }

  /** Whether it is time to ask for the list again, to remove zones that it lacked; true once for each list. */
  isSecondListDue(): boolean {
    if (this.#held === null || this.#isSecondAsked) return false;
    this.#isSecondAsked = this.#options.clock.now() >= this.#held.since + SECOND_LIST_MS;
    return this.#isSecondAsked;
  }

  #begin({ epoch, resumed }: Extract<FeedLine, { kind: 'begin' }>): void {
    if (resumed && (this.#asked === null || (this.#epoch !== null && epoch !== this.#epoch))) {
      this.#latest = null;
      throw new FeedFault('the feed continues after a cursor that it did not give');
    }
    this.#hasBegun = true;
    if (!resumed) {
      this.#listing = new Map();
      if (this.#epoch !== null && epoch !== this.#epoch) this.#options.onEpoch();
    }
    this.#epoch = epoch;
    this.#options.zones.retryAll();
  }

  #endList({ zones: count, cursor }: Extract<FeedLine, { kind: 'list-end' }>): void {
    const listing = this.#listing;
    if (listing === null) throw new FeedFault('the feed sent "list-end" outside of a list');
    if (listing.size !== count) throw new FeedFault(`the list has ${listing.size} zones, and announced ${count}`);
    this.#listing = null;
    this.#applyList(listing);
    this.#needsList = false;
    this.#mark(cursor);
  }

  #applyList(listing: ReadonlyMap<string, ServedHead>): void {
    const { zones, state, present, clock, log } = this.#options;
    const heldNames = new Set([...present, ...state.rows().keys()]);
    const { reload, missing } = planList(listing, state.rows(), heldNames);
    const removals = planRemovals(missing, heldNames.size, this.#held, clock.now(), this.#options.removesAll);
    this.#held = removals.held;
    this.#isSecondAsked = false;
    log.info(
      { zones: listing.size, read: reload.length, removed: removals.remove.length, kept: removals.keep.length },
      'the api sent the list of zones',
    );
    if (removals.keep.length > 0) {
      log.error(
        { missing: removals.keep.length, held: heldNames.size, first: removals.keep.slice(0, 10) },
        'the list of the api lacks more than half of the zones of this node. The node removes none of them, and does so only after a second such list in 10 minutes. Check the database of the api; if the zones are really deleted, you can set ZONESTEAD_NODE_REMOVALS=all',
      );
    }
    state.batch(() => {
      for (const name of removals.keep) {
        state.put({ ...(state.rows().get(name) ?? emptyRow(name, '')), isUnlisted: true });
      }
    });
    for (const name of removals.remove) {
      const id = state.rows().get(name)?.id;
      if (id !== undefined) zones.add({ kind: 'gone', id, name });
    }
    for (const { id, name } of reload) zones.add({ kind: 'reload', id, name });
  }

  #mark(cursor: string): void {
    if (this.#needsList) return;
    this.#latest = cursor;
    this.#options.zones.position.mark(cursor, this.#options.clock.now());
  }
}
