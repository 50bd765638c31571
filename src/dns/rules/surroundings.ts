/** The data that the rules across records need. The caller loads it while it holds the zone's lock. Types only. */
import type { ParsedRecord } from '../record.ts';
import type { RecordType } from '../types/index.ts';
import type { Verdict } from '../verdict.ts';

/** A stored record, as far as the rules look at it. */
export interface Neighbour {
  id: string;
  /** Canonical and relative to the zone, like every name here that is not called fqdn. */
  name: string;
  ordername: string;
  type: RecordType;
  content: string;
  priority: number | null;
  /** RDATA in canonical wire form, as ParsedRdata has it; also the record's size. */
  wire: Uint8Array;
  /** Absolute, without final dot. */
  target: string | null;
}

/** The records at one owner name, as the rules ask for them. */
export interface RecordsAtName {
  /** Any record. */
  first(): Neighbour | undefined;
  firstOf(type: RecordType): Neighbour | undefined;
  /** The first record of each type. */
  firstOfEach(): Iterable<Neighbour>;
  /** All records of a type, in no order. */
  allOf(type: RecordType): Iterable<Neighbour>;
  /** A record of the type that must be the only one in its form: a null MX, or an alias form of SVCB and HTTPS. */
  loneOf(type: RecordType): Neighbour | undefined;
  /** The record with the same type and value. */
  twinOf(record: Pick<ParsedRecord, 'type' | 'wire'>): Neighbour | undefined;
  /** Octets of RDATA on the wire. */
  sizeOf(type: RecordType): { records: number; octets: number };
  /** Whether an NS record has this target: absolute, without the final dot. */
  hasServer(target: string): boolean;
}

/**
 * A point above or at a name where another zone begins, or above which a DNAME redirects it. Its name is absolute,
 * without final dot.
 */
export interface ZoneCut {
  name: string;
  /** `NS`, `DNAME`: a record in this zone. `zone`: a child zone that is hosted here, in the same team. */
  type: 'NS' | 'DNAME' | 'zone';
  /** The id of a zone of type `zone`. */
  zoneId?: string;
}

/** The addresses of name servers below their own delegation. */
export interface Glue {
  records: number;
  /** The names that have no other records. */
  names: ReadonlySet<string>;
}

/** The records and zones that the rules compare a record with. */
export interface Surroundings {
  /** The zone's canonical name. */
  zone: string;
  /** The other records at the same owner name, without the one that is being replaced. */
  atName: RecordsAtName;
  /** `NS` and `DNAME` at a proper ancestor of the name, `zone` at a proper ancestor or at the name itself. */
  cutsAbove: ZoneCut[];
  /** Whether the NS records at the nearest delegation above have this target: absolute, without final dot. */
  isServerOfCut(name: string): boolean;
  /** Whether an NS record, or another one that is about to be written at its name, has this target. */
  isServerOfName(name: string): boolean;
  /** The addresses of those targets that are below the name. */
  glue(): Glue;
  /** The names strictly below this one. Needed for NS and DNAME only. */
  below: {
    /** The number of records at these names. */
    total(): number;
    /** The first few names, without some. */
    first(but: ReadonlySet<string>): string[];
  };
  /** A zone strictly below the name that is hosted here. Needed for DNAME only. */
  zoneBelow: { id: string; name: string } | null;
  /** The target of the CNAME (or ALIAS) at an absolute name of this zone; null if there is none. */
  inZoneCname: (fqdn: string) => string | null;
  /** Whether the record takes the place of a stored one of its own name and type (PUT). (Default: false) */
  replaces?: boolean;
}

/** One rule: null verdict in favour, or the problem. */
export type WriteRule = (record: ParsedRecord, around: Surroundings) => Verdict<null>;

/** The rule has nothing against the record. */
export const FINE: Verdict<null> = { ok: true, value: null };
