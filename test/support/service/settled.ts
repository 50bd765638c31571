// Whether a name server has applied everything that is committed: all announced changes are visible in the position
// that it reached.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { NodeReport } from '#contract/feed.ts';
import { parseCursor } from '#service/nodes/cursor.ts';

const LIMIT_MS = 60_000;
/** The name server usually needs some milliseconds. */
const EVERY_MS = 3;

/** @param report the report of the node; null: there is no node */
export function createSettled(
  sql: Sql,
  report: () => Pick<NodeReport, 'cursor' | 'failing'> | null,
): () => Promise<void> {
  return async () => {
    // The commits before the first look at which no child zone waits for the nodes: later ones are not waited for.
    let wanted: string | null = null;
    let asked: string | null = null;
    let isApplied = false;
    let isWaiting = false;
    for (const until = performance.now() + LIMIT_MS; ; await sleep(EVERY_MS)) {
      const { cursor: reached = null, failing = [] } = report() ?? {};
      const position = reached === null ? null : parseCursor(reached);
      if (position === null) isApplied = false;
      // The answer for a position stays the same: the database is asked again when the node has moved.
      // A zone that waits for its delegation, or for its end, changes without a report of the node.
      else if (reached !== asked || isWaiting) {
        // Rows of transactions before `xid` are visible in the position.
        const [row] = await sql<{ now: string; waiting: boolean; missing: boolean }[]>`
          select now::text, exists (select from zones where delegation_due is not null)
            or exists (select from departing_zones) as waiting, exists (select from feed_changes where xid >= ${String(position.xid)}::xid8
            and pg_visible_in_snapshot(xid, coalesce(${wanted}::pg_snapshot, now))
            and not pg_visible_in_snapshot(xid, ${position.snapshot}::pg_snapshot)) as missing
          from pg_current_snapshot() now`;
        isWaiting = row?.waiting === true;
        // The commits that end the wait are waited for as well.
        if (!isWaiting) wanted ??= row?.now as string;
        asked = reached;
        isApplied = !isWaiting && row?.missing === false;
      }
      // The position does not count a zone that failed, until it is tried again.
      if (isApplied && failing.length === 0) return;
      if (performance.now() > until) {
        throw new Error(
          `the node has not applied all changes; it is at ${reached}, failing: ${JSON.stringify(failing)}`,
        );
      }
    }
  };
}
