// The YAML files of octoDNS: one file for each zone, named after it, with records by name. Pure.

import { isMap, isSeq } from 'yaml';
import { formatError } from '#base/error-text.ts';
import { parseZoneName } from '#dns/names/name.ts';
import { clip } from '#dns/verdict.ts';
import { readYaml, toMappingKey, type YamlFile } from '../../yaml-input.ts';
import { createLines, quotedText, type SourceZone } from '../source.ts';
import { rdataOfValue } from './octodns-values.ts';

type Lines = ReturnType<typeof createLines>;

/** Fields of a record that answer different clients differently. */
const DYNAMIC = ['dynamic', 'geo'] as const;

/** The TTL of records without one, in seconds: octoDNS omits it from the files that it writes. */
const DEFAULT_TTL = 3_600;

/**
 * @param zone `example.com` for the file `example.com.yaml`
 * @throws Error if the file is not YAML, or not a map of names
 */
export function readOctodns(from: string, text: string, zone: string): SourceZone {
  const parsed = parseZoneName(zone);
  if (!parsed.ok) throw new Error(`${from}: ${parsed.problem.message}`);
  const lines = createLines(from);
  try {
    addRecords(lines, readYaml(text, '1.2'));
  } catch (error) {
    throw new Error(`${from}: ${formatError(error)}`);
  }
  return lines.zone(parsed.value);
}

function addRecords(lines: Lines, { documents, lineOf, plainOf }: YamlFile): void {
  const [{ contents } = { contents: null }, ...others] = documents;
  if (documents.some(({ contents: each }) => isMap(each) && each.has('apiVersion') && each.has('kind')))
    throw new Error('the file has Kubernetes objects; apply them with kubectl apply -f');
  if (others.length > 0) throw new Error('the file has several documents; octoDNS writes one');
  if (contents === null) return;
  if (!isMap(contents)) throw new Error('the file is not a map of names to records, as octoDNS writes it');
  for (const { key, value } of contents.items) {
    const name = toMappingKey(key);
    for (const record of isSeq(value) ? value.items : [value]) {
      const place = `line ${lineOf(record ?? key)}`;
      const fields = plainOf(record);
      if (typeof fields === 'object' && fields !== null && !Array.isArray(fields)) {
        addRecord(lines, place, name, fields as Record<string, unknown>);
      } else lines.refuse(place, `${clip(name)} is not a record; octoDNS writes a map with type and value.`);
    }
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
      rdata: type === 'TXT' || type === 'SPF' ? quoteText(each) : rdataOfValue(type, each),
      ...(isDynamic && index === 0
        ? { note: 'The record has pools or regions. Zonestead answers all clients with its plain values.' }
        : {}),
    });
  }
}

/** octoDNS writes `;` as `\;`. A long text may be in quoted pieces. */
function quoteText(value: unknown): string {
  const text = String(value).replaceAll('\\;', ';');
  return quotedText(text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1).replaceAll('" "', '') : text);
}
