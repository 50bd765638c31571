// Turns the lines of the feed into work of zones, and lists into work and removals. Decides with which cursor the node
// connects, and stores the cursor that is reached.
import type { Clock } from '#base/clock.ts';
import type { FeedLine } from '#contract/feed.ts';
import type { LaterLine } from '#contract/feed-later.ts';
import type { ServedSet } from '#dns/served.ts';
import type { Logger } from '#telemetry/log.ts';
import { addTo } from './difference.ts';
import { FeedFault } from './faults.ts';
import { planList, type ServedHead } from './plan.ts';
import { findRestoredEnd, type HeldRemovals, planRemovals, SECOND_LIST_MS, type Unlisted } from './removals.ts';
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
/** Work that a line of the feed asks for. */
const NEWS = { isNews: true };
/** A line that only the list can replace leads to a list so often, in ms. */
const LATER_LIST_MS = 60_000;
/** Unknown kinds beyond this number are not logged. */
const MAX_LATER_KINDS = 20;
/** A bound on the memory for one list, about 200 bytes for each zone. */
const MAX_LISTED = 2_000_000;

const KEPT_TEXTS: Readonly<Record<Unlisted['reason'], string>> = {
  restored:
    'the database of the api is another one, was restored, or was restarted, and its list lacks zones of this node. The node answers for them for 24 hours, and then removes them with their DNSSEC keys. If they were really deleted, run "zonestead admin nodes accept-removals"; otherwise bring them back before that',
  many: 'the list of the api lacks more than half of the zones of this node. The node removes none of them, and does so only after a second such list in 10 minutes. Check the database of the api; if the zones are really deleted, you can set ZONESTEAD_NODE_REMOVALS=all',
};

export class Intake {
  readonly #options: IntakeOptions;
  #latest: string | null;
  #asked: string | null = null;
  /** The database of the last list that was applied. */
  #epoch: string | null;
  #listing: { readonly epoch: string; readonly zones: Map<string, ServedHead> } | null = null;
  #hasBegun = false;
  /** Cursors do not count until a list says what exists. */
  #needsList = false;
  #held: HeldRemovals | null = null;
  /** When the first zone that another database lacks has stayed long enough; null without such a zone. */
  #restoredEnd: number | null;
  /** The database whose removals an administrator accepts. */
  #acceptedEpoch: string | null = null;
  #isListAsked = false;
  /** When the next list may replace a line of an unknown kind; null without such a line. */
  #laterListAt: number | null = null;
  #lastLaterList = Number.NEGATIVE_INFINITY;
  /** The unknown kinds that were logged. */
  readonly #laterKinds = new Set<string>();
  #savedAt = Number.NEGATIVE_INFINITY;

