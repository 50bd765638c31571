// Reads the records of many names of one zone with few requests, and only the records of these names, so that the cost
// does not depend on the size of the zone.
//
// A zone is quiet (each call is a request of its own, a few in parallel) → crowded (many calls wait or began within the
// last second: one request after the other asks for up to a hundred names of one type) → quiet
//
// Calls that wait take turns by group. Nothing is cached: no answer is older than its call.

import type { Clock } from '#base/clock.ts';
import { FairQueue } from '#base/fair/queue.ts';
import type { Input, OperationAnswer } from '#contract/operation.ts';
import { listRecords } from '#contract/operations/records.ts';
import type { ListedRecord } from '#contract/record.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './http.ts';
import { type RecordFilter, readRecordPages } from './lists.ts';

/** The name is canonical and relative, as in answers. */
type Place = Required<{ [K in 'name' | 'type']: NonNullable<RecordFilter[K]> }>;

type RecordList = OperationAnswer<typeof listRecords>;
type RecordQuery = Input<typeof listRecords>['query'];

interface Ask {
  readonly place: Place;
  readonly options: CallOptions;
  readonly answer: (list: Promise<RecordList>) => void;
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
const MAX_NAMES = 100;
const MAX_CHARACTERS = 6_000;
/** Records in one page of an answer. */
const PAGE = 200;

/**
 * The client with shared reads: only a list of records by name and type waits for other calls, as described above.
 * @param groupOf calls of one group take turns with those of the others. Absent: all calls are one group.
 */
export function withSharedReads(
  client: Client,
  clock: Clock,
  groupOf: (call: CallOptions) => string = () => '',
): Client {
  const reads = new SharedReads(client, clock);
  return {
    ...client,
    call: (operation, input, options = {}) => {
      if (operation.id !== listRecords.id) return client.call(operation, input, options);
      const { params, query } = input as Input<typeof listRecords>;
      const place = toPlace(query);
      if (place === null) return client.call(operation, input, options);
      return reads.list(params.id, place, options, groupOf(options)) as Promise<never>;
    },
  };
}

/** The name and type that a list is limited to; null if it has another filter, or is a page. */
function toPlace({ name, type, ...others }: RecordQuery = {}): Place | null {
  const isPlain = Object.values(others).every((other) => other === undefined);
  return isPlain && name !== undefined && type !== undefined ? { name, type } : null;
}

class SharedReads {
  readonly #client: Pick<Client, 'call'>;
  readonly #clock: Clock;
  readonly #zones = new Map<string, Zone>();

  constructor(client: Pick<Client, 'call'>, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  list(id: string, place: Place, options: CallOptions, group: string): Promise<RecordList> {
    return new Promise((resolve) => {
      const zone = this.#zoneWith(id);
      zone.waiting.add({ place, options, answer: resolve }, { group, line: place.type });
      this.#next(id, zone);
    });
  }

  #zoneWith(id: string): Zone {
    const knownZone = this.#zones.get(id);
    if (knownZone) return knownZone;
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
    const list = this.#client.call(listRecords, { params: { id }, query: place }, options);
    answer(list);
    await list.catch(() => undefined);
    zone.singles -= 1;
    this.#next(id, zone);
  }

  async #several(id: string, zone: Zone): Promise<void> {
    const asks = takeAlike(zone.waiting);
    zone.isGathering = true;
    // A caller may leave at any time while others still wait; the client's own time limit ends the request.
    const gathering = this.#gather(id, asks);
    for (const { place, options, answer } of asks) {
      answer(
        gathering.then((places) => {
          options.signal?.throwIfAborted();
          return { records: places.get(place.name) ?? [] };
        }),
      );
    }
    await gathering.catch(() => undefined);
    zone.isGathering = false;
    this.#next(id, zone);
  }

  async #gather(id: string, asks: readonly Ask[]): Promise<Map<string, ListedRecord[]>> {
    const { place, options } = asks[0] as Ask;
    const names = [...new Set(asks.map((ask) => ask.place.name))];
    const places = new Map<string, ListedRecord[]>();
    const pages = readRecordPages(this.#client, id, { names, type: place.type }, PAGE, {
      requestId: options.requestId,
    });
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
function takeAlike(askQueue: FairQueue<Ask>): Ask[] {
  const type = askQueue.next()?.place.type;
  const names = new Set<string>();
  let characters = 0;
  const adds = ({ place: { name } }: Ask): number => (names.has(name) ? 0 : name.length + 1);
  const mayGo = (ask: Ask): boolean =>
    ask.place.type === type &&
    names.size + Math.sign(adds(ask)) <= MAX_NAMES &&
    characters + adds(ask) <= MAX_CHARACTERS;
  const batch: Ask[] = [];
  for (let ask = askQueue.next({ mayGo }); ask !== undefined; ask = askQueue.next({ mayGo })) {
    characters += adds(ask);
    names.add(ask.place.name);
    batch.push(ask);
    askQueue.take(ask);
  }
  return batch;
}
