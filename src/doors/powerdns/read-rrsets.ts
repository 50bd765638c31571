// Reads the RRsets of a PATCH, and those of a new zone, to changes, in steps. Pure. plan.ts applies them to the stored
// RRsets.
//
//     REPLACE    the RRset is these records; with an empty list it is deleted; with comments alone its records stay
//     DELETE     the RRset is deleted, if it exists
//     EXTEND     one record is added, if it is not there
//     PRUNE      one record is removed, if it is there
import { fqdn, parseOwnerName } from '#dns/names/name.ts';
import { clampTtl, type ParsedRecord, parseRecord, parseType } from '#dns/record.ts';
import type { Steps } from '#dns/steps.ts';
import type { RecordType } from '#dns/types/index.ts';
import { clip } from '#dns/verdict.ts';
import { insist, Refusal } from '#service/refusal.ts';
import { commentsIn } from './comments.ts';
import { readContent } from './read-content.ts';
import { type Fields, readListField, refused, requireFields, requireText, shown, toLowerText } from './read-fields.ts';

/** The most RRsets, and the most records, of one request. */
export const MAX_RRSETS = 5_000;
export const MAX_RECORDS = 10_000;

/** The most EXTEND, and the most PRUNE, of one RRset in a request. */
const MAX_OF_RRSET = 200;
/** Records between two steps. */
const STEP = 20;

type Kind = 'REPLACE' | 'DELETE' | 'EXTEND' | 'PRUNE';
const KINDS: readonly Kind[] = ['REPLACE', 'DELETE', 'EXTEND', 'PRUNE'];

export interface RrsetChange {
  kind: Kind;
  /** Canonical and relative to the zone. */
  name: string;
  type: RecordType;
  /** Without a TTL, for EXTEND and PRUNE: that of the RRset. Null, for REPLACE: the records stay. */
  records: readonly ParsedRecord[] | null;
  /** For REPLACE. Null: they stay. */
  comments: readonly string[] | null;
}

/** The service's own records of the apex, which a request may repeat and not change. */
export interface OwnRrset {
  type: 'SOA' | 'NS';
  /** RDATA. */
  values: readonly string[];
}

export interface ReadRrsets {
  changes: RrsetChange[];
  /** Whether a TTL was moved into the range of the service. */
  isClamped: boolean;
  /** Whether records of the service's own were to be deleted, which stay. */
  isOwnKept: boolean;
}

/**
 * @param zone canonical
 * @param fixed replaces the field "changetype" of all RRsets. (Default: the field "changetype".)
 * @throws Refusal
 */
export function* readRrsets(
  list: readonly unknown[],
  zone: string,
  serviceRrsets: readonly OwnRrset[],
  fixed: Kind | null = null,
): Steps<ReadRrsets> {
  if (list.length > MAX_RRSETS) {
    throw refused(`The request has ${list.length} RRsets; send at most ${MAX_RRSETS} at once.`);
  }
  /** How often the request has each kind of change of an RRset. */
  const timesByPlace = new Map<string, number>();
  const rrsetChanges: ReadRrsets = { changes: [], isClamped: false, isOwnKept: false };
  let records = 0;
  for (const each of list) {
    const rrset = yield* readRrset(each, zone, serviceRrsets, fixed);
    if (rrset === 'kept') rrsetChanges.isOwnKept = true;
    if (rrset === 'kept' || rrset === null) continue;
    const { change, label, isClamped } = rrset;
    const place = `${change.kind} ${change.name} ${change.type}`;
    const times = (timesByPlace.get(place) ?? 0) + 1;
    if ((change.kind === 'REPLACE' || change.kind === 'DELETE') && times > 1) {
      throw refused(`${label} is in the request twice with the changetype ${change.kind}; send it once.`);
    }
    if (times > MAX_OF_RRSET) {
      throw refused(
        `${label} is in the request more than ${MAX_OF_RRSET} times with the changetype ${change.kind}; send all its records with REPLACE.`,
      );
    }
    timesByPlace.set(place, times);
    records += change.records?.length ?? 0;
    if (records > MAX_RECORDS) throw refused(`The request has more than ${MAX_RECORDS} records; send fewer at once.`);
    rrsetChanges.changes.push(change);
    rrsetChanges.isClamped ||= isClamped;
  }
  return rrsetChanges;
}

