// Loads what the cross-record rules need to see: the rows of the names involved, never the whole zone; for one write or
// for a thousand in the same few statements.
import { MAX_LINKS } from '../dns/chain.ts';
import { fqdn, orderName, suffixesOf } from '../dns/name.ts';
import { NAMES_SHOWN, Neighbourhood } from '../dns/neighbourhood.ts';
import type { ParsedRecord } from '../dns/record.ts';
import type { Neighbour, Surroundings } from '../dns/rrset.ts';
import { parseRdata } from '../dns/types/index.ts';
import type { Tx } from '../store/database.ts';
import { namesBelowEach } from '../store/record-batches.ts';
import { cutsAt, type RecordRow, recordsAt } from '../store/records.ts';
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
  return (await neighbourhoodOf(tx, zone, [record], [])).around(record, replacing);
}

/** All that is needed to judge the writing of `written` and the deletion of `removed`, in whatever order. */
export async function neighbourhoodOf(
  tx: Tx,
  zone: ZoneRow,
  written: readonly ParsedRecord[],
  removed: readonly RecordRow[],
): Promise<Neighbourhood> {
  const hood = new Neighbourhood(zone.name);
  const names = new Set([...written, ...removed].map(({ name }) => name));
  const ordernames = new Set([...names].map(orderName));
  // Where an alias or a delegation leads to is known at once for the first link; the others follow below.
  for (const target of targetsOf(hood, written)) ordernames.add(target);
  const above = new Set([...names].flatMap((name) => (name === '@' ? [] : suffixesOf(name).slice(1))).map(orderName));
  const suffixes = new Set(written.flatMap(({ name }) => suffixesOf(fqdn(name, zone.name))));
  const delegations = written
    .filter(({ type, name }) => type === 'NS' && name !== '@')
    .map((record) => record.ordername);
  const emptied = new Set(removed.map(({ ordername }) => ordername)).size;
  const [rows, cuts, children, below] = await Promise.all([
    recordsAt(tx, zone.no, [...ordernames]),
    cutsAt(tx, zone.no, [...above]),
    zonesNamed(
      tx,
      [...suffixes].filter((name) => name.length > zone.name.length),
    ),
    // Names that the same batch empties are not shown, so that many more may be needed.
    namesBelowEach(tx, zone.no, [...new Set(delegations)], NAMES_SHOWN + emptied + delegations.length),
  ]);
  hood.learnNames(ordernames, rows.map(neighbour));
  hood.learnCuts(cuts.map(neighbour));
  hood.learnChildren(children);
  hood.learnBelow(below);
  await followLinks(tx, zone, hood, written);
  return hood;
}

/** Loads what the aliases of this zone lead to, one link a round for all of them; the rule bounds their number. */
async function followLinks(
  tx: Tx,
  zone: ZoneRow,
  hood: Neighbourhood,
  written: readonly ParsedRecord[],
): Promise<void> {
  for (let round = 0; round <= MAX_LINKS; round += 1) {
    const missing = targetsOf(hood, written);
    if (missing.length === 0) return;
    hood.learnNames(missing, (await recordsAt(tx, zone.no, missing)).map(neighbour));
  }
}

/** The names (as ordernames) that the written aliases and delegations lead to and that are not known yet. */
function targetsOf(hood: Neighbourhood, written: readonly ParsedRecord[]): string[] {
  const missing = new Set<string>();
  const seen = new Set<string>();
  /** Whether the name is in the zone. */
  const need = (name: string): boolean => {
    const ordername = hood.ordernameOf(name);
    if (ordername !== null && !hood.knows(ordername)) missing.add(ordername);
    return ordername !== null;
  };
  for (const { type, target } of written) {
    if (type === 'NS' && target !== null) need(target);
    let name = type === 'CNAME' || type === 'ALIAS' ? target : null;
    while (name !== null && !seen.has(name)) {
      seen.add(name);
      if (!need(name)) break;
      name = hood.linkAt(name)?.target ?? null;
    }
  }
  return [...missing];
}
