// Reads the records of many names of one zone with few requests, and only the records of these names, so that the cost does
// not depend on the size of the zone.
//
// A zone is     quiet (each call is a request of its own, a few in parallel) → crowded (many calls wait or began within the
// last second: one request after the other asks for up to a hundred names of one type) → quiet
//
// Calls that wait take turns by group. Nothing is cached: no answer is older than its call.

import type { Clock } from '#base/clock.ts';
import { FairQueue } from '#base/fair/queue.ts';
import type { Client, ListedRecord, RecordFilter } from './client.ts';
import type { CallOptions } from './http.ts';

/** The name is canonical and relative, as in answers. */
type Place = Required<{ [K in 'name' | 'type']: NonNullable<RecordFilter[K]> }>;

interface Ask {
  readonly place: Place;
  readonly options: CallOptions;
  readonly answer: (records: Promise<ListedRecord[]>) => void;
}

interface Zone {
  /** The calls for one type are a line. */
  readonly waiting: FairQueue<Ask>;
  /** Requests in flight for single names. */
  singles: number;
  /** Those that began within about the last second. */
  recent: number;
  /** Whether a request for several names is in flight. */
  isGathering: boolean;
}

/** Parallel requests for single names, per zone. */
const SINGLES = 8;
const RECENT_MS = 1_000;
/** The service's limits for one request. */
const MOST_NAMES = 100;
const MOST_CHARACTERS = 6_000;
/** Records in one page of an answer. */
const PAGE = 200;

/**
 * The client with shared reads: only `records.list` by name and type waits for other calls, as described above.
 * @param groupOf calls of one group take turns with those of the others (Default: all calls are one group.)
 */
export function withSharedReads(
  client: Client,
  clock: Clock,
  groupOf: (call: CallOptions) => string = () => '',
): Client {
  const { records } = client;
  const reads = new SharedReads(records, clock);
  return {
    ...client,
    records: {
      ...records,
      list: (id, filter = {}, options = {}) => {
        const { name, type, ...others } = filter;
        if (name === undefined || type === undefined || Object.values(others).some((other) => other !== undefined))
          return records.list(id, filter, options);
        return reads.list(id, { name, type }, options, groupOf(options));
      },
    },
  };
}

class SharedReads {
  readonly #records: Pick<Client['records'], 'list' | 'pages'>;
  readonly #clock: Clock;
  readonly #zones = new Map<string, Zone>();

  constructor(records: Pick<Client['records'], 'list' | 'pages'>, clock: Clock) {
    this.#records = records;
    this.#clock = clock;
  }

  list(id: string, place: Place, options: CallOptions, group: string): Promise<ListedRecord[]> {
    return new Promise((resolve) => {
      const zone = this.#zoneWith(id);
      zone.waiting.add({ place, options, answer: resolve }, { group, line: place.type });
      this.#next(id, zone);
    });
  }

  #zoneWith(id: string): Zone {
    const found = this.#zones.get(id);
    if (found) return found;
    const zone: Zone = { waiting: new FairQueue(), singles: 0, recent: 0, isGathering: false };
    this.#zones.set(id, zone);
    return zone;
  }

  async #one(id: string, zone: Zone, { place, options, answer }: Ask): Promise<void> {
    zone.singles += 1;
    if (zone.recent === 0) {
      this.#clock.setTimeout(() => {
        zone.recent = 0;
        this.#forgetQuiet(id, zone);
      }, RECENT_MS);
    }
    zone.recent += 1;
    const found = this.#records.list(id, place, options);
    answer(found);
    await found.catch(() => undefined);
    zone.singles -= 1;
    this.#next(id, zone);
  }

  async #several(id: string, zone: Zone): Promise<void> {
    const asks = takeAlike(zone.waiting);
    zone.isGathering = true;
    // A caller may leave at any time while others still wait; the client's own time limit ends the request.
    const found = this.#gather(id, asks);
    for (const { place, options, answer } of asks) {
      answer(
        found.then((places) => {
          options.signal?.throwIfAborted();
          return places.get(place.name) ?? [];
        }),
      );
    }
    await found.catch(() => undefined);
    zone.isGathering = false;
    this.#next(id, zone);
  }

  async #gather(id: string, asks: readonly Ask[]): Promise<Map<string, ListedRecord[]>> {
    const { place, options } = asks[0] as Ask;
    const names = [...new Set(asks.map((ask) => ask.place.name))];
    const places = new Map<string, ListedRecord[]>();
    const pages = this.#records.pages(id, { names, type: place.type }, PAGE, { requestId: options.requestId });
    for await (const page of pages) {
      for (const record of page) {
        const there = places.get(record.name);
        if (there) there.push(record);
        else places.set(record.name, [record]);
      }
    }
    return places;
  }

  #next(id: string, zone: Zone): void {
    const { waiting } = zone;
    if (zone.isGathering) return;
    if (waiting.size === 0) this.#forgetQuiet(id, zone);
    if (waiting.size > 1 && waiting.size + zone.recent > 2 * SINGLES) {
      void this.#several(id, zone);
      return;
    }
    while (zone.singles < SINGLES) {
      const ask = waiting.next();
      if (ask === undefined) return;
      waiting.take(ask);
      void this.#one(id, zone, ask);
    }
  }

  #forgetQuiet(id: string, { waiting, singles, recent, isGathering }: Zone): void {
    if (waiting.size + singles + recent === 0 && !isGathering) this.#zones.delete(id);
  }
}

/** Takes as many calls as one request can serve: those of the type of the first one, each group in turn. */
function takeAlike(waiting: FairQueue<Ask>): Ask[] {
  const type = waiting.next()?.place.type;
  const names = new Set<string>();
  let characters = 0;
  const adds = ({ place: { name } }: Ask): number => (names.has(name) ? 0 : name.length + 1);
  const mayGo = (ask: Ask): boolean =>
    ask.place.type === type &&
    names.size + Math.sign(adds(ask)) <= MOST_NAMES &&
    characters + adds(ask) <= MOST_CHARACTERS;
  const taken: Ask[] = [];
  for (let ask = waiting.next({ mayGo }); ask !== undefined; ask = waiting.next({ mayGo })) {
    characters += adds(ask);
    names.add(ask.place.name);
    taken.push(ask);
    waiting.take(ask);
  }
  return taken;
}
