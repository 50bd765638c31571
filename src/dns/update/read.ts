/**
 * Reads the prerequisites and the changes of an UPDATE message (RFC 2136 section 2), after the checks that need no data
 * of the zone: the classes, TTLs and RDATA of section 3.2 and the prescan of section 3.4.1. Pure.
 */
import { Buffer } from 'node:buffer';
import {
  CLASS,
  isWithinZone,
  type Labels,
  META,
  type Message,
  type MessageRecord,
  nameText,
} from '../message/message.ts';
import { fqdn, parseOwnerName } from '../names/name.ts';
import { clampTtl, type ParsedRecord, parseRecord } from '../record.ts';
import { isRecordType, parseRdata } from '../types/index.ts';
import { isNamedType } from '../types/record-type.ts';
import type { Problem } from '../verdict.ts';
import { formatRdata } from '../wire/generic-rdata.ts';
import { rdataText, typeName } from '../wire/rdata-text.ts';

/** A name of the zone, canonical and relative to it; null for one that no record of the service can have. */
type Name = string | null;

export type Prerequisite =
  | { kind: 'name-is-used' | 'name-is-unused'; name: Name }
  | { kind: 'rrset-exists' | 'rrset-is-absent'; name: Name; type: string }
  /** The RRset has this value; all prerequisites of one name and type together are the whole RRset. */
  | { kind: 'value'; name: Name; type: string; value: HexValue };

/** RDATA in canonical wire form, as hexadecimal digits. */
export type HexValue = string;

export type UpdateChange =
  | { kind: 'add'; record: ParsedRecord }
  /** The service does not take the record. */
  | { kind: 'refused'; problem: Problem }
  /** A SOA, or an NS of the apex: the service makes these itself. */
  | { kind: 'add-own'; type: 'SOA' | 'NS'; name: Name; value: HexValue; text: string }
  | { kind: 'delete-name'; name: Name }
  | { kind: 'delete-rrset'; name: Name; type: string }
  | { kind: 'delete-value'; name: Name; type: string; value: HexValue; text: string };

export interface Update {
  prerequisites: readonly Prerequisite[];
  changes: readonly UpdateChange[];
  /** Whether a TTL was outside of the range of the service, and was moved into it. */
  clamped: boolean;
}

/** Why a message is not an update of the zone: FORMERR and NOTZONE. */
export interface Flaw {
  kind: 'malformed' | 'outside';
  text: string;
}

/** Types that no record has: for questions, and of messages. `ANY` stands for all RRsets of a name. */
const QUESTION_TYPES: ReadonlySet<number> = new Set([
  META.OPT,
  META.TSIG,
  META.IXFR,
  META.AXFR,
  META.MAILB,
  META.MAILA,
]);

/** @param zone the labels of the message's zone, and its canonical name */
export function readUpdate({ sections: [prerequisites, changes] }: Message, zone: Zone): Update | Flaw {
  const prerequisiteList: Prerequisite[] = [];
  for (const record of prerequisites) {
    const prerequisite = readPrerequisite(record, zone);
    if (isFlaw(prerequisite)) return prerequisite;
    prerequisiteList.push(prerequisite);
  }
  for (const record of changes) {
    const flaw = flawOfChange(record, zone);
    if (flaw !== null) return flaw;
  }
  const updateChanges = changes.map((record) => readChange(record, zone));
  const clamped = updateChanges.some((change, at) => change.kind === 'add' && change.record.ttl !== changes[at]?.ttl);
  return { prerequisites: prerequisiteList, changes: updateChanges, clamped };
}

interface Zone {
  labels: Labels;
  name: string;
}

export function isFlaw(value: object): value is Flaw {
  return 'kind' in value && (value.kind === 'malformed' || value.kind === 'outside');
}

function malformed(text: string): Flaw {
  return { kind: 'malformed', text };
}

function outside(record: MessageRecord, zone: Zone): Flaw | null {
  if (isWithinZone(record.name, zone.labels)) return null;
  return { kind: 'outside', text: `${nameText(record.name)} is not in the zone ${zone.name}.` };
}

/** RFC 2136 sections 2.4 and 3.2.5. */
function readPrerequisite(record: MessageRecord, zone: Zone): Prerequisite | Flaw {
  if (record.ttl !== 0) return malformed('The TTL of a prerequisite must be 0.');
  const away = outside(record, zone);
  if (away !== null) return away;
  if (QUESTION_TYPES.has(record.type)) return malformed(`No prerequisite can have the type ${record.type}.`);
  const name = nameIn(record.name, zone);
  const type = typeName(record.type);
  if (record.class === CLASS.IN) {
    if (record.type === META.ANY) return malformed('A prerequisite with a value must have the type of a record.');
    const value = valueOfRecord(record);
    return value === null ? badValue(record) : { kind: 'value', name, type, value };
  }
  if (record.class !== CLASS.ANY && record.class !== CLASS.NONE) return badClass(record);
  if (record.rdata.length > 0) return malformed('A prerequisite without a value must have no RDATA.');
  const exists = record.class === CLASS.ANY;
  if (record.type === META.ANY) return { kind: exists ? 'name-is-used' : 'name-is-unused', name };
  return { kind: exists ? 'rrset-exists' : 'rrset-is-absent', name, type };
}

