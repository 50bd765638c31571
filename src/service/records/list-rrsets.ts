// Lists the RRsets of a zone, for protocols whose smallest object is an RRset (the PowerDNS API).
import type { RecordType } from '#dns/types/index.ts';
import { ANSWER, type RecordPageRow, recordPage, streamRecordPages } from '#store/record-pages.ts';
import { snapshotPages } from '#store/snapshot.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { octetsOfEntries, readInSlot } from '../large-read.ts';
import { prepareList } from './records.ts';

/** All records of one name and type. */
export interface ListedRrset {
  /** Canonical and relative to the zone. */
  name: string;
  type: RecordType;
  /** The lowest TTL of its records, in seconds: the one that is served. */
  ttl: number;
  /** RDATA in presentation form, with all names absolute. The preference of an MX is a part of it. */
  values: string[];
  /** The different comments of its records. */
  comments: string[];
}

/**
 * The RRsets that the key may read, by name, as one page or as several pages of one snapshot. Reading the pages uses a
 * slot and a database connection. The service's own SOA and NS records of the apex are not among them.
 * @param query.name relative, or absolute with a final dot
 * @throws Refusal no_zone, forbidden; busy when the first of several pages is read
 */
export async function readAllRrsets(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  query: { name?: string | undefined; type?: RecordType | undefined },
  signal: AbortSignal,
): Promise<{ whole: ListedRrset[] } | { pages: AsyncIterable<ListedRrset[]> }> {
  const { zone, filter } = await prepareList(context, actor, zoneId, query);
  if (!filter) return { whole: [] };
  const { rows, more } = await recordPage(context.db, zone.id, filter, { ...ANSWER, asRdata: true });
  if (!more) {
    const sets = new Grouping(zone.defaultTtl);
    return { whole: [...sets.add(rows), ...sets.end()] };
  }
  async function* pages() {
    const sets = new Grouping(zone.defaultTtl);
    const all = snapshotPages(context.db, (tx) => streamRecordPages(tx, zone.id, filter ?? {}, { asRdata: true }));
    for await (const page of all) yield sets.add(page);
    yield sets.end();
  }
  const countOctets = (page: readonly ListedRrset[]) => octetsOfEntries(page.flatMap(({ values }) => values));
  return { pages: readInSlot(context, actor, signal, pages, countOctets) };
}

/** Makes RRsets from rows that are in the order of names and types. */
class Grouping {
  readonly #defaultTtl: number;
  #last: ListedRrset | null = null;

  constructor(defaultTtl: number) {
    this.#defaultTtl = defaultTtl;
  }

  /** @returns the RRsets that are complete */
  add(rows: readonly RecordPageRow[]): ListedRrset[] {
    const complete: ListedRrset[] = [];
    for (const { name, type, content, comment, ttl: ownTtl } of rows) {
      const ttl = ownTtl ?? this.#defaultTtl;
      const last = this.#last;
      if (last?.name === name && last.type === type) {
        last.values.push(content);
        if (comment !== null && !last.comments.includes(comment)) last.comments.push(comment);
        last.ttl = Math.min(last.ttl, ttl);
        continue;
      }
      if (last !== null) complete.push(last);
      this.#last = { name, type, ttl, values: [content], comments: comment === null ? [] : [comment] };
    }
    return complete;
  }

  end(): ListedRrset[] {
    return this.#last === null ? [] : [this.#last];
  }
}
