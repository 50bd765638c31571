// The RRsets of every zone, derived from the rows by the rules of DNS alone: a zone's own NS records at its apex,
// delegations of the hosted zones right below it (RFC 1034 section 4.2.1), one TTL and no duplicate in an RRset (RFC
// 2181 section 5). It looks at whole absolute names, and uses no code of the service.
import type { Sql } from 'postgres';
import type { ServedSet } from '#dns/served.ts';

interface Zone {
  id: string;
  name: string;
  state: string;
  ttl: number;
  ds: string[];
}

interface Row {
  zone: string;
  /** Relative to the zone, `@` for the apex. */
  name: string;
  type: string;
  rdata: string;
  ttl: number;
}

const DELEGATION_TTL = 3_600;

const isBelow = (name: string, above: string) => name.endsWith(`.${above}`);

/** The RRsets of all zones without SOA and DNSSEC records, by zone id, each sorted by name and type. */
export async function servedByModel(sql: Sql): Promise<Map<string, ServedSet[]>> {
  return sql.begin('isolation level repeatable read read only', async (tx) => {
    const zones = await tx<Zone[]>`select id, name, state, default_ttl as ttl, ds from zones`;
    const [service] = await tx<{ hosts: string[] }[]>`select nameservers as hosts from service`;
    const rows = await tx<Row[]>`
      select z.id as zone, r.name, r.type, r.rdata, coalesce(r.ttl, z.default_ttl) as ttl
      from records r join zones z on z.no = r.zone_no where r.type <> 'ALIAS'
      union all
      select z.id, r.name, a.type, a.rdata, least(coalesce(r.ttl, z.default_ttl), a.ttl)
      from records r join zones z on z.no = r.zone_no join (
        select target, owner, ttl, 'A' as type, unnest(ipv4) as rdata from alias_answers
        union all select target, owner, ttl, 'AAAA', unnest(ipv6) from alias_answers
      ) a on a.target = r.rdata and a.owner in (z.team_id, z.user_id) where r.type = 'ALIAS'`;
    const byZone = Map.groupBy(rows, ({ zone }) => zone);
    const named = await tx<{ zone: string; name: string }[]>`
      select z.id as zone, r.name from records r join zones z on z.no = r.zone_no where r.type = 'ALIAS'`;
    const aliases = Map.groupBy(named, ({ zone }) => zone);
    return new Map(
      zones.map((zone) => {
        const singles = served(zone, zones, byZone.get(zone.id) ?? [], service?.hosts ?? []);
        const names = (aliases.get(zone.id) ?? []).map(({ name }) => name);
        return [zone.id, groupSets([...singles, ...placeholders(zone, names, singles)])];
      }),
    );
  });
}

type Single = Omit<Row, 'zone'>;

/** The single records of a zone. */
function served(zone: Zone, zones: readonly Zone[], rows: readonly Row[], hosts: readonly string[]): Single[] {
  const below = zones.filter(({ name }) => isBelow(name, zone.name));
  const children = below.filter(({ name }) => !below.some((between) => isBelow(name, between.name)));
  const relative = (name: string) => (name === zone.name ? '@' : name.slice(0, -zone.name.length - 1));
  const listNs = (name: string) =>
    hosts.map((host) => ({ name: relative(name), type: 'NS', rdata: `${host}.`, ttl: DELEGATION_TTL }));
  // At a cut the parent has the delegation alone. Its records below the cut stay, glue among them, although they are
  // occluded.
  const cuts = new Set(children.map(({ name }) => relative(name)));
  return [
    ...listNs(zone.name),
    ...(zone.state === 'active' ? rows.filter(({ name }) => !cuts.has(name)) : []),
    ...children.flatMap(({ name, ds }) => [
      ...listNs(name),
      ...ds.map((rdata) => ({ name: relative(name), type: 'DS', rdata, ttl: DELEGATION_TTL })),
    ]),
  ];
}

/** The name of an ALIAS without addresses exists, although it has no records to answer with. */
function placeholders(zone: Zone, aliases: readonly string[], singles: readonly Single[]): Single[] {
  const taken = new Set(singles.map(({ name }) => name));
  const names = zone.state === 'active' ? aliases.filter((name) => !taken.has(name)) : [];
  return names.map((name) => ({ name, type: 'TYPE65401', rdata: '\\# 0', ttl: zone.ttl }));
}

function groupSets(rows: readonly Single[]): ServedSet[] {
  return sorted(
    [...Map.groupBy(rows, ({ name, type }) => `${name} ${type}`).values()].map((set) => {
      const { name, type } = set[0] as Single;
      const rdata = new Set(set.map((row) => (type === 'AAAA' ? compressed(row.rdata) : row.rdata)));
      return { name, type, ttl: Math.min(...set.map(({ ttl }) => ttl)), rdata: [...rdata].sort() };
    }),
  );
}

export function sorted(sets: Iterable<ServedSet>): ServedSet[] {
  return [...sets].sort((a, b) => (`${a.name} ${a.type}` < `${b.name} ${b.type}` ? -1 : 1));
}

/** RFC 5952, as URLs write addresses. */
function compressed(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
