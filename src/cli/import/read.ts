// Converts the zone of a source to the records that the service can hold, and explains every other line. Pure.
import { parseComment } from '#dns/comment.ts';
import { clampTtl, parseType } from '#dns/record.ts';
import { zoneCheckSteps } from '#dns/rules/zone-check.ts';
import type { Steps } from '#dns/steps.ts';
import { isOwnType } from '#dns/types/numbers.ts';
import { clip } from '#dns/verdict.ts';
import { findOldType } from '#dns/wire/shown-rdata.ts';
import { type EntryHead, type FileRecord, zoneFileSteps } from '#dns/zonefile/read.ts';
import { convertForeignType, remarkOnType } from './foreign-types.ts';
import type { SourceZone } from './source.ts';

export interface FoundRecord extends FileRecord {
  /** "line 12", or the name of the place in the source. */
  place: string;
  comment?: string;
  /** The owner at the service. */
  owner?: string;
}

export interface Remark {
  place: string;
  message: string;
}

export interface ReadZone {
  from: string;
  zone: string;
  records: FoundRecord[];
  /** Omitted lines. The zone is complete without them. */
  skipped: Remark[];
  /** Lines that are not imported, because they are wrong or the service has no such records. */
  refused: Remark[];
  /** Changes that the import makes, and facts to know. */
  notes: Remark[];
}

export interface ReadOptions {
  /** The default TTL of the zone at the service, in seconds. */
  defaultTtl: number;
  /** Zones below this one that the service has as well, canonical. */
  children: readonly { id: string; name: string }[];
  /** Skips types and names that the service cannot hold. Absent: they are refused. */
  skipUnsupported?: boolean | undefined;
}

/** Cloudflare's automatic TTL in seconds. */
const AUTOMATIC_TTL = 300;
/** The `sig-signing-type` of BIND. */
const BIND_STATE_TYPE = 'TYPE65534';

/** Every line of the source is in exactly one of records, skipped and refused. */
export function* readSteps(source: SourceZone, options: ReadOptions): Steps<ReadZone> {
  const { zone, places } = source;
  const describePlace = (line: number) => places?.[line - 1] ?? `line ${line}`;
  const found: ReadZone = { from: source.from, zone, records: [], skipped: [], refused: [], notes: [] };
  const add = (list: Remark[], line: number, message: string) => list.push({ place: describePlace(line), message });
  const unsupported = options.skipUnsupported ? found.skipped : found.refused;
  const ttls = new Map<number, { from: number; to: number }>();
  const revised = new Set<number>();

  const reviseTtl = (seconds: number, line: number) => {
    const to = source.isCloudflare && seconds === 1 ? AUTOMATIC_TTL : clampTtl(seconds);
    if (to !== seconds) ttls.set(line, { from: seconds, to });
    return to;
  };
  const reviseType = (entry: EntryHead) => {
    if (entry.type.toUpperCase() === BIND_STATE_TYPE && isApex(entry.owner, zone)) {
      add(found.skipped, entry.line, 'BIND keeps the state of its signatures in this record.');
      revised.add(entry.line);
      return null;
    }
    const flaw = findFlaw(entry, zone);
    if (flaw !== null) {
      add(unsupported, entry.line, flaw);
      revised.add(entry.line);
      return null;
    }
    const other = convertForeignType(entry.type, isApex(entry.owner, zone));
    if (other === null) return entry.type;
    add(found.notes, entry.line, other.message);
    return other.type;
  };

  const children = new Set(options.children.map(({ name }) => name));
  // A zone file inherits TTLs from line to line. Records of other sources do not.
  const text = places === undefined ? source.text : `$TTL ${options.defaultTtl}${source.text}`;
  const file = yield* zoneFileSteps(text, {
    zone,
    defaultTtl: options.defaultTtl,
    children,
    reviseTtl,
    reviseType,
  });
  const lists = { skipped: found.skipped, unsupported, broken: found.refused };
  for (const { place, kind, message } of source.problems ?? []) lists[kind].push({ place, message });
  const left = new Set([...file.ignoredLines, ...file.problems.map(({ line }) => line)]);
  for (const { line, message } of file.problems) add(found.refused, line, message);
  for (const line of file.ignoredLines) {
    if (!revised.has(line)) add(found.skipped, line, 'The service makes this record itself.');
  }
  for (const { line, earlier } of file.repeated) {
    left.add(line);
    add(found.skipped, line, `The same record is in ${describePlace(earlier)}.`);
  }
  const nsec3Line = findNsec3(text, file.ignoredLines);
  if (nsec3Line !== undefined) add(found.notes, nsec3Line, nsec3Note(zone));
  const wrong = new Map<number, string>();
  for (const { line, message } of yield* zoneCheckSteps(file.records, zone, options.children)) {
    if (!wrong.has(line)) wrong.set(line, inPlaces(message, describePlace));
  }
  for (const [line, message] of wrong) add(found.refused, line, message);
  for (const { line, record } of file.records) {
    if (wrong.has(line)) continue;
    const comment = readComment(source, line, (message) => add(found.notes, line, message));
    found.records.push({ line, record, place: describePlace(line), ...(comment === undefined ? {} : { comment }) });
    const note = source.notes?.get(line);
    if (note !== undefined) add(found.notes, line, note);
  }
  for (const [line, { from, to }] of ttls) {
    if (!left.has(line) && !wrong.has(line)) add(found.notes, line, `The TTL ${from} becomes ${to}.`);
  }
  for (const list of [found.skipped, found.refused, found.notes]) list.sort(byLine);
  return found;
}

