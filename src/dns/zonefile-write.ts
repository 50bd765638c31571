/**
 * The records of a zone as a zone file (RFC 1035 section 5) that name servers and their tools load, and that
 * zonefile-read.ts reads back to the same records. Where they come from is not known here.
 */
import type { RecordType } from './types/index.ts';
import { PSEUDO_LINE } from './zonefile-lexer.ts';

export interface ZoneFileInput {
  /** Canonical. */
  zone: string;
  defaultTtl: number;
  /** RDATA. */
  soa: string;
  /** Host names of the apex, without final dot. */
  nameservers: readonly string[];
  /** Child zones that are hosted beside this one: their names absolute, their DS as RDATA. */
  children: readonly { name: string; ds: readonly string[] }[];
  records: Iterable<{
    /** Canonical, relative to the zone. */
    name: string;
    type: RecordType;
    /** In presentation form, with all names absolute. */
    rdata: string;
    /** Null: the zone's default. */
    ttl: number | null;
  }>;
}

/** As the name servers serve what the service makes itself. */
const SOA_TTL = 300;
const NS_TTL = 3_600;

/**
 * One line a record, its owner always written out. A record without a TTL of its own has none in the file either: $TTL
 * is the zone's default. ALIAS is no type of the DNS, so that it stands in a comment (PSEUDO_LINE).
 */
export function writeZoneFile({ zone, defaultTtl, soa, nameservers, children, records }: ZoneFileInput): string {
  const lines = [`$ORIGIN ${zone}.`, `$TTL ${defaultTtl}`, line('@', SOA_TTL, 'SOA', soa)];
  for (const host of nameservers) lines.push(line('@', NS_TTL, 'NS', `${host}.`));
  for (const child of children) {
    const name = child.name.slice(0, -zone.length - 1);
    for (const host of nameservers) lines.push(line(name, NS_TTL, 'NS', `${host}.`));
    for (const ds of child.ds) lines.push(line(name, NS_TTL, 'DS', ds));
  }
  for (const { name, type, rdata, ttl } of records) {
    lines.push(`${type === 'ALIAS' ? `${PSEUDO_LINE} ` : ''}${line(name, ttl, type, rdata)}`);
  }
  return `${lines.join('\n')}\n`;
}

function line(name: string, ttl: number | null, type: string, rdata: string): string {
  return [name, ...(ttl === null ? [] : [ttl]), 'IN', type, rdata].join('\t');
}
