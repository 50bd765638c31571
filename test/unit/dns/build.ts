// Builders and readers for the tests of the dns room.
import { Buffer } from 'node:buffer';
import { type ParsedRecord, parseRecord, type RecordInput } from '#dns/record.ts';
import { NameRecords } from '#dns/rules/name-records.ts';
import type { Neighbour, Surroundings } from '#dns/rules/rrset.ts';
import { type ParsedRdata, parseRdata, type RecordType } from '#dns/types/index.ts';
import type { Problem, Verdict } from '#dns/verdict.ts';

export const ZONE = 'example.com';

export function given<T>(verdict: Verdict<T>): T {
  if (!verdict.ok) throw new Error(`refused: ${verdict.problem.field}: ${verdict.problem.message}`);
  return verdict.value;
}

export function problemOf(verdict: Verdict<unknown>): Problem {
  if (verdict.ok) throw new Error(`accepted: ${JSON.stringify(verdict.value)}`);
  return verdict.problem;
}

export function rdata(type: RecordType, content: string, priority?: number | null): ParsedRdata {
  return given(parseRdata(type, content, priority));
}

/** The problem of a content that must be refused. */
export function refusal(type: RecordType, content: string, priority?: number | null): Problem {
  return problemOf(parseRdata(type, content, priority));
}

export function hex(octets: Uint8Array): string {
  return Buffer.from(octets).toString('hex');
}

/** Octets as the inside of a quoted string, each one as \DDD. */
export function decimalEscapes(octets: Uint8Array): string {
  return Array.from(octets, (octet) => `\\${String(octet).padStart(3, '0')}`).join('');
}

export function record(input: RecordInput): ParsedRecord {
  return given(parseRecord(input, ZONE));
}

let lastId = 0;

/** A stored record. */
export function neighbour(name: string, type: RecordType, content: string, priority?: number): Neighbour {
  lastId += 1;
  const parsed = record({ name, type, content, priority: priority ?? null });
  return { ...parsed, id: `rec_${lastId}` };
}

type Set = Partial<Omit<Surroundings, 'atName'>> & { atName?: readonly Neighbour[] };

/** The surroundings in an empty zone, changed by `set`. */
export function surroundings({ atName = [], ...set }: Set = {}): Surroundings {
  return {
    zone: ZONE,
    atName: new NameRecords(atName),
    cutsAbove: [],
    isServerOfCut: () => false,
    isServerOfName: () => false,
    glue: () => ({ records: 0, names: new Set() }),
    below: namesBelow([], 0),
    zoneBelow: null,
    inZoneCname: () => null,
    ...set,
  };
}

/** So many records at names below, of which some names are the first. */
export function namesBelow(names: readonly string[], total: number): Surroundings['below'] {
  return { total: () => total, first: (but) => names.filter((name) => !but.has(name)) };
}
