/**
 * Evaluates an update against the RRsets of a zone: the prerequisites (RFC 2136 section 3.2), and then the changes in
 * their order (section 3.4.2). The result is the RRsets after the update. Pure.
 *
 * Where the records of the service differ from those of a server with zone files:
 *
 *     SOA, NS of the apex    The service makes them. A change to the values that are there does nothing. The same holds
 *                            for the pair with which dnscontrol announces a change of NS records. Others are refused.
 *     TTL                    An RRset has one, that of the record that was added last. The range of the service
 *                            applies.
 *     CNAME, DNAME           At most one at a name. A new one replaces the old one.
 */

import type { ParsedRecord } from '../record.ts';
import { isRecordType, type RecordType } from '../types/index.ts';
import { isOwnType } from '../types/numbers.ts';
import { SINGLE_TYPES } from '../types/record-type.ts';
import { concat, nameToWire, uint32 } from '../wire/octets.ts';
import type { Rcode } from '../wire/rcodes.ts';
import { type HexValue, type Prerequisite, toHexValue, type Update, type UpdateChange } from './read.ts';

export interface UpdateRrset {
  /** Canonical and relative to the zone. */
  readonly name: string;
  readonly type: RecordType;
  readonly records: readonly ParsedRecord[];
}

/** The part of a zone that an update concerns, as it is before it. */
export interface UpdateFacts {
  /** Seconds; the TTL of records that have none of their own. */
  defaultTtl: number;
  /** The RRsets of users at a name. */
  at(name: string): readonly UpdateRrset[];
  /** The RDATA of the SOA as text; null if no prerequisite and no change is about it. */
  soa: string | null;
  /** The host names in the NS records of the apex, without the final dot. */
  nameservers: readonly string[];
}

export type Evaluation =
  /** The RRsets that the changes name, after them; an RRset without records is deleted. */
  | { kind: 'rrsets'; rrsets: readonly UpdateRrset[] }
  /** A prerequisite is not met. */
  | { kind: 'unmet'; rcode: Rcode; text: string }
  /** The service does not make a change. */
  | { kind: 'refused'; text: string };

/** The target of the NS record that dnscontrol adds and deletes in one message to announce other NS records. */
const ANNOUNCED = 'dnscontrol.invalid.';

/** The names of a zone whose RRsets an update needs, each once. */
export function listUpdateNames({ prerequisites, changes }: Update): string[] {
  const names = [
    ...prerequisites.map(({ name }) => name),
    ...changes.map((change) =>
      change.kind === 'add' ? change.record.name : change.kind === 'refused' ? null : change.name,
    ),
  ];
  return [...new Set(names.flatMap((name) => name ?? []))];
}

/** The records that an update would add. */
export function addedBy({ changes }: Update): ParsedRecord[] {
  return changes.flatMap((change) => (change.kind === 'add' ? change.record : []));
}

/** Whether the evaluation needs `soa`. */
export function asksForSoa({ prerequisites, changes }: Update): boolean {
  return [...prerequisites, ...changes].some((each) => 'type' in each && each.type === 'SOA');
}

/** Takes time that is linear in the changes, the prerequisites, and the records at their names. */
export function evaluate(update: Update, zone: UpdateFacts): Evaluation {
  const failure = failedPrerequisite(update.prerequisites, zone);
  if (failure !== null) return failure;
  const state = new State(zone);
  for (const change of update.changes) {
    const refusalText = apply(state, change, zone);
    if (refusalText !== null) return { kind: 'refused', text: refusalText };
  }
  return { kind: 'rrsets', rrsets: state.touched() };
}

function unmet(rcode: Rcode, text: string): Evaluation {
  return { kind: 'unmet', rcode, text };
}

