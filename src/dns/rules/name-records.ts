/**
 * The records at one owner name, with an index for each type: the number of its records, their octets, and their
 * values. The rules ask for one thing at a time, and each answer costs the same for one record and for thousands, so
 * that a request of many records at one name is judged in linear time.
 */
import type { ParsedRecord } from '../record.ts';
import type { RecordType } from '../types/index.ts';
import { isAliasForm } from '../types/svcb.ts';
import { keyOfOctets } from '../wire/octets.ts';
import type { Neighbour, RecordsAtName } from './surroundings.ts';

/** All records of one name and type. */
class Rrset {
  readonly records = new Map<string, Neighbour>();
  octets = 0;
  readonly #lone = new Map<string, Neighbour>();
  /** By value; null until it is needed, because most names have one record. */
  #twins: Map<string, Neighbour> | null = null;
  #servers: Map<string, number> | null = null;

  put(record: Neighbour): void {
    this.drop(record.id);
    this.records.set(record.id, record);
    this.octets += record.wire.length;
    if (isLone(record)) this.#lone.set(record.id, record);
    this.#twins?.set(keyOfOctets(record.wire), record);
    if (this.#servers !== null) countServer(this.#servers, record, 1);
  }

  drop(id: string): void {
    const record = this.records.get(id);
    if (record === undefined) return;
    this.records.delete(id);
    this.octets -= record.wire.length;
    this.#lone.delete(id);
    if (this.#twins?.get(keyOfOctets(record.wire))?.id === id) this.#twins.delete(keyOfOctets(record.wire));
    if (this.#servers !== null) countServer(this.#servers, record, -1);
  }

  /** Another record than the one with the id `without`. */
  other(without: string | null): Neighbour | undefined {
    return otherIn(this.records, without);
  }

  otherLone(without: string | null): Neighbour | undefined {
    return otherIn(this.#lone, without);
  }

  twinOf(record: Pick<ParsedRecord, 'wire'>): Neighbour | undefined {
    this.#twins ??= new Map([...this.records.values()].map((each) => [keyOfOctets(each.wire), each]));
    return this.#twins.get(keyOfOctets(record.wire));
  }

  /** The number of NS records with this target. */
  serversOf(target: string): number {
    if (this.#servers === null) {
      this.#servers = new Map();
      for (const record of this.records.values()) countServer(this.#servers, record, 1);
    }
    return this.#servers.get(target) ?? 0;
  }
}

function otherIn(records: ReadonlyMap<string, Neighbour>, without: string | null): Neighbour | undefined {
  for (const record of records.values()) if (record.id !== without) return record;
  return undefined;
}

function isLone(record: Neighbour): boolean {
  return record.type === 'MX' ? record.target === null : isAliasForm(record);
}

function countServer(servers: Map<string, number>, { target }: Neighbour, by: number): void {
  if (target !== null) servers.set(target, (servers.get(target) ?? 0) + by);
}

export class NameRecords implements RecordsAtName {
  readonly #rrsets = new Map<RecordType, Rrset>();
  readonly #types = new Map<string, RecordType>();

  constructor(records: Iterable<Neighbour> = []) {
    for (const record of records) this.put(record);
  }

  /** The number of all records. */
  get size(): number {
    return this.#types.size;
  }

  get(id: string): Neighbour | undefined {
    const type = this.#types.get(id);
    return type === undefined ? undefined : this.#rrsets.get(type)?.records.get(id);
  }

  /** Adds the record, or replaces the one with its id. */
  put(record: Neighbour): void {
    const before = this.#types.get(record.id);
    if (before !== undefined && before !== record.type) this.drop(record.id);
    const rrset = this.#rrsets.get(record.type) ?? new Rrset();
    this.#rrsets.set(record.type, rrset);
    rrset.put(record);
    this.#types.set(record.id, record.type);
  }

  drop(id: string): void {
    const type = this.#types.get(id);
    if (type === undefined) return;
    const rrset = this.#rrsets.get(type);
    rrset?.drop(id);
    if (rrset?.records.size === 0) this.#rrsets.delete(type);
    this.#types.delete(id);
  }

  /** All records, of one type after the other. */
  *all(): Generator<Neighbour> {
    for (const rrset of this.#rrsets.values()) yield* rrset.records.values();
  }

  types(): RecordType[] {
    return [...this.#rrsets.keys()];
  }

  /** The same records without the one with this id. */
  without(id: string | null): RecordsAtName {
    return id === null || !this.#types.has(id) ? this : new OtherRecords(this.#rrsets, id);
  }

  first(): Neighbour | undefined {
    return firstIn(this.#rrsets, null);
  }

  firstOf(type: RecordType): Neighbour | undefined {
    return this.#rrsets.get(type)?.other(null);
  }

  firstOfEach(): Iterable<Neighbour> {
    return firstOfEachIn(this.#rrsets, null);
  }

  allOf(type: RecordType): Iterable<Neighbour> {
    return this.#rrsets.get(type)?.records.values() ?? [];
  }

  loneOf(type: RecordType): Neighbour | undefined {
    return this.#rrsets.get(type)?.otherLone(null);
  }

  twinOf(record: Pick<ParsedRecord, 'type' | 'wire'>): Neighbour | undefined {
    return this.#rrsets.get(record.type)?.twinOf(record);
  }

  sizeOf(type: RecordType): { records: number; octets: number } {
    const { records, octets = 0 } = this.#rrsets.get(type) ?? {};
    return { records: records?.size ?? 0, octets };
  }

  hasServer(target: string): boolean {
    return (this.#rrsets.get('NS')?.serversOf(target) ?? 0) > 0;
  }
}

/** The records without one, which a judged record replaces. */
class OtherRecords implements RecordsAtName {
  readonly #rrsets: ReadonlyMap<RecordType, Rrset>;
  readonly #without: string;

  constructor(rrsets: ReadonlyMap<RecordType, Rrset>, without: string) {
    this.#rrsets = rrsets;
    this.#without = without;
  }

  first(): Neighbour | undefined {
    return firstIn(this.#rrsets, this.#without);
  }

  firstOf(type: RecordType): Neighbour | undefined {
    return this.#rrsets.get(type)?.other(this.#without);
  }

  firstOfEach(): Iterable<Neighbour> {
    return firstOfEachIn(this.#rrsets, this.#without);
  }

  *allOf(type: RecordType): Generator<Neighbour> {
    for (const record of this.#rrsets.get(type)?.records.values() ?? []) if (record.id !== this.#without) yield record;
  }

  loneOf(type: RecordType): Neighbour | undefined {
    return this.#rrsets.get(type)?.otherLone(this.#without);
  }

  twinOf(record: Pick<ParsedRecord, 'type' | 'wire'>): Neighbour | undefined {
    const twin = this.#rrsets.get(record.type)?.twinOf(record);
    return twin?.id === this.#without ? undefined : twin;
  }

  sizeOf(type: RecordType): { records: number; octets: number } {
    const { records, octets = 0 } = this.#rrsets.get(type) ?? {};
    const leavingRecord = records?.get(this.#without);
    return leavingRecord === undefined
      ? { records: records?.size ?? 0, octets }
      : { records: (records?.size ?? 1) - 1, octets: octets - leavingRecord.wire.length };
  }

  hasServer(target: string): boolean {
    const rrset = this.#rrsets.get('NS');
    const isOwn = rrset?.records.get(this.#without)?.target === target;
    return (rrset?.serversOf(target) ?? 0) > (isOwn ? 1 : 0);
  }
}

function firstIn(rrsets: ReadonlyMap<RecordType, Rrset>, without: string | null): Neighbour | undefined {
  for (const first of firstOfEachIn(rrsets, without)) return first;
  return undefined;
}

function* firstOfEachIn(rrsets: ReadonlyMap<RecordType, Rrset>, without: string | null): Generator<Neighbour> {
  for (const rrset of rrsets.values()) {
    const first = rrset.other(without);
    if (first !== undefined) yield first;
  }
}
