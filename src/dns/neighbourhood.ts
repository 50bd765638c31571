/**
 * The part of a zone that some writes have to be judged by, held in memory: loaded once by the caller, then kept up with
 * every write that was judged, so that the next one is judged beside it. No rule is known here.
 *
 *     names    owner names of which all records are known: those written at, the links of their alias chains, and the
 *              names that delegations point to
 *     cuts     of other names above them only the NS records
 *     below    of names that may become a delegation: who stands below
 */
import { fqdn, orderName, suffixesOf } from './name.ts';
import type { ParsedRecord } from './record.ts';
import type { Neighbour, Surroundings, ZoneCut } from './surroundings.ts';

/** What stands strictly below a name. */
export interface NamesBelow {
  /** The name itself, as an ordername. */
  under: string;
  /** The first names below it, in order, with how many records each has. */
  names: { name: string; ordername: string; count: number }[];
  /** Records below in all. */
  total: number;
}

/** How many names a refused delegation lists. */
export const NAMES_SHOWN = 5;

export class Neighbourhood {
  readonly zone: string;
  readonly #names = new Map<string, Neighbour[]>();
  readonly #cuts = new Map<string, Neighbour[]>();
  readonly #children = new Map<string, ZoneCut>();
  readonly #below = new Map<string, NamesBelow>();
  /** By the ordername of a delegation, all that it is about to point to. */
  readonly #delegated = new Map<string, Set<string>>();
  /** Records more (or fewer) at a name than when `below` was loaded. */
  readonly #growth = new Map<string, { name: string; count: number }>();

  constructor(zone: string) {
    this.zone = zone;
  }

  /** `ordernames` are from now on known as a whole; `rows` is all that stands there. */
  learnNames(ordernames: Iterable<string>, rows: readonly Neighbour[]): void {
    for (const ordername of ordernames) this.#names.set(ordername, []);
    for (const row of rows) this.#names.get(row.ordername)?.push(row);
  }

  /** NS records at names above those written at. */
  learnCuts(rows: readonly Neighbour[]): void {
    for (const row of rows) this.#cuts.set(row.ordername, [...(this.#cuts.get(row.ordername) ?? []), row]);
  }

  learnChildren(children: readonly { id: string; name: string }[]): void {
    for (const { id, name } of children) this.#children.set(name, { name, type: 'zone', zoneId: id });
  }

  learnBelow(entries: readonly NamesBelow[]): void {
    for (const entry of entries) this.#below.set(entry.under, entry);
  }

  /** All that is about to be created: name servers of one delegation come one by one, and their addresses may be there. */
  expect(written: readonly ParsedRecord[]): void {
    for (const { type, ordername, target } of written) {
      if (type !== 'NS' || target === null) continue;
      this.#delegated.set(ordername, (this.#delegated.get(ordername) ?? new Set()).add(target));
    }
  }

  knows(ordername: string): boolean {
    return this.#names.has(ordername);
  }

  /** All that stands at a name, without one record when `without` names it. */
  at(ordername: string, without: string | null = null): Neighbour[] {
    return (this.#names.get(ordername) ?? []).filter(({ id }) => id !== without);
  }

  /** A record was written, or takes the place of the one with its id. */
  put(record: Neighbour): void {
    const at = this.#names.get(record.ordername) ?? [];
    const place = at.findIndex(({ id }) => id === record.id);
    if (place < 0) this.#grow(record, 1);
    at.splice(place < 0 ? at.length : place, 1, record);
  }

  /** A record was deleted. */
  drop(record: Pick<Neighbour, 'id' | 'name' | 'ordername'>): void {
    this.#names.set(record.ordername, this.at(record.ordername, record.id));
    this.#grow(record, -1);
  }

  /** What the rules judge `record` by. @param replacing the id of the record whose place it takes */
  around(record: ParsedRecord, replacing: string | null): Surroundings {
    const owner = fqdn(record.name, this.zone);
    const ancestors = record.name === '@' ? [] : suffixesOf(record.name).slice(1);
    // The topmost first: the last one is the nearest.
    const cuts = ancestors.reverse().flatMap((name) => this.#nsAt(orderName(name)));
    const nearest = cuts.at(-1)?.ordername;
    const cutTargets =
      record.type !== 'NS' || record.target === null
        ? []
        : [...new Set([record.target, ...(this.#delegated.get(record.ordername) ?? [])])];
    return {
      zone: this.zone,
      atName: this.at(record.ordername, replacing),
      cutsAbove: [
        ...(this.#children.size === 0 ? [] : suffixesOf(owner).flatMap((name) => this.#children.get(name) ?? [])),
        ...cuts.map((cut) => ({ name: fqdn(cut.name, this.zone), type: 'NS' as const })),
      ],
      nsAtCutTargets: cuts.filter((cut) => cut.ordername === nearest).flatMap((cut) => cut.target ?? []),
      // No rule looks below anything but a new delegation, or at what it points to.
      cutTargets,
      atTarget: cutTargets.flatMap((target) => this.#atFqdn(target)),
      below:
        record.type === 'NS' && replacing === null
          ? this.#namesBelow(record.ordername, NAMES_SHOWN + cutTargets.length)
          : { names: [], total: 0 },
      inZoneCname: (name) => this.linkAt(name)?.target ?? null,
      replaces: replacing !== null,
    };
  }

  /** The CNAME or ALIAS at an absolute name of this zone. */
  linkAt(name: string): Neighbour | undefined {
    const ordername = this.ordernameOf(name);
    return ordername === null ? undefined : this.at(ordername).find(({ type }) => type === 'CNAME' || type === 'ALIAS');
  }

  #atFqdn(name: string): Neighbour[] {
    const ordername = this.ordernameOf(name);
    return ordername === null ? [] : this.at(ordername);
  }

  /** Null for a name outside of the zone. */
  ordernameOf(name: string): string | null {
    if (name === this.zone) return '';
    return name.endsWith(`.${this.zone}`) ? orderName(name.slice(0, -this.zone.length - 1)) : null;
  }

  #nsAt(ordername: string): Neighbour[] {
    const known = this.#names.has(ordername) ? this.at(ordername) : (this.#cuts.get(ordername) ?? []);
    return known.filter(({ type }) => type === 'NS');
  }

  #grow({ name, ordername }: Pick<Neighbour, 'name' | 'ordername'>, by: number): void {
    this.#growth.set(ordername, { name, count: (this.#growth.get(ordername)?.count ?? 0) + by });
  }

  #namesBelow(ordername: string, limit: number): Surroundings['below'] {
    const loaded = this.#below.get(ordername);
    const counts = new Map(loaded?.names.map((entry) => [entry.ordername, entry]));
    let total = loaded?.total ?? 0;
    for (const [grown, { name, count }] of this.#growth) {
      if (!grown.startsWith(`${ordername} `)) continue;
      total += count;
      counts.set(grown, { name, ordername: grown, count: (counts.get(grown)?.count ?? 0) + count });
    }
    const names = [...counts.values()].filter(({ count }) => count > 0).sort(byOrdername);
    return { names: names.slice(0, limit).map(({ name }) => name), total };
  }
}

/** Byte order, as the database has it: names are ASCII. */
function byOrdername(a: { ordername: string }, b: { ordername: string }): number {
  return a.ordername < b.ordername ? -1 : 1;
}