  constructor(options: IntakeOptions) {
    this.#options = options;
    const { cursor, epoch } = options.state.facts();
    // Only a list says whether zones belong to the api that the last list lacked, or that the name server has by other
    // means.
    const rows = [...options.state.rows().values()];
    this.#latest = rows.every(({ id, unlisted }) => id !== '' && unlisted === null) ? cursor : null;
    this.#epoch = epoch;
    this.#restoredEnd = findRestoredEnd(rows.map(({ unlisted }) => unlisted));
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
  line(line: FeedLine | LaterLine): void {
    if (line.kind === 'later') {
      this.#later(line);
      return;
    }
    if (this.#hasBegun !== (line.kind !== 'begin')) throw new FeedFault(`the feed sent "${line.kind}" out of order`);
    const { zones } = this.#options;
    switch (line.kind) {
      case 'begin':
        this.#begin(line);
        return;
      case 'listed': {
        const { id, name, version, serial } = line;
        if (this.#listing === null) throw new FeedFault('the feed sent "listed" outside of a list');
        this.#listing.zones.set(name, { id, name, version, serial });
        if (this.#listing.zones.size > MAX_LISTED) throw new FeedFault(`the list has more than ${MAX_LISTED} zones`);
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
        zones.add({ kind: 'names', head: { id, name, version, serial }, sets, latest: new Set(sets.keys()) }, NEWS);
        break;
      }
      case 'reload':
      case 'gone':
        zones.add({ kind: line.kind, id: line.id, name: line.name }, NEWS);
        break;
      default:
        break;
    }
    if (this.#listing === null) this.#mark(line.cursor);
  }

  /** A line of a newer api: skipped where nothing is lost, otherwise its zone or all zones are read again. */
  #later({ line }: LaterLine): void {
    const { kind, skippable, id, name, cursor } = line;
    const { zones, clock, log } = this.#options;
    if (!this.#laterKinds.has(kind) && this.#laterKinds.size < MAX_LATER_KINDS) {
      this.#laterKinds.add(kind);
      log.warn(
        { kind, skippable, zone: name },
        'the api is newer than this node, and sent a line of a kind that it does not know. The node reads the zones again that the line may concern; upgrade the node',
      );
    }
    if (skippable) return;
    if (!this.#hasBegun || this.#listing !== null) throw new FeedFault(`the feed sent "${kind}", which is not known`);
    if (id !== undefined && name !== undefined && cursor !== undefined) {
      zones.add({ kind: 'reload', id, name }, NEWS);
      this.#mark(cursor);
      return;
    }
    this.#laterListAt ??= Math.max(clock.now(), this.#lastLaterList + LATER_LIST_MS);
    this.requireList();
  }

  /** Stores the cursor that is reached. */
  save(): void {
    const { clock, state, zones } = this.#options;
    const reachedPosition = zones.position.reached();
    if (this.#needsList || reachedPosition === null) return;
    if (state.facts().cursor === reachedPosition.cursor) return;
    state.setFacts({ cursor: reachedPosition.cursor });
    this.#savedAt = clock.now();
  }

  /** The same without a change of a zone: at most every 10 s. */
  saveSeldom(): void {
    if (this.#options.clock.now() - this.#savedAt >= SELDOM_MS) this.save();
  }

  /** @param epoch the database whose removals an administrator accepts; null: of none */
  acceptRemovals(epoch: string | null): void {
    this.#acceptedEpoch = epoch;
  }

  /** Whether it is time to ask for the list again, to remove zones that it lacked; true once for each list. */
  isListDue(): boolean {
    const now = this.#options.clock.now();
    if (this.#laterListAt !== null && now >= this.#laterListAt) {
      [this.#laterListAt, this.#lastLaterList] = [null, now];
      return true;
    }
    if (this.#isListAsked) return false;
    const isSecondDue = this.#held !== null && now >= this.#held.since + SECOND_LIST_MS;
    const isAccepted = this.#epoch !== null && this.#acceptedEpoch === this.#epoch;
    this.#isListAsked = isSecondDue || (this.#restoredEnd !== null && (isAccepted || now >= this.#restoredEnd));
    return this.#isListAsked;
  }

  #begin({ epoch, resumed }: Extract<FeedLine, { kind: 'begin' }>): void {
    if (resumed && (this.#asked === null || (this.#epoch !== null && epoch !== this.#epoch))) {
      this.#latest = null;
      throw new FeedFault('the feed continues after a cursor that it did not give');
    }
    this.#hasBegun = true;
    if (!resumed) this.#listing = { epoch, zones: new Map() };
    this.#options.zones.retryAll();
  }

  #endList({ zones: count, cursor }: Extract<FeedLine, { kind: 'list-end' }>): void {
    const listing = this.#listing;
    if (listing === null) throw new FeedFault('the feed sent "list-end" outside of a list');
    const { epoch, zones: listedZones } = listing;
    if (listedZones.size !== count)
      throw new FeedFault(`the list has ${listedZones.size} zones, and announced ${count}`);
    this.#listing = null;
    const lastEpoch = this.#epoch;
    this.#applyList(epoch, listedZones);
    if (lastEpoch !== null && epoch !== lastEpoch) this.#options.onEpoch();
    this.#needsList = false;
    this.#mark(cursor);
  }

  #applyList(epoch: string, listedZones: ReadonlyMap<string, ServedHead>): void {
    const { zones, state, present, clock, log, removesAll } = this.#options;
    const heldNames = new Set([...present, ...state.rows().keys()]);
    const { reload, missing: names } = planList(listedZones, state.rows(), heldNames);
    const unlisted = new Map<string, Unlisted>();
    for (const row of state.rows().values()) if (row.unlisted !== null) unlisted.set(row.name, row.unlisted);
    const missing = {
      names,
      total: heldNames.size,
      unlisted,
      isNewEpoch: epoch !== this.#epoch,
      isAccepted: epoch === this.#acceptedEpoch,
      isAllowed: removesAll,
    };
    const removals = planRemovals(missing, this.#held, clock.now());
    this.#epoch = epoch;
    this.#held = removals.held;
    this.#restoredEnd = findRestoredEnd(removals.keep.values());
    this.#isListAsked = false;
    log.info(
      { zones: listedZones.size, read: reload.length, removed: removals.remove.length, kept: removals.keep.size },
      'the api sent the list of zones',
    );
    this.#logKept(removals.keep, heldNames.size);
    // In one transaction: a node that knows the new database knows also which zones stay.
    state.batch(() => {
      for (const [name, kept] of removals.keep) {
        state.put({ ...(state.rows().get(name) ?? emptyRow(name, '')), unlisted: kept });
      }
      if (state.facts().epoch !== epoch) state.setFacts({ epoch });
    });
    for (const name of removals.remove) {
      const id = state.rows().get(name)?.id;
      if (id !== undefined) zones.add({ kind: 'gone', id, name });
    }
    for (const { id, name } of reload) zones.add({ kind: 'reload', id, name });
  }

  #logKept(keep: ReadonlyMap<string, Unlisted>, total: number): void {
    const { log } = this.#options;
    for (const reason of ['restored', 'many'] as const) {
      const names = [...keep].filter(([, unlisted]) => unlisted.reason === reason).map(([name]) => name);
      if (names.length > 0)
        log.error({ missing: names.length, held: total, first: names.slice(0, 10) }, KEPT_TEXTS[reason]);
    }
  }

  #mark(cursor: string): void {
    if (this.#needsList) return;
    this.#latest = cursor;
    this.#options.zones.position.mark(cursor, this.#options.clock.now());
  }
}
