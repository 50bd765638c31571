/**
 * The part of a zone that a batch of writes is judged against, in memory. The caller loads it once and then adds every
 * accepted write, so that the next write is judged against the result.
 *
 *     names    owner names of which all records are known: the written names, the links of their alias chains, and the
 *              targets of delegations
 *     cuts     the NS and DNAME records of the names above them
 *     below    for names that may become a delegation or a redirection: the names below
 *
 * No question costs more for a name with many records, or in a request with many: see name-records.ts and
 * names-below.ts.
 */
import { fqdn, listSuffixes, orderName } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import type { RecordType } from '../types/index.ts';
import { NameRecords } from './name-records.ts';
import { BelowNames, type NamesBelow } from './names-below.ts';
import type { Glue, Neighbour, RecordsAtName, Surroundings, ZoneCut } from './surroundings.ts';

export type { NamesBelow } from './names-below.ts';

/** How many names a refused delegation lists. */
export const NAMES_SHOWN = 5;

const NONE = new NameRecords();
const ADDRESSES: readonly RecordType[] = ['A', 'AAAA'];

/** The NS records that the current request is about to create at one name. */
interface Delegation {
  /** Their targets: absolute, without the final dot. */
  targets: Set<string>;
  /** Null: to be counted. */
  glue: Glue | null;
}

export class NearbyRecords {
  readonly zone: string;
  readonly #names = new Map<string, NameRecords>();
  readonly #cuts = new Map<string, NameRecords>();
  readonly #children = new Map<string, ZoneCut>();
  /** By the absolute names above them: the hosted zones below. */
  readonly #childBelow = new Map<string, { id: string; name: string }>();
  readonly #below = new BelowNames();
  /** By the ordername of a delegation. */
  readonly #delegations = new Map<string, Delegation>();

  constructor(zone: string) {
    this.zone = zone;
  }

  /** From now on all records at `ordernames` are known; `rows` are those records. */
  addNames(ordernames: Iterable<string>, rows: Iterable<Neighbour>): void {
    for (const ordername of ordernames) this.#names.set(ordername, new NameRecords());
    for (const row of rows) this.#names.get(row.ordername)?.put(row);
  }

  /** The NS and DNAME records at names above the written names. */
  addCuts(rows: readonly Neighbour[]): void {
    for (const row of rows) {
      const cuts = this.#cuts.get(row.ordername) ?? new NameRecords();
      this.#cuts.set(row.ordername, cuts);
      cuts.put(row);
    }
  }