/**
 * Checks the SOA record of a request that replaces a zone. The service makes its own, but a wrong one is a mistake.
 * @throws Refusal
 */
export function mustBeSoaRecord(rrset: unknown): void {
  const fields = requireFields(rrset, 'Each element of "rrsets"');
  const label = 'The SOA record of the zone';
  const contents = (readListField(fields, 'records', label) ?? []).map((each) => readContentField(each, label));
  if (contents.length !== 1) throw refused(`${label} needs exactly one record, and not ${contents.length}.`);
  readTtl(fields, 'REPLACE', 1);
}

/** The deletions of all stored RRsets that no change is about. */
export function listDeletions(
  storedRrsets: readonly Pick<RrsetChange, 'name' | 'type'>[],
  changes: readonly RrsetChange[],
): RrsetChange[] {
  const changedKeys = new Set(changes.map(({ name, type }) => `${name} ${type}`));
  return storedRrsets
    .filter(({ name, type }) => !changedKeys.has(`${name} ${type}`))
    .map(({ name, type }) => ({ kind: 'DELETE', name, type, records: [], comments: null }));
}

/** Whether an element of "rrsets" is an SOA record. */
export function isSoa(rrset: unknown): boolean {
  return toLowerText((rrset as { type?: unknown } | null)?.type) === 'soa';
}

/** Whether it is the SOA record of the zone. Clients copy that of another server; the service makes its own. */
export function isZoneSoa(rrset: unknown, zone: string): boolean {
  const { name } = (rrset ?? {}) as { name?: unknown };
  return isSoa(rrset) && toLowerText(name).replace(/\.$/, '') === zone;
}

interface OneRead {
  change: RrsetChange;
  label: string;
  isClamped: boolean;
}

/** Null if there is nothing to do; `kept` if the service's own records were to be deleted. */
function* readRrset(
  value: unknown,
  zone: string,
  serviceRrsets: readonly OwnRrset[],
  fixed: Kind | null,
): Steps<OneRead | 'kept' | null> {
  yield;
  const fields = requireFields(value, 'Each element of "rrsets"');
  const text = requireText(fields, 'name', 'Each RRset');
  if (!text.endsWith('.')) {
    throw refused(`The name ${clip(text)} is not absolute: write the whole name with a final dot.`);
  }
  const typeText = requireText(fields, 'type', `The RRset ${clip(text)}`).toUpperCase();
  const label = `The RRset ${clip(text)} of type ${clip(typeText)}`;
  const kind = fixed ?? readKind(fields, label);
  const recordList = readListField(fields, 'records', label);
  const comments = kind === 'REPLACE' ? commentsIn(fields, label) : null;
  if (kind === 'REPLACE' && recordList === null && comments === null) {
    throw refused(`${label} needs the field "records"; an empty array deletes it.`);
  }
  const contents = kind === 'DELETE' ? [] : (recordList ?? []).map((each) => readContentField(each, label));
  if (isOfApex(text, zone) && (typeText === 'SOA' || typeText === 'NS')) {
    if (kind === 'REPLACE' && recordList === null) return null;
    // dnscontrol deletes records that its file does not have. A DNS update that deletes these does nothing too (RFC
    // 2136, 3.4.2).
    if (kind === 'DELETE' || (kind === 'REPLACE' && contents.length === 0)) return 'kept';
    mustBeOwn(serviceRrsets, typeText, kind, contents, label);
    return null;
  }
  const name = parseOwnerName(text, zone, 'TXT');
  if (!name.ok && !isWithin(text, zone)) {
    if (kind === 'DELETE') return null;
    throw refused(`${label} is not in the zone ${zone}: write a name that is "${zone}." or ends in ".${zone}.".`);
  }
  return yield* within(label, function* () {
    const type = insist(parseType(typeText));
    if ((kind === 'EXTEND' || kind === 'PRUNE') && contents.length !== 1) {
      throw refused(`${kind} takes exactly one record, and not ${contents.length}.`);
    }
    if (kind === 'REPLACE' && recordList === null) {
      return { change: { kind, name: insist(name), type, records: null, comments }, label, isClamped: false };
    }
    const { ttl, isClamped } = readTtl(fields, kind, contents.length);
    const records: ParsedRecord[] = [];
    for (const content of contents) {
      if (records.length % STEP === 0) yield;
      records.push(insist(parseRecord({ name: text, type, ttl, ...readContent(type, content) }, zone)));
    }
    mustDiffer(records, zone);
    const change = { kind, name: insist(name), type, records, comments };
    return { change, label, isClamped };
  });
}