/** In the order of the lines, as far as places are lines. */
function byLine(a: Remark, b: Remark): number {
  return parseLineNumber(a) - parseLineNumber(b);
}

function parseLineNumber({ place }: Remark): number {
  return Number(/^line ([0-9]+)/.exec(place)?.[1] ?? 0);
}

/** The reason why no record of this type or name can be in the zone; null if it can. */
function findFlaw({ owner, type }: EntryHead, zone: string): string | null {
  const name = owner.toLowerCase();
  if (name !== `${zone}.` && !name.endsWith(`.${zone}.`))
    return `name: ${clip(owner)} is not in the zone ${zone}; import it into the zone that has it.`;
  if (isOwnType(type) || findOldType(type) !== null || convertForeignType(type, false) !== null) return null;
  const remark = remarkOnType(type);
  if (remark !== null) return `type: ${remark}`;
  const parsed = parseType(type);
  return parsed.ok ? null : `type: ${parsed.problem.message}`;
}

/** The first of the lines that has an NSEC3PARAM record. */
function findNsec3(text: string, ignoredLines: readonly number[]): number | undefined {
  if (!/\bNSEC3PARAM\b/i.test(text)) return undefined;
  const lines = text.split('\n');
  return ignoredLines.find((line) => /\bNSEC3PARAM\b/i.test(lines[line - 1] ?? ''));
}

function nsec3Note(zone: string): string {
  return `The zone denies names with NSEC3, and a zone here does so with NSEC unless it is told otherwise: zonestead zones update ${zone} --denial NSEC3.`;
}

function isApex(owner: string, zone: string): boolean {
  return owner.toLowerCase() === `${zone}.`;
}

/** The rules name other lines by their number. */
export function inPlaces(message: string, placeOf: (line: number) => string): string {
  return message.replace(/\bline ([0-9]+)\b/g, (_, line: string) => placeOf(Number(line)));
}

function readComment({ comments }: SourceZone, line: number, tell: (message: string) => void): string | undefined {
  const text = comments?.get(line);
  if (text === undefined) return undefined;
  const comment = parseComment(text.replace(/\s+/g, ' ').trim());
  if (comment.ok) return comment.value ?? undefined;
  tell(`The comment is not imported: ${comment.problem.message}`);
  return undefined;
}
