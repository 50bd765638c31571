/**
 * The part of a zone that a batch of writes is judged against, in memory. The caller loads it once and then adds every
 * accepted write, so that the next write is judged against the result.
 *
 *     names    owner names of which all records are known: the written names, the links of their alias chains, and the
 *              targets of delegations
 *     cuts     the NS and DNAME records of the names above them
 *     below    for names that may become a delegation or a redirection: the names below
 */
import { fqdn, orderName, suffixesOf } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import type { Neighbour, Surroundings, ZoneCut } from './surroundings.ts';

/** The names strictly below a name. */
export interface NamesBelow {
  /** The name itself, as an ordername. */
  under: string;
  /** The first names below it, in order, with how many records each has. */
  names: { name: string; ordername: string; count: number }[];
  /** The number of records at all names below. */
  total: number;
}

/** How many names a refused delegation lists. */
export const NAMES_SHOWN = 5;

export class NearbyRecords {
  readonly zone: string;
  readonly #names = new Map<string, Neighbour[]>();
  readonly #cuts = new Map<string, Neighbour[]>();
  readonly #children = new Map<string, ZoneCut>();
  readonly #below = new Map<string, NamesBelow>();
  /** By the ordername of a delegation: all targets that its NS records will have. */
  readonly #delegated = new Map<string, Set<string>>();
  /** The number of records that were added to (or removed from) a name since `below` was loaded. */
  readonly #growth = new Map<string, { name: string; count: number }>();

  constructor(zone: string) {
    this.zone = zone;
  }

  /** From now on all records at `ordernames` are known; `rows` are those records. */
  addNames(ordernames: Iterable<string>, rows: readonly Neighbour[]): void {
    for (const ordername of ordernames) this.#names.set(ordername, []);
    for (const row of rows) this.#names.get(row.ordername)?.push(row);
  }

  /** The NS and DNAME records at names above the written names. */
  addCuts(rows: readonly Neighbour[]): void {
    for (const row of rows) this.#cuts.set(row.ordername, [...(this.#cuts.get(row.ordername) ?? []), row]);
  }

  /** Hosted zones that the written names lie in; for a DNAME also those below it. */
  addChildren(children: readonly { id: string; name: string }[]): void {
    for (const { id, name } of children) this.#children.set(name, { name, type: 'zone', zoneId: id });
  }

  addBelow(entries: readonly NamesBelow[]): void {
    for (const entry of entries) this.#below.set(entry.under, entry);
  }

  /**
   * Replaces the list of records that the current request is about to create: the name servers of a delegation are judged one
   * by one, and the addresses of all of them may exist already.
   */
  announce(written: readonly ParsedRecord[]): void {
    this.#delegated.clear();
    for (const { type, ordername, target } of written) {
      if (type !== 'NS' || target === null) continue;
      this.#delegated.set(ordername, (this.#delegated.get(ordername) ?? new Set()).add(target));
    }
  }

  knows(ordername: string): boolean {
    return this.#names.has(ordername);
  }

  /** All records at a name, except for the record with the id `without`. */
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

  /** The data that the rules need to judge `record`. @param replacing the id of the record that it replaces */
  surroundingsOf(record: ParsedRecord, replacing: string | null): Surroundings {
    const owner = fqdn(record.name, this.zone);
    const ancestors = ancestorsOf(record.name);
    const cutting = ancestors.flatMap((ordername) => this.#cutsAt(ordername));
    const cuts = cutting.filter(({ type }) => type === 'NS');
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
        ...cutting.map((cut) => ({ name: fqdn(cut.name, this.zone), type: cut.type as 'NS' | 'DNAME' })),
      ],
      nsAtCutTargets: cuts.filter((cut) => cut.ordername === nearest).flatMap((cut) => cut.target ?? []),
      // Only the rules for a new delegation look at the names below it and at its targets.
      cutTargets,
      atTarget: cutTargets.flatMap((target) => this.#atFqdn(target)),
      below:
        (record.type === 'NS' || record.type === 'DNAME') && replacing === null
          ? this.#namesBelow(record.ordername, NAMES_SHOWN + cutTargets.length)
          : { names: [], total: 0 },
      zonesBelow: record.type === 'DNAME' ? this.#zonesBelow(owner) : [],
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
    return NearbyRecords.ordernameIn(this.zone, name);
  }

  /** The ordername of an absolute name in a zone; null for a name outside of it. */
  static ordernameIn(zone: string, name: string): string | null {
    if (name === zone) return '';
    return name.endsWith(`.${zone}`) ? orderName(name.slice(0, -zone.length - 1)) : null;
  }

  #cutsAt(ordername: string): Neighbour[] {
    const known = this.#names.has(ordername) ? this.at(ordername) : (this.#cuts.get(ordername) ?? []);
    return known.filter(({ type }) => type === 'NS' || type === 'DNAME');
  }

  #zonesBelow(owner: string): { id: string; name: string }[] {
    return [...this.#children.values()].flatMap(({ name, zoneId }) =>
      zoneId !== undefined && name.endsWith(`.${owner}`) ? [{ id: zoneId, name }] : [],
    );
  }

  #grow({ name, ordername }: Pick<Neighbour, 'name' | 'ordername'>, by: number): void {
    this.#growth.set(ordername, { name, count: (this.#growth.get(ordername)?.count ?? 0) + by });
  }

  #namesBelow(ordername: string, limit: number): Surroundings['below'] {
    const loaded = this.#below.get(ordername);
    const counts = new Map(loaded?.names.map((entry) => [entry.ordername, entry]));
    let total = loaded?.total ?? 0;
    for (const [grown, { name, count }] of this.#growth) {
      if (grown === ordername || !grown.startsWith(prefixBelow(ordername))) continue;
      total += count;
      counts.set(grown, { name, ordername: grown, count: (counts.get(grown)?.count ?? 0) + count });
    }
    const names = [...counts.values()].filter(({ count }) => count > 0).sort(byOrdername);
    return { names: names.slice(0, limit).map(({ name }) => name), total };
  }
}

/** The names above a name of the zone as ordernames, beginning with the apex; none for the apex itself. */
export function ancestorsOf(name: string): string[] {
  return name === '@' ? [] : ['', ...suffixesOf(name).slice(1).reverse().map(orderName)];
}

/** The beginning of the ordernames of all names below one. */
export function prefixBelow(ordername: string): string {
  return ordername === '' ? '' : `${ordername} `;
}

/** Byte order, as the database has it: names are ASCII. */
function byOrdername(a: { ordername: string }, b: { ordername: string }): number {
  return a.ordername < b.ordername ? -1 : 1;
}
