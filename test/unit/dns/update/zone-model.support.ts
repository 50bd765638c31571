// A model of a zone under RFC 2136, written from the pseudo-code of sections 3.2.5 and 3.4.2.7 and without the code
// under test: a list of lines, each a record. It has the differences that the reference of the door names.
import { CLASS, META } from '#dns/message/message.ts';
import type { Entry } from '../../../support/doors/dns-update/message.ts';

/** `name|type|rdata in hex`, and the TTL. Names are absolute. */
export type Lines = Map<string, number>;

const CNAME = 5;
const SOA = 6;
const NS = 2;
const DNAME = 39;
const SINGLE = [CNAME, DNAME];

const hex = (octets: Uint8Array) => Buffer.from(octets).toString('hex');
const lineOf = ({ name, type, rdata }: Entry) => `${name}|${type}|${hex(rdata)}`;
const under = (zone: Lines, prefix: string) => [...zone.keys()].filter((line) => line.startsWith(prefix));

/** @returns the response code of the first prerequisite that is not met, or NOERROR */
export function modelPrerequisites(zone: Lines, entries: readonly Entry[]): string {
  const temporary = new Map<string, Set<string>>();
  for (const entry of entries) {
    const [atName, atSet] = [under(zone, `${entry.name}|`), under(zone, `${entry.name}|${entry.type}|`)];
    if (entry.class === CLASS.ANY) {
      if (entry.type === META.ANY ? atName.length === 0 : atSet.length === 0)
        return entry.type === META.ANY ? 'NXDOMAIN' : 'NXRRSET';
    } else if (entry.class === CLASS.NONE) {
      if (entry.type === META.ANY ? atName.length > 0 : atSet.length > 0)
        return entry.type === META.ANY ? 'YXDOMAIN' : 'YXRRSET';
    } else {
      const key = `${entry.name}|${entry.type}|`;
      temporary.set(key, (temporary.get(key) ?? new Set()).add(lineOf(entry)));
    }
  }
  for (const [key, lines] of temporary)
    if ([...lines].sort().join() !== under(zone, key).sort().join()) return 'NXRRSET';
  return 'NOERROR';
}

/** Changes the zone. @param apex its name */
export function modelChange(zone: Lines, apex: string, entry: Entry): void {
  const { name, type } = entry;
  const isOwn = type === SOA || (name === apex && type === NS);
  const drop = (lines: readonly string[]) => {
    for (const line of lines) if (!isOwnLine(apex, line)) zone.delete(line);
  };
  if (entry.class === CLASS.IN) {
    if (isOwn) return;
    const others = under(zone, `${name}|`).filter((line) => !line.startsWith(`${name}|${type}|`));
    if (type === CNAME && others.length > 0) return;
    if (type !== CNAME && others.some((line) => line.startsWith(`${name}|${CNAME}|`))) return;
    if (SINGLE.includes(type)) drop(under(zone, `${name}|${type}|`));
    zone.set(lineOf(entry), 0);
    const ttl = Math.min(86_400, Math.max(30, entry.ttl));
    for (const line of under(zone, `${name}|${type}|`)) zone.set(line, ttl);
  } else if (entry.class === CLASS.ANY) {
    drop(under(zone, type === META.ANY ? `${name}|` : `${name}|${type}|`));
  } else drop(under(zone, lineOf(entry)).filter((line) => line === lineOf(entry)));
}

function isOwnLine(apex: string, line: string): boolean {
  return line.startsWith(`${apex}|${SOA}|`) || line.startsWith(`${apex}|${NS}|`);
}
