// Loads what the cross-record rules need to see: the rows of the names involved, never the whole zone.
import { fqdn, orderName, suffixesOf } from '../dns/name.ts';
import type { ParsedRecord } from '../dns/record.ts';
import { type Neighbour, nextNeeded, type Surroundings } from '../dns/rrset.ts';
import { parseRdata } from '../dns/types/index.ts';
import type { Tx } from '../store/database.ts';
import { cutsAt, namesBelow, type RecordRow, recordsAt } from '../store/records.ts';
import { type ZoneRow, zonesNamed } from '../store/zones.ts';

/** A stored row as the rules see it. @throws when the row cannot be parsed: then the table was written behind our back */
export function neighbour(row: RecordRow): Neighbour {
  const parsed = parseRdata(row.type, row.content, row.priority);
  if (!parsed.ok) throw new Error(`record ${row.id} does not parse: ${parsed.problem.message}`);
  const { wire, target } = parsed.value;
  return {
    id: row.id,
    name: row.name,
    ordername: row.ordername,
    type: row.type,
    content: row.content,
    priority: row.priority,
    wire,
    target,
  };
}

/** @param replacing the id of the record that is being replaced, left out of what stands at the name */
export async function surroundingsOf(
  tx: Tx,
  zone: ZoneRow,
  record: ParsedRecord,
  replacing: string | null,
): Promise<Surroundings> {
  const owner = fqdn(record.name, zone.name);
  const ancestors = suffixesOf(record.name).slice(1);
  const inZone = suffixesOf(owner).filter((name) => name.length > zone.name.length);
  const [at, cuts, children, below] = await Promise.all([
    recordsAt(tx, zone.no, [record.ordername]),
    cutsAt(tx, zone.no, record.name === '@' ? [] : ancestors.map(orderName)),
    zonesNamed(tx, inZone),
    record.type === 'NS' && record.name !== '@'
      ? namesBelow(tx, zone.no, record.ordername, 5)
      : Promise.resolve({ names: [], total: 0 }),
  ]);
  const nearest = cuts.at(-1)?.ordername;
  return {
    zone: zone.name,
    atName: at.filter((row) => row.id !== replacing).map(neighbour),
    cutsAbove: [
      ...children.map((child) => ({ name: child.name, type: 'zone' as const, zoneId: child.id })),
      ...cuts.map((cut) => ({ name: fqdn(cut.name, zone.name), type: 'NS' as const })),
    ],
    nsAtCutTargets: cuts.filter((cut) => cut.ordername === nearest).flatMap((cut) => neighbour(cut).target ?? []),
    below,
    inZoneCname: await linksFrom(tx, zone, record),
    replaces: replacing !== null,
  };
}

/** The aliases of this zone that the record's target leads to, loaded link by link; the rule bounds their number. */
async function linksFrom(tx: Tx, zone: ZoneRow, record: ParsedRecord): Promise<(name: string) => string | null> {
  const known = new Map<string, string | null>();
  for (let name = nextNeeded(record, zone.name, known); name !== null; name = nextNeeded(record, zone.name, known)) {
    const relative = name === zone.name ? '@' : name.slice(0, -zone.name.length - 1);
    const rows = await recordsAt(tx, zone.no, [orderName(relative)]);
    const alias = rows.find((row) => row.type === 'CNAME' || row.type === 'ALIAS');
    known.set(name, alias ? neighbour(alias).target : null);
  }
  return (name) => known.get(name) ?? null;
}