function readKind(fields: Fields, label: string): Kind {
  const text = requireText(fields, 'changetype', label).toUpperCase();
  const kind = KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw refused(`${label} has the changetype ${clip(text)}; use one of ${KINDS.join(', ')}.`);
}

/** The content of a record, whose other fields must ask for nothing that the service cannot do. */
function readContentField(value: unknown, label: string): string {
  const fields = requireFields(value, `Each record of ${label}`);
  const content = requireText(fields, 'content', `Each record of ${label}`);
  if (fields.disabled === true) {
    throw refused(`${label} has a disabled record, which the service cannot keep; leave it out.`);
  }
  if (fields.priority !== undefined) {
    throw refused(`${label} has a record with the field "priority"; write it at the beginning of the content.`);
  }
  if (fields['set-ptr'] === true) {
    throw refused(`${label} has a record with "set-ptr", which the service does not do; send the PTR record itself.`);
  }
  return content;
}

/** The TTL within the limits of the service. Null: that of the RRset, or the default of the zone. */
function readTtl({ ttl = null }: Fields, kind: Kind, records: number): { ttl: number | null; isClamped: boolean } {
  if (kind === 'DELETE' || kind === 'PRUNE' || records === 0) return { ttl: null, isClamped: false };
  if (ttl === null && kind === 'EXTEND') return { ttl: null, isClamped: false };
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < 0 || ttl > 2 ** 31 - 1) {
    throw refused(`The ttl must be a whole number of seconds${ttl === null ? '' : `, and not ${shown(ttl)}`}.`);
  }
  const clamped = clampTtl(ttl);
  return { ttl: clamped, isClamped: clamped !== ttl };
}

/** @throws Refusal if two records have one value in any spelling */
function mustDiffer(records: readonly ParsedRecord[], zone: string): void {
  const seenValues = new Set<string>();
  for (const record of records) {
    const value = Buffer.from(record.wire).toString('latin1');
    if (seenValues.has(value)) {
      throw refused(`the value ${clip(record.content)} is there twice for ${fqdn(record.name, zone)}; send it once.`);
    }
    seenValues.add(value);
  }
}

/** The same request with its own records is accepted, because clients copy what they read. @throws Refusal */
function mustBeOwn(
  serviceRrsets: readonly OwnRrset[],
  type: OwnRrset['type'],
  kind: Kind,
  contents: readonly string[],
  label: string,
): void {
  const { values = [] } = serviceRrsets.find((each) => each.type === type) ?? {};
  const plain = (text: string) => {
    const words = text
      .trim()
      .toLowerCase()
      .split(/[ \t]+/);
    // The service counts the serial.
    return (type === 'SOA' ? words.toSpliced(2, 1) : words).join(' ');
  };
  const [requestedContents, ownContents] = [contents, values].map((list) => list.map(plain).sort());
  const isSame =
    kind === 'REPLACE' &&
    requestedContents?.length === ownContents?.length &&
    requestedContents?.every((each, at) => each === ownContents?.[at]);
  if (isSame || (kind === 'EXTEND' && requestedContents?.every((each) => ownContents?.includes(each)))) return;
  throw refused(
    `${label} belongs to the service, which makes it itself: leave it out, or send it as it is (${values.join(', ')}).`,
  );
}

function isOfApex(text: string, zone: string): boolean {
  return text.toLowerCase() === `${zone}.`;
}

function isWithin(text: string, zone: string): boolean {
  return isOfApex(text, zone) || text.toLowerCase().endsWith(`.${zone}.`);
}

/** Names the RRset in a refusal. */
function* within<T>(label: string, work: () => Steps<T>): Steps<T> {
  try {
    return yield* work();
  } catch (error) {
    if (error instanceof Refusal) throw refused(`${label} is not accepted: ${error.sentence}`);
    throw error;
  }
}