/** Null if all are met. */
function failedPrerequisite(prerequisites: readonly Prerequisite[], zone: UpdateFacts): Evaluation | null {
  const wantedRrsets = new Map<string, { name: string | null; type: string; values: Set<HexValue> }>();
  for (const prerequisite of prerequisites) {
    const { name, kind } = prerequisite;
    const shownName = name ?? 'The name';
    if (kind === 'name-is-used' || kind === 'name-is-unused') {
      const isUsed = name === '@' || (name !== null && zone.at(name).length > 0);
      if (kind === 'name-is-used' && !isUsed) return unmet('NXDOMAIN', `${shownName} has no records.`);
      if (kind === 'name-is-unused' && isUsed) return unmet('YXDOMAIN', `${shownName} has records.`);
      continue;
    }
    const { type } = prerequisite as Extract<Prerequisite, { type: string }>;
    if (kind === 'value') {
      const key = `${name} ${type}`;
      const entry = wantedRrsets.get(key) ?? { name, type, values: new Set() };
      wantedRrsets.set(key, entry);
      entry.values.add(prerequisite.value);
      continue;
    }
    const exists = isThere(zone, name, type);
    if (kind === 'rrset-exists' && !exists) return unmet('NXRRSET', `${shownName} has no ${type} records.`);
    if (kind === 'rrset-is-absent' && exists) return unmet('YXRRSET', `${shownName} has ${type} records.`);
  }
  // RFC 2136 section 3.2.3: RRsets with values are compared at the end, each as a whole.
  for (const { name, type, values } of wantedRrsets.values()) {
    const presentValues = valuesAt(zone, name, type);
    if (presentValues.size !== values.size || [...values].some((value) => !presentValues.has(value))) {
      return unmet(
        'NXRRSET',
        `The ${type} records of ${name ?? 'the name'} are not exactly those of the prerequisite.`,
      );
    }
  }
  return null;
}

/** Whether an RRset exists, also one of those that the service makes at the apex. */
function isThere(zone: UpdateFacts, name: string | null, type: string): boolean {
  if (name === null || name === '@') return valuesAt(zone, name, type).size > 0;
  return zone.at(name).some((rrset) => rrset.type === type && rrset.records.length > 0);
}

/** The values of an RRset, also of those that the service makes at the apex. */
function valuesAt(zone: UpdateFacts, name: string | null, type: string): Set<HexValue> {
  if (name === null) return new Set();
  if (name === '@' && type === 'NS') return new Set(zone.nameservers.map((host) => toHexValue(nameToWire(host))));
  if (name === '@' && type === 'SOA') return new Set(zone.soa === null ? [] : [soaValue(zone.soa)]);
  const matchingRrset = zone.at(name).find((rrset) => rrset.type === type);
  return new Set(matchingRrset?.records.map(({ wire }) => toHexValue(wire)));
}

/** An RRset between two changes. */
interface Working {
  name: string;
  type: RecordType;
  records: Map<HexValue, ParsedRecord>;
  /** The TTL of the record that was added last; null: the records have those of before. */
  ttl: number | null;
}

/** The RRsets that changes were applied to so far. */
class State {
  readonly #zone: UpdateFacts;
  readonly #names = new Map<string, Map<RecordType, Working>>();
  /** A change names the RRset, even if it does nothing: the key must have the right to it. */
  readonly #touched = new Set<Working>();

  constructor(zone: UpdateFacts) {
    this.#zone = zone;
  }

  /** The types of which the name has records. */
  typesAt(name: string): RecordType[] {
    return [...this.#at(name)].flatMap(([type, { records }]) => (records.size === 0 ? [] : [type]));
  }

  touch(name: string, type: RecordType): Working {
    const at = this.#at(name);
    const working = at.get(type) ?? { name, type, records: new Map(), ttl: null };
    at.set(type, working);
    this.#touched.add(working);
    return working;
  }

  touched(): UpdateRrset[] {
    const { defaultTtl } = this.#zone;
    return [...this.#touched].map(({ name, type, records, ttl }) => ({
      name,
      type,
      // Records of one RRset have one TTL (RFC 2181 section 5.2).
      records: [...records.values()].map((each) =>
        ttl === null || (each.ttl ?? defaultTtl) === ttl ? each : { ...each, ttl },
      ),
    }));
  }

  #at(name: string): Map<RecordType, Working> {
    const knownRrsets = this.#names.get(name);
    if (knownRrsets !== undefined) return knownRrsets;
    const storedRrsets = new Map(
      this.#zone.at(name).map(({ type, records }): [RecordType, Working] => {
        const values = records.map((record): [HexValue, ParsedRecord] => [toHexValue(record.wire), record]);
        return [type, { name, type, records: new Map(values), ttl: null }];
      }),
    );
    this.#names.set(name, storedRrsets);
    return storedRrsets;
  }
}

