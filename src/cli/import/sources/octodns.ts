// The YAML files of octoDNS: one file for each zone, named after it, with records by name. Pure.
import { type Document, isMap, isScalar, isSeq, LineCounter, parseDocument, type YAMLMap } from 'yaml';
import { parseZoneName } from '#dns/names/name.ts';
import { createLines, quotedText, type SourceZone } from '../source.ts';
import { rdataOfValue } from './octodns-values.ts';

type Lines = ReturnType<typeof createLines>;

/** Fields of a record that answer different clients differently. */
const DYNAMIC = ['dynamic', 'geo'] as const;

/** The TTL of records without one, in seconds: octoDNS omits it from the files that it writes. */
const DEFAULT_TTL = 3_600;

/** @param zone `example.com` for the file `example.com.yaml` @throws Error if the file is not YAML, or not a map of names */
export function readOctodns(from: string, text: string, zone: string): SourceZone {
  const parsed = parseZoneName(zone);
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  const counter = new LineCounter();
  const document: Document = parseDocument(text, { lineCounter: counter, uniqueKeys: true, logLevel: 'silent' });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(`${from}: the file is not YAML: ${error.message.split('\n')[0]}`);
  const lines = createLines();
  const { contents } = document;
  if (contents === null) return lines.zone(from, parsed.value);
  if (!isMap(contents)) throw new Error(`${from}: the file is not a map of names to records, as octoDNS writes it`);
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value ?? '') : '?';
    const records = isSeq(value) ? value.items : [value];
    for (const record of records) {
      const range =
        (record as { range?: [number, number, number] } | null)?.range ?? (isScalar(key) ? key.range : null);
      const place = `line ${range ? counter.linePos(range[0]).line : 1}`;
      if (isMap(record)) addRecord(lines, place, name, plainMap(record, document));
      else lines.refuse(place, `${JSON.stringify(name)} is not a record; octoDNS writes a map with type and value.`);
    }
  }
  return lines.zone(from, parsed.value);
}

/** Without its aliases if there are more than a person writes: they would fill the memory. */
function plainMap(record: YAMLMap, document: Document): Record<string, unknown> {
  try {
    return record.toJS(document, { maxAliasCount: 100 });
  } catch (error) {
    if (error instanceof ReferenceError) return {};
    throw error;
  }
}

function addRecord(lines: Lines, place: string, name: string, record: Record<string, unknown>): void {
  const { type: given, ttl, value, values } = record;
  const type = typeof given === 'string' ? given.toUpperCase() : '';
  const all: unknown[] = Array.isArray(values) ? values : [value ?? values];
  if (all.length === 0 || all.some((each) => each === undefined || each === null)) {
    lines.refuse(place, 'content: The record has no value.');
    return;
  }
  const isDynamic = DYNAMIC.some((field) => record[field] !== undefined);
  for (const [index, each] of all.entries()) {
    lines.add({
      place: all.length === 1 ? place : `${place}, value ${index + 1}`,
      name: name === '' ? '@' : name,
      type,
      ttl: typeof ttl === 'number' || typeof ttl === 'string' ? ttl : DEFAULT_TTL,
      rdata: type === 'TXT' || type === 'SPF' ? textOf(each) : rdataOfValue(type, each),
      ...(isDynamic && index === 0
        ? { note: 'The record has pools or regions. Zonestead answers all clients with its plain values.' }
        : {}),
    });
  }
}

/** octoDNS writes `;` as `\;`. A long text may be in quoted pieces. */
function textOf(value: unknown): string {
  const text = String(value).replaceAll('\\;', ';');
  return quotedText(text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('" "', '') : text);
}
