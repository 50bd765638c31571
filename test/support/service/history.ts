// Compares the history with the tables. No write is stored in part if each follows from the other.
import type { Sql } from 'postgres';
import { expect } from 'vitest';

interface Change {
  zone_id: string;
  action: string;
  serial: string;
  xid: string;
  before: { id: string } | null;
  after: { id: string; name: string; type: string; content: string; priority: number | null; comment?: string } | null;
}

/**
 * Replays all changes of the existing zones. The result must be the contents of the tables, every step must begin with
 * the result of the last one, serials must grow, each must belong to one transaction, and the zone must have the
 * latest.
 */
export async function expectWholeHistory(sql: Sql): Promise<void> {
  const zones = await sql<{ id: string; serial: string }[]>`select id, serial::text from zones`;
  const changes = await sql<Change[]>`
    select zone_id, action, serial::text, xmin::text as xid, before, after from changes
    where zone_id in (select id from zones) order by zone_id, id`;
  const byZone = Map.groupBy(changes, (change) => change.zone_id);
  const replayed = [...byZone.values()].flatMap((all) => [...replay(all).values()]);
  const stored = await sql<Record<string, unknown>[]>`select id, name, type, content, priority, comment from records`;
  const line = (row: Record<string, unknown>) =>
    [row.id, row.name, row.type, row.priority ?? '', row.content, row.comment ?? ''].join(' ');
  expect(stored.map(line).sort()).toEqual(replayed.map(line).sort());
  for (const { id, serial } of zones) {
    const latest = Math.max(...(byZone.get(id) ?? []).map((change) => Number(change.serial)));
    const hasChildren = await sql`
      select from zones z join zones c on c.tree like z.tree || ' %' where z.id = ${id} limit 1`;
    // A child zone gives its parent a new serial, but no history entry.
    if (hasChildren.length === 0) expect(Number(serial)).toBeGreaterThanOrEqual(latest);
  }
}

/** The counters of each zone are the number and the octets of its records, and the number of the sets of owners. */
export async function expectCounted(sql: Sql): Promise<void> {
  const zones = await sql`
    select z.name, z.record_count::int as counted, z.stored_bytes::int as octets,
      z.owned_sets as sets, (select count(*)::int from owned_sets s where s.zone_no = z.no) as owned,
      count(r.id)::int as records, coalesce(sum(octet_length(r.name) + octet_length(r.content)
        + coalesce(octet_length(r.comment), 0)), 0)::int as bytes
    from zones z left join records r on r.zone_no = z.no group by z.id`;
  for (const { name, counted, octets, sets, records, bytes, owned } of zones) {
    expect([name, counted, octets, sets]).toEqual([name, records, bytes, owned]);
  }
}

type After = NonNullable<Change['after']>;

function replay(changes: readonly Change[]): Map<string, After> {
  const records = new Map<string, After>();
  let last = { serial: 0, xid: '' };
  for (const { action, before, after, serial, xid } of changes) {
    expect(Number(serial)).toBeGreaterThanOrEqual(last.serial);
    // Changes that share a transaction may have serials of their own, but no serial is shared by two transactions,
    // unless only comments change.
    if (Number(serial) === last.serial && !isOfComment({ before, after }))
      expect([serial, xid]).toEqual([serial, last.xid]);
    if (!isOfComment({ before, after })) last = { serial: Number(serial), xid };
    if (!action.startsWith('record.')) continue;
    expect([action, before === null ? null : line(records.get(before.id))]).toEqual([action, before && line(before)]);
    if (before) records.delete(before.id);
    if (after) records.set(after.id, after);
  }
  return records;
}

function isOfComment({ before, after }: Pick<Change, 'before' | 'after'>): boolean {
  const text = (side: object | null) => JSON.stringify(Object.entries({ ...side, comment: null }).sort());
  return before !== null && after !== null && text(before) === text(after);
}

/** Without the TTL: a record without a TTL has the zone's, which may change. */
function line(record: { id: string } | undefined): string {
  const { id, name, type, content, priority, comment } = (record ?? {}) as Partial<After>;
  return [id, name, type, content, priority ?? '', comment ?? ''].join(' ');
}
