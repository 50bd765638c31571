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

/**
 * A point above or at a name where another zone begins, or above which a DNAME redirects it. Its name is absolute, without
 * final dot.
 */
export interface ZoneCut {
  name: string;
  /** `NS`, `DNAME`: a record in this zone. `zone`: a child zone that is hosted here, in the same team. */
  type: 'NS' | 'DNAME' | 'zone';
  /** The id of a zone of type `zone`. */
  zoneId?: string;
}

/** The records and zones that the rules compare a record with. */
export interface Surroundings {
  /** The zone's canonical name. */
  zone: string;
  /** The other records at the same owner name, without the one that is being replaced. */
  atName: Neighbour[];
  /** `NS` and `DNAME` at a proper ancestor of the name, `zone` at a proper ancestor or at the name itself. */
  cutsAbove: ZoneCut[];
  /** The targets (absolute, without final dot) of the NS records at the nearest delegation above. */
  nsAtCutTargets: string[];
  /** The targets of an NS and of the others that are about to be written at its name. (Default: its own.) */
  cutTargets?: readonly string[];
  /** The records at those targets that are in the zone. (Default: none.) */
  atTarget?: Neighbour[];
  /** Owner names strictly below this one: the first few, and how many records there are. Needed for NS and DNAME only. */
  below: { names: string[]; total: number };
  /** Zones strictly below the name that are hosted here. Needed for DNAME only. (Default: none.) */
  zonesBelow?: readonly { id: string; name: string }[];
  /** The target of the CNAME (or ALIAS) at an absolute name of this zone; null if there is none. */
  inZoneCname: (fqdn: string) => string | null;
  /** Whether the record takes the place of a stored one of its own name and type (PUT). (Default: false) */
  replaces?: boolean;
}

/** One rule: null verdict in favour, or the problem. */
export type WriteRule = (record: ParsedRecord, around: Surroundings) => Verdict<null>;

/** The rule has nothing against the record. */
export const FINE: Verdict<null> = { ok: true, value: null };
