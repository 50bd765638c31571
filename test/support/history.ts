// The history and the tables, held against each other: nothing is there by half when each follows from the other.
import type { Sql } from 'postgres';
import { expect } from 'vitest';

interface Change {
  zone_id: string;
  action: string;
  serial: string;
  xid: string;
  before: { id: string } | null;
  after: { id: string; name: string; type: string; content: string; priority: number | null } | null;
}

/**
 * Replays all changes of the zones that there are: what comes out is what the tables hold, every step begins where the
 * last one ended, serials only grow, one transaction has one serial, and the zone has the latest.
 */
export async function expectWholeHistory(sql: Sql): Promise<void> {
  const zones = await sql<{ id: string; serial: string }[]>`select id, serial::text from zones`;
  const changes = await sql<Change[]>`
    select zone_id, action, serial::text, xid::text, before, after from changes
    where zone_id in (select id from zones) order by zone_id, id`;
  const byZone = Map.groupBy(changes, (change) => change.zone_id);
  const replayed = [...byZone.values()].flatMap((all) => [...replay(all).values()]);
  const stored = await sql<Record<string, unknown>[]>`select id, name, type, content, priority from records`;
  const line = (row: Record<string, unknown>) =>
    [row.id, row.name, row.type, row.priority ?? '', row.content].join(' ');
  expect(stored.map(line).sort()).toEqual(replayed.map(line).sort());
  for (const { id, serial } of zones) {
    const latest = Math.max(...(byZone.get(id) ?? []).map((change) => Number(change.serial)));
    const hasChildren = await sql`
      select from zones z join zones c on c.tree like z.tree || ' %' where z.id = ${id} limit 1`;
    // A zone below gives its parent a serial, and no entry.
    if (hasChildren.length === 0) expect(Number(serial)).toBeGreaterThanOrEqual(latest);
  }
}

type After = NonNullable<Change['after']>;

function replay(changes: readonly Change[]): Map<string, After> {
  const records = new Map<string, After>();
  let last = { serial: 0, xid: '' };
  for (const { action, before, after, serial, xid } of changes) {
    expect(Number(serial)).toBeGreaterThanOrEqual(last.serial);
    expect([serial, xid === last.xid]).toEqual([serial, Number(serial) === last.serial]);
    last = { serial: Number(serial), xid };
    if (!action.startsWith('record.')) continue;
    expect([action, before === null ? null : line(records.get(before.id))]).toEqual([action, before && line(before)]);
    if (before) records.delete(before.id);
    if (after) records.set(after.id, after);
  }
  return records;
}

/** Without the TTL, which is the zone's when the record has none, and the zone's may change. */
function line(record: { id: string } | undefined): string {
  const { id, name, type, content, priority } = (record ?? {}) as Partial<After>;
  return [id, name, type, content, priority ?? ''].join(' ');
}
