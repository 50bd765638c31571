// The records that PowerDNS reads from schema pdns, in the form of RRsets: an implementation of the same rules in SQL.
import type { Sql } from 'postgres';
import type { ServedSet } from '#dns/served.ts';

interface Row {
  id: string;
  zone: string;
  name: string;
  type: string;
  content: string;
  ttl: number;
}

/** The RRsets of all zones without SOA, by zone id, each sorted by name and type. */
export async function servedByView(sql: Sql): Promise<Map<string, ServedSet[]>> {
  const rows = await sql<Row[]>`
    select z.id, z.name as zone, s.name, s.type, s.content, s.ttl from pdns.served s join zones z on z.no = s.domain_id
    where s.type <> 'SOA'`;
  return new Map([...Map.groupBy(rows, ({ id }) => id)].map(([id, all]) => [id, sorted(setsOf(all))]));
}

export function sorted(sets: Iterable<ServedSet>): ServedSet[] {
  return [...sets].sort((a, b) => (`${a.name} ${a.type}` < `${b.name} ${b.type}` ? -1 : 1));
}

function setsOf(rows: readonly Row[]): ServedSet[] {
  return [...Map.groupBy(rows, ({ name, type }) => `${name} ${type}`).values()].map((set) => {
    const { name, zone, type, ttl } = set[0] as Row;
    const rdata = new Set(set.map(({ content }) => (type === 'AAAA' ? compressed(content) : content)));
    return { name: name === zone ? '@' : name.slice(0, -zone.length - 1), type, ttl, rdata: [...rdata].sort() };
  });
}

/** RFC 5952, as URLs write addresses. */
function compressed(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
