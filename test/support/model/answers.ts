// The answers that an authoritative server must give for the zones of the model: RFC 1034 section 4.3.2 with the
// wildcards of RFC 4592, the zone cuts of RFC 4035 section 2.6 and parking as designed. It uses no code of the service.
import type { ModelRecord } from './rules.ts';

export interface ModelZone {
  id: string;
  name: string;
  parked: boolean;
  defaultTtl: number;
  /** As `keytag algorithm digesttype digest`. */
  ds: string[];
  records: ModelRecord[];
  comment?: string | null;
}

export interface Expected {
  /** `referral`: NOERROR without authority, the NS of the cut. */
  kind: 'answer' | 'nodata' | 'nxdomain' | 'referral' | 'refused' | 'servfail';
  /** `60 A 192.0.2.1` at the queried name, sorted; for a referral the names of the cut's servers. */
  lines: string[];
}

const isAtOrBelow = (name: string, above: string) => name === above || name.endsWith(`.${above}`);
const isBelow = (name: string, above: string) => name.endsWith(`.${above}`);
const nothing = (kind: Expected['kind']): Expected => ({ kind, lines: [] });
const longest = (names: string[]) => names.sort((a, b) => b.length - a.length)[0];

/** @param nameservers the name servers of the service */
export function computeAnswer(
  zones: readonly ModelZone[],
  nameservers: readonly string[],
  name: string,
  type: string,
): Expected {
  return answerFrom(zones, (zone) => ownedBy(zone, zones, nameservers), name, type);
}

/** @param ownedBy all records of a zone, the SOA and the NS of its apex included */
export function answerFrom<Zone extends { name: string }>(
  zones: readonly Zone[],
  ownedBy: (zone: Zone) => readonly Row[],
  name: string,
  type: string,
): Expected {
  // The DS of a zone is its parent's to answer (RFC 4035 section 3.1.4.1).
  const enclosing = zones.filter((zone) => (type === 'DS' ? isBelow(name, zone.name) : isAtOrBelow(name, zone.name)));
  const apex = longest(enclosing.map((zone) => zone.name));
  const zone = enclosing.find((each) => each.name === apex);
  if (zone === undefined) return nothing(zones.some((each) => each.name === name) ? 'nodata' : 'refused');
  const owned = ownedBy(zone);
  const cuts = [
    ...new Set(owned.filter((row) => row.type === 'NS' && row.owner !== zone.name).map((row) => row.owner)),
  ];
  const above = cuts.filter((cut) => isBelow(name, cut) || (cut === name && type !== 'DS'));
  const cut = above.sort((a, b) => a.length - b.length)[0];
  if (cut !== undefined) {
    const servers = owned.filter((row) => row.type === 'NS' && row.owner === cut).map((row) => row.served);
    return { kind: 'referral', lines: onceSorted(servers) };
  }
  const exists = (at: string) => owned.some((row) => isAtOrBelow(row.owner, at));
  if (exists(name)) return rowsAt(owned, name, type);
  // The closest encloser is the longest name above that exists; only its wildcard counts (RFC 4592 section 3.3.1).
  let encloser = name;
  while (!exists(encloser)) encloser = encloser.slice(encloser.indexOf('.') + 1);
  const wildcard = `*.${encloser}`;
  return exists(wildcard) ? rowsAt(owned, wildcard, type) : nothing('nxdomain');
}

/** An RRset has no duplicates (RFC 2181 section 5). */
const onceSorted = (lines: readonly string[]) => [...new Set(lines)].sort();

/**
 * Whether the chain of CNAMEs from a name comes back to itself. Links that the rules look at never do; those that a
 * wildcard makes, or another zone, can: then a server may answer SERVFAIL, or with one CNAME several times.
 */
export function isEndless(zones: readonly ModelZone[], nameservers: readonly string[], name: string): boolean {
  const seen = new Set<string>();
  for (let at = name; !seen.has(at); ) {
    seen.add(at);
    const link = computeAnswer(zones, nameservers, at, 'CNAME');
    const target = link.kind === 'answer' ? / CNAME (\S+)$/.exec(link.lines[0] ?? '')?.[1] : undefined;
    if (target === undefined) return false;
    at = target;
  }
  return true;
}

/** A single record as it is answered. */
export interface Row {
  /** Absolute. */
  owner: string;
  type: string;
  served: string;
  ttl: number;
}

function rowsAt(owned: readonly Row[], owner: string, type: string): Expected {
  const at = owned.filter((row) => row.owner === owner);
  const found = at.filter((row) => row.type === type || row.type === 'CNAME');
  if (found.length === 0) return nothing('nodata');
  const ttl = Math.min(...found.map((row) => row.ttl));
  return { kind: 'answer', lines: onceSorted(found.map((row) => `${ttl} ${row.type} ${row.served}`)) };
}

/** All that a zone is asked from, its own SOA and NS and the delegations of the hosted zones below it included. */
function ownedBy(zone: ModelZone, zones: readonly ModelZone[], nameservers: readonly string[]): Row[] {
  const ns = (owner: string) => nameservers.map((host) => ({ owner, type: 'NS', served: host, ttl: 3600 }));
  const children = listChildren(zone, zones);
  const hidden = (owner: string) => children.some((child) => isAtOrBelow(owner, child.name));
  const own = zone.parked ? [] : zone.records;
  return [
    { owner: zone.name, type: 'SOA', served: '', ttl: 300 },
    ...ns(zone.name),
    ...own
      .flatMap((record) => {
        const owner = record.name === '@' ? zone.name : `${record.name}.${zone.name}`;
        const ttl = record.ttl ?? zone.defaultTtl;
        if (record.type !== 'ALIAS') return [{ owner, type: record.type as string, served: record.served, ttl }];
        // An ALIAS has the addresses of its target. Its name exists without them as well.
        const all = (record.addresses ?? []).map((each) => ({ owner, ...each, ttl: Math.min(ttl, each.ttl) }));
        return [{ owner, type: 'ALIAS', served: '', ttl }, ...all];
      })
      .filter(({ owner }) => !hidden(owner)),
    ...children.flatMap((child) => [
      ...ns(child.name),
      ...child.ds.map((served) => ({ owner: child.name, type: 'DS', served, ttl: 3600 })),
    ]),
  ];
}

/** The hosted zones right below. */
export function listChildren(zone: Pick<ModelZone, 'name'>, zones: readonly ModelZone[]): ModelZone[] {
  const below = zones.filter((other) => isBelow(other.name, zone.name));
  return below.filter((child) => !below.some((other) => isBelow(child.name, other.name)));
}