  /** Hosted zones that the written names lie in; for a DNAME also those below it. */
  addChildren(children: readonly { id: string; name: string }[]): void {
    for (const child of children) {
      this.#children.set(child.name, { name: child.name, type: 'zone', zoneId: child.id });
      for (const above of listSuffixes(child.name).slice(1))
        if (!this.#childBelow.has(above)) this.#childBelow.set(above, child);
    }
  }

  addBelow(entries: readonly NamesBelow[]): void {
    this.#below.add(entries);
  }

  /**
   * Replaces the list of records that the current request is about to create: the name servers of a delegation are
   * judged one by one, and the addresses of all of them may exist already.
   */
  announce(writtenRecords: Iterable<ParsedRecord>): void {
    this.#delegations.clear();
    const cuts = new Set<string>();
    for (const { type, ordername, target } of writtenRecords) {
      if (type === 'NS' || type === 'DNAME') cuts.add(ordername);
      if (type === 'NS' && target !== null) this.#delegationAt(ordername).targets.add(target);
    }
    this.#below.watch(cuts);
  }

  knows(ordername: string): boolean {
    return this.#names.has(ordername);
  }

  /** The records at a name. */
  at(ordername: string): NameRecords {
    return this.#names.get(ordername) ?? NONE;
  }

  /** A record was written, or takes the place of the one with its id. */
  put(record: Neighbour): void {
    const at = this.at(record.ordername);
    if (at.get(record.id) === undefined) this.#below.grow(record, 1);
    if (at !== NONE) at.put(record);
    this.#forgetGlue(record.ordername);
  }

  /** A record was deleted. */
  drop({ id, name, ordername }: Pick<Neighbour, 'id' | 'name' | 'ordername'>): void {
    this.#names.get(ordername)?.drop(id);
    this.#below.grow({ name, ordername }, -1);
    this.#forgetGlue(ordername);
  }

  /** The data that the rules need to judge `record`. @param replacing the id of the record that it replaces */
  surroundingsOf(record: ParsedRecord, replacing: string | null): Surroundings {
    const owner = fqdn(record.name, this.zone);
    const cutsAbove =
      this.#children.size === 0 ? [] : listSuffixes(owner).flatMap((name) => this.#children.get(name) ?? []);
    let nearest: RecordsAtName = NONE;
    for (const ordername of listAncestorNames(record.name)) {
      const there = this.#cutsAt(ordername);
      for (const type of ['NS', 'DNAME'] as const) {
        const cut = there.firstOf(type);
        if (cut !== undefined) cutsAbove.push({ name: fqdn(cut.name, this.zone), type });
      }
      if (there.firstOf('NS') !== undefined) nearest = there;
    }
    const announcedTargets = this.#delegations.get(record.ordername)?.targets;
    return {
      zone: this.zone,
      atName: this.at(record.ordername).without(replacing),
      cutsAbove,
      isServerOfCut: (name) => nearest.hasServer(name),
      isServerOfName: (name) => record.target === name || announcedTargets?.has(name) === true,
      // Only the rules for a new delegation look at the names below it and at its targets.
      glue: () => this.#glueOf(record),
      below: {
        total: () => (replacing === null ? this.#below.totalBelow(record.ordername) : 0),
        first: (but) => this.#below.firstBelow(record.ordername, NAMES_SHOWN, but),
      },
      zoneBelow: record.type === 'DNAME' ? (this.#childBelow.get(owner) ?? null) : null,
      inZoneCname: (name) => this.linkAt(name)?.target ?? null,
      replaces: replacing !== null,
    };
  }

  /** The CNAME or ALIAS at an absolute name of this zone. */
  linkAt(name: string): Neighbour | undefined {
    const ordername = this.ordernameOf(name);
    if (ordername === null) return undefined;
    const there = this.at(ordername);
    return there.firstOf('CNAME') ?? there.firstOf('ALIAS');
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

  #cutsAt(ordername: string): NameRecords {
    return this.#names.get(ordername) ?? this.#cuts.get(ordername) ?? NONE;
  }

  #delegationAt(ordername: string): Delegation {
    const knownDelegation = this.#delegations.get(ordername);
    if (knownDelegation !== undefined) return knownDelegation;
    const newDelegation: Delegation = { targets: new Set(), glue: null };
    this.#delegations.set(ordername, newDelegation);
    return newDelegation;
  }

  /** Counted once for all NS records at a name, until a record below it changes. */
  #glueOf({ ordername, target }: ParsedRecord): Glue {
    if (target === null) return { records: 0, names: new Set() };
    const delegation = this.#delegationAt(ordername);
    if (!delegation.targets.has(target)) {
      delegation.targets.add(target);
      delegation.glue = null;
    }
    delegation.glue ??= this.#countGlue(ordername, delegation.targets);
    return delegation.glue;
  }

  #countGlue(cut: string, targets: ReadonlySet<string>): Glue {
    const glue = { records: 0, names: new Set<string>() };
    for (const target of targets) {
      const ordername = this.ordernameOf(target);
      if (ordername === null || !ordername.startsWith(prefixBelow(cut)) || ordername === cut) continue;
      const there = this.at(ordername);
      const addresses = ADDRESSES.reduce((sum, type) => sum + there.sizeOf(type).records, 0);
      glue.records += addresses;
      const [name] = there.firstOfEach();
      if (name !== undefined && addresses === there.size) glue.names.add(name.name);
    }
    return glue;
  }

  #forgetGlue(ordername: string): void {
    if (this.#delegations.size === 0) return;
    for (const delegation of this.#delegationsAbove(ordername)) delegation.glue = null;
  }

  *#delegationsAbove(ordername: string): Generator<Delegation> {
    for (let end = ordername.length; end > 0; end = ordername.lastIndexOf(' ', end - 1)) {
      const delegation = this.#delegations.get(ordername.slice(0, end));
      if (delegation !== undefined) yield delegation;
    }
  }
}

/** The names above a name of the zone as ordernames, beginning with the apex; none for the apex itself. */
export function listAncestorNames(name: string): string[] {
  return name === '@' ? [] : ['', ...listSuffixes(name).slice(1).reverse().map(orderName)];
}

/** The beginning of the ordernames of all names below one. */
export function prefixBelow(ordername: string): string {
  return ordername === '' ? '' : `${ordername} `;
}