/** The prescan of RFC 2136 section 3.4.1.2. */
function flawOfChange(record: MessageRecord, zone: Zone): Flaw | null {
  const away = outside(record, zone);
  if (away !== null) return away;
  const { type, ttl, rdata } = record;
  if (QUESTION_TYPES.has(type)) return malformed(`No change can have the type ${type}.`);
  switch (record.class) {
    case CLASS.IN:
      if (type === META.ANY) return malformed('A record to add must have the type of a record.');
      return valueOfRecord(record) === null ? badValue(record) : null;
    case CLASS.ANY:
      if (ttl !== 0 || rdata.length > 0) return malformed('A deletion of RRsets must have TTL 0 and no RDATA.');
      return null;
    case CLASS.NONE:
      if (ttl !== 0) return malformed('A deletion of a record must have TTL 0.');
      if (type === META.ANY) return malformed('A deletion of a record must have the type of a record.');
      return valueOfRecord(record) === null ? badValue(record) : null;
    default:
      return badClass(record);
  }
}

function readChange(record: MessageRecord, zone: Zone): UpdateChange {
  const name = nameIn(record.name, zone);
  const type = typeName(record.type);
  if (record.class === CLASS.ANY) {
    return record.type === META.ANY ? { kind: 'delete-name', name } : { kind: 'delete-rrset', name, type };
  }
  const [value, text] = [valueOfRecord(record) ?? '', rdataText(record.type, record.rdata)];
  if (record.class === CLASS.NONE) return { kind: 'delete-value', name, type, value, text };
  if (type === 'SOA' || (type === 'NS' && name === '@')) return { kind: 'add-own', type, name, value, text };
  const parsed = parseRecord(
    {
      name: `${nameText(record.name)}.`,
      type,
      ...(readContent(record) ?? { content: text }),
      ttl: clampTtl(toSeconds(record.ttl)),
    },
    zone.name,
  );
  return parsed.ok ? { kind: 'add', record: parsed.value } : { kind: 'refused', problem: parsed.problem };
}

/** A TTL has 31 bits; a larger number is 0 (RFC 2181 section 8). */
function toSeconds(ttl: number): number {
  return ttl >= 2 ** 31 ? 0 : ttl;
}

function nameIn(labels: Labels, zone: Zone): Name {
  const relative = labels.slice(0, labels.length - zone.labels.length).join('.') || '@';
  const parsed = parseOwnerName(`${fqdn(relative, zone.name)}.`, zone.name, 'TXT');
  return parsed.ok ? parsed.value : null;
}

/** The fields of a record as users write them; null if the octets have not the form of the type. */
function readContent({ rdata, type: number }: MessageRecord): { content: string; priority?: number } | null {
  const type = typeName(number);
  const text = (isRecordType(type) ? formatRdata(type, rdata) : rdataText(number, rdata)) ?? '';
  // A type with a form of its own is shown in generic form if its octets have another one.
  const isGeneric = text.startsWith('\\#');
  if (text === '' || (isGeneric && (isNamedType(type) || type === 'SOA'))) return null;
  const [, priority, host] = (type === 'MX' && /^([0-9]+) (.+)$/.exec(text)) || [];
  return host === undefined ? { content: text } : { content: host, priority: Number(priority) };
}

/** The RDATA as stored values are compared; null if it has not the form of its type. */
function valueOfRecord(record: MessageRecord): HexValue | null {
  const presentation = readContent(record);
  if (presentation === null) return null;
  const type = typeName(record.type);
  const parsed = isRecordType(type) ? parseRdata(type, presentation.content, presentation.priority) : null;
  // A value that the service does not take is equal to no stored one.
  return toHexValue(parsed?.ok ? parsed.value.wire : record.rdata);
}

export function toHexValue(octets: Uint8Array): HexValue {
  return Buffer.from(octets).toString('hex');
}

function badValue(record: MessageRecord): Flaw {
  return malformed(`The RDATA of ${nameText(record.name)} is not a value of type ${typeName(record.type)}.`);
}

function badClass(record: MessageRecord): Flaw {
  return malformed(`The class ${record.class} is not one of an update: IN, NONE and ANY are.`);
}
