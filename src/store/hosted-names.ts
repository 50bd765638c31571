// Whether a name exists in a hosted zone, by the rows of the zone: its own records, names below it, the wildcard of the
// closest encloser (RFC 4592 section 3.3.1), and hosted zones below it. A name below a delegation or a DNAME is not
// decided here.
import { fqdn, orderName } from '#dns/names/name.ts';
import type { Db } from './database.ts';
import type { HostedZone } from './due-targets.ts';
import { statement } from './statement.ts';

/** `elsewhere`: other name servers, or the target of a DNAME, decide. */
export type HostedName = 'exists' | 'absent' | 'elsewhere';

/** In the order of ordernames, all names below a name lie between these ends. */
const BELOW = (name: string, column: string) => `${column} > ${name} || ' ' and ${column} < ${name} || '!'`;

const look = statement<{ exists: boolean; elsewhere: boolean }>(`
  with above as (
    -- The enclosing names, the closest first; the apex is the last one.
    select * from unnest($3::text[]) with ordinality a(ordername, step)
  ), encloser as (
    select ordername from above a
    where a.ordername = '' or exists (select from records r where r.zone_no = $1::integer and r.ordername = a.ordername)
      or exists (select from records r where r.zone_no = $1::integer and ${BELOW('a.ordername', 'r.ordername')})
    order by step limit 1
  )
  select exists (select from records r where r.zone_no = $1::integer and r.ordername = $2)
      or exists (select from records r where r.zone_no = $1::integer and ${BELOW('$2::text', 'r.ordername')})
      or exists (select from zones z where ${BELOW('$4::text', 'z.tree')})
      or exists (select from records r join encloser e on r.ordername = ltrim(e.ordername || ' *') where r.zone_no = $1::integer)
      as exists,
    exists (select from records r join above a using (ordername)
      where r.zone_no = $1::integer and (r.type = 'DNAME' or (r.type = 'NS' and r.ordername <> ''))) as elsewhere`);

/** @param name relative to the zone */
export async function lookUpHostedName(
  db: Db,
  zone: Pick<HostedZone, 'no' | 'name'>,
  name: string,
): Promise<HostedName> {
  if (name === '@') return 'exists';
  const labels = name.split('.');
  const above = labels.map((_, index) => orderName(labels.slice(index + 1).join('.') || '@'));
  const [row] = await look(db, zone.no, orderName(name), above, orderName(fqdn(name, zone.name)));
  if (row?.elsewhere) return 'elsewhere';
  return row?.exists ? 'exists' : 'absent';
}
