/**
 * Writes the records of a zone as a zone file (RFC 1035 section 5) that name servers and their tools load, and that
 * read.ts reads back to the same records.
 */
import { NS_TTL, SOA_TTL } from '../own-records.ts';
import type { RecordType } from '../types/index.ts';
import { PSEUDO_LINE } from './lexer.ts';

interface ZoneFileHead {
  /** Canonical. */
  zone: string;
  defaultTtl: number;
  /** RDATA. */
  soa: string;
  /** Host names of the apex, without final dot. */
  nameservers: readonly string[];
  /** Child zones that this service hosts as well: their names are absolute, their DS is RDATA. */
  children: readonly { name: string; ds: readonly string[]; nameservers: readonly string[] }[];
}

interface ZoneFileRecord {
  /** Canonical, relative to the zone. */
  name: string;
  type: RecordType;
  /** In presentation form, with all names absolute. */
  rdata: string;
  /** Null: the zone's default. */
  ttl: number | null;
}

/** The lines before those of the records: directives, and the records that the service makes itself. */
export function writeHead({ zone, defaultTtl, soa, nameservers, children }: ZoneFileHead): string {
  const lines = [`$ORIGIN ${zone}.`, `$TTL ${defaultTtl}`, line('@', SOA_TTL, 'SOA', soa)];
  for (const host of nameservers) lines.push(line('@', NS_TTL, 'NS', `${host}.`));
  for (const child of children) {
    const name = child.name.slice(0, -zone.length - 1);
    for (const host of child.nameservers) lines.push(line(name, NS_TTL, 'NS', `${host}.`));
    for (const ds of child.ds) lines.push(line(name, NS_TTL, 'DS', ds));
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Writes one line per record, always with its owner. A record without a TTL of its own has none in the file either:
 * $TTL is the zone's default. ALIAS is not a DNS type, so it is written as a comment (PSEUDO_LINE).
 */
export function writeRecords(records: Iterable<ZoneFileRecord>): string {
  let text = '';
  for (const { name, type, rdata, ttl } of records) {
    text += `${type === 'ALIAS' ? `${PSEUDO_LINE} ` : ''}${line(name, ttl, type, rdata)}\n`;
  }
  return text;
}

function line(name: string, ttl: number | null, type: string, rdata: string): string {
  return [name, ...(ttl === null ? [] : [ttl]), 'IN', type, rdata].join('\t');
}
