// Whether a name server has applied everything that is committed: all announced changes are visible in the position that it reached.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from 'postgres';
import type { NodeReport } from '#contract/feed.ts';
import { parseCursor } from '#service/nodes/cursor.ts';

const LIMIT_MS = 20_000;

/** @param report the report of the node; null: there is no node */
export function createSettled(
  sql: Sql,
  report: () => Pick<NodeReport, 'cursor' | 'failing'> | null,
): () => Promise<void> {
  return async () => {
    const [{ newest = '0' } = {}] = await sql`select coalesce(max(no), 0)::text as newest from feed_changes`;
    for (const until = performance.now() + LIMIT_MS; ; ) {
      const { cursor: reached = null, failing = [] } = report() ?? {};
      const position = reached === null ? null : parseCursor(reached);
      if (position !== null) {
        const [{ missing = true } = {}] = await sql`
          select exists (select from feed_changes where no <= ${newest as string}
            and not pg_visible_in_snapshot(xid, ${position.snapshot}::pg_snapshot)) as missing`;
        // The position does not count a zone that failed, until it is tried again.
        if (!missing && failing.length === 0) return;
      }
      if (performance.now() > until) {
        throw new Error(
          `the node has not applied all changes; it is at ${reached}, failing: ${JSON.stringify(failing)}`,
        );
      }
      await sleep(3);
    }
  };
}
