// Reads the records of many names of one zone with few requests. It must not know why they are asked for.
//
// A zone is     quiet (each ask is a request of its own, a few side by side) → crowded (who waits and who has asked within
// the last second are so many that a list costs less) → listed (one list of the whole zone answers all who wait) → quiet
//
// An answer is never older than its ask but in one case: right after a whole list, asks of the next second are answered
// from it, unless this process has written in the zone since the list began. It is what makes a start with ten thousand
// records a few lists.
import type { Client, DnsRecord, RecordFilter } from './client.ts';
import type { Clock } from './clock.ts';
import type { CallOptions } from './http.ts';

/** The name is canonical and relative, as answers have it. */
type Place = Required<{ [K in 'name' | 'type']: NonNullable<RecordFilter[K]> }>;

interface Ask {
  readonly place: Place;
  readonly options: CallOptions;
  readonly answer: (records: Promise<DnsRecord[]>) => void;
}

interface Zone {
  readonly waiting: Ask[];
  /** Requests for one name under way. */
  singles: number;
  /** Those that were begun within the last second or so. */
  recent: number;
  isListing: boolean;
  /** Records at the last whole list. */
  size: number;
  list: ReadonlyMap<string, DnsRecord[]> | null;
  /** Forgets the list. */
  cancel: () => void;
}

/** Requests for one name side by side, for each zone. */
const SINGLES = 8;
const FRESH_MS = 1_000;
/** So many records of a list cost as much as one more request. */
const RECORDS_PER_REQUEST = 100;

/** The client with shared reads: of its methods only `records.list` by name and type waits for others, as told above. */
export function withSharedReads(client: Client, clock: Clock): Client {
  const { records } = client;
  const zones = new Map<string, Zone>();

  const zoneOf = (id: string): Zone => {
    const found = zones.get(id);
    if (found) return found;
    const zone: Zone = {
      waiting: [],
      singles: 0,
      recent: 0,
      isListing: false,
      size: 0,
      list: null,
      cancel: () => undefined,
    };
    zones.set(id, zone);
    return zone;
  };

  const forget = (zone: Zone | undefined): void => {
    zone?.cancel();
    if (zone) zone.list = null;
  };

  const one = async (id: string, zone: Zone, { place, options, answer }: Ask): Promise<void> => {
    zone.singles += 1;
    if (zone.recent === 0) {
      clock.setTimeout(() => {
        zone.recent = 0;
      }, FRESH_MS);
    }
    zone.recent += 1;
    const found = records.list(id, place, options);
    answer(found);
    await found.catch(() => undefined);
    zone.singles -= 1;
    next(id, zone);
  };

  const whole = async (id: string, zone: Zone): Promise<void> => {
    const asks = zone.waiting.splice(0);
    zone.isListing = true;
    forget(zone);
    let isStale = false;
    zone.cancel = () => {
      isStale = true;
    };
    // Who asks may end at any time, and others go on; the client's own time limit ends the request.
    const listed = records.list(id, {}, { requestId: asks[0]?.options.requestId }).then(byPlace);
    for (const { place, options, answer } of asks) {
      answer(
        listed.then(({ places }) => {
          options.signal?.throwIfAborted();
          return places.get(keyOf(place)) ?? [];
        }),
      );
    }
    try {
      const { places, size } = await listed;
      zone.size = size;
      if (!isStale) {
        zone.list = places;
        zone.cancel = clock.setTimeout(() => {
          zone.list = null;
        }, FRESH_MS);
      }
    } catch {
      // Everybody who asked has heard of it.
    }
    zone.isListing = false;
    next(id, zone);
  };

  const next = (id: string, zone: Zone): void => {
    const { waiting } = zone;
    if (zone.isListing || waiting.length === 0) return;
    const asked = waiting.length + zone.recent;
    if (waiting.length > 1 && asked > 2 * SINGLES + zone.size / RECORDS_PER_REQUEST) return void whole(id, zone);
    while (zone.singles < SINGLES) {
      const ask = waiting.shift();
      if (ask === undefined) return;
      void one(id, zone, ask);
    }
  };

  const at = (id: string, place: Place, options: CallOptions): Promise<DnsRecord[]> => {
    const zone = zoneOf(id);
    if (zone.list !== null) return Promise.resolve(zone.list.get(keyOf(place)) ?? []);
    return new Promise((resolve) => {
      zone.waiting.push({ place, options, answer: resolve });
      next(id, zone);
    });
  };

  const writing = async <T>(id: string, write: Promise<T>): Promise<T> => {
    forget(zones.get(id));
    try {
      return await write;
    } finally {
      forget(zones.get(id));
    }
  };

  return {
    ...client,
    records: {
      list: (id, filter = {}, options = {}) => {
        const { name, type, content } = filter;
        if (name === undefined || type === undefined || content !== undefined) return records.list(id, filter, options);
        return at(id, { name, type }, options);
      },
      create: (id, ...rest) => writing(id, records.create(id, ...rest)),
      update: (id, ...rest) => writing(id, records.update(id, ...rest)),
      delete: (id, ...rest) => writing(id, records.delete(id, ...rest)),
      batch: (id, ...rest) => writing(id, records.batch(id, ...rest)),
    },
  };
}

function byPlace(all: readonly DnsRecord[]): { places: Map<string, DnsRecord[]>; size: number } {
  const places = new Map<string, DnsRecord[]>();
  for (const record of all) {
    const there = places.get(keyOf(record));
    if (there) there.push(record);
    else places.set(keyOf(record), [record]);
  }
  return { places, size: all.length };
}

function keyOf({ name, type }: Place): string {
  return `${type} ${name}`;
}