/** @returns why the whole update is refused; null if it is not */
function apply(state: State, change: UpdateChange, zone: UpdateFacts): string | null {
  switch (change.kind) {
    case 'refused':
      return change.problem.message;
    case 'add':
      add(state, change.record);
      return null;
    case 'add-own':
      return refuseOwn(change, zone);
    case 'delete-name':
      for (const type of change.name === null ? [] : state.typesAt(change.name))
        state.touch(change.name as string, type).records.clear();
      return null;
    case 'delete-rrset':
      // RFC 2136 section 3.4.2.3: the SOA and the NS records of the apex stay.
      if (change.type === 'SOA' || isApexNs(change)) return null;
      return deleteFrom(state, change, (records) => records.clear());
    case 'delete-value': {
      if (change.type === 'SOA') return null;
      const { value } = change;
      if (!isApexNs(change)) return deleteFrom(state, change, (records) => records.delete(value));
      if (!zone.nameservers.includes(change.text.slice(0, -1))) return null;
      return `The NS records at the zone apex are made by the service itself, so ${change.text} cannot be deleted.`;
    }
  }
}

function isApexNs({ name, type }: { name: string | null; type: string }): boolean {
  return name === '@' && type === 'NS';
}

/** RFC 2136 section 3.4.2.2. */
function add(state: State, record: ParsedRecord): void {
  const { name, type } = record;
  const others = state.typesAt(name).filter((other) => other !== type);
  const rrset = state.touch(name, type);
  if (type === 'CNAME' ? others.length > 0 : others.includes('CNAME')) return;
  const value = toHexValue(record.wire);
  // A record that is there keeps its spelling.
  const presentRecord = rrset.records.get(value) ?? record;
  if (SINGLE_TYPES.includes(type)) rrset.records.clear();
  rrset.records.set(value, presentRecord);
  rrset.ttl = record.ttl;
}

/** @returns why the update is refused */
function deleteFrom(
  state: State,
  { name, type }: { name: string | null; type: string },
  work: (records: Map<HexValue, ParsedRecord>) => void,
): string | null {
  if (isOwnType(type)) return `${type} records are made by the service itself, so they cannot be deleted.`;
  if (name !== null && isRecordType(type)) work(state.touch(name, type).records);
  return null;
}

/** Null if the record is there already, or means nothing. */
function refuseOwn({ type, name, text }: Extract<UpdateChange, { kind: 'add-own' }>, zone: UpdateFacts): string | null {
  if (type === 'NS') {
    if (text === ANNOUNCED || zone.nameservers.includes(text.slice(0, -1))) return null;
    return `The NS records at the zone apex are made by the service itself, so ${text} cannot be added.`;
  }
  // A SOA belongs to the apex; elsewhere it is ignored (RFC 2136 section 3.4.2.2).
  if (name !== '@' || zone.soa === null || withoutSerial(text) === withoutSerial(zone.soa)) return null;
  return 'The SOA record is made by the service itself, which counts the serial with every change.';
}

function withoutSerial(soa: string): string {
  return soa
    .toLowerCase()
    .split(' ')
    .filter((_, at) => at !== 2)
    .join(' ');
}

/** RDATA of a SOA in canonical wire form, as hexadecimal digits. */
function soaValue(soa: string): HexValue {
  const [primary = '', mailbox = '', ...numbers] = soa.toLowerCase().split(' ');
  return toHexValue(concat([nameToWire(primary), nameToWire(mailbox), ...numbers.map((each) => uint32(Number(each)))]));
}
