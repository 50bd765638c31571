// Confirms earlier commits. Postgres shows a commit to every session while it still waits for the synchronous standby,
// if the server was restarted meanwhile. An answer that only repeats such a commit would acknowledge a write that a
// failover can lose.
import { statement } from './statement.ts';

/**
 * Writes a record to the write-ahead log and nothing to any table. The commit of its transaction is confirmed after all
 * earlier ones, by the synchronous standby as well if there is one.
 */
export const confirmEarlierCommits = statement(`select pg_logical_emit_message(true, 'zonestead', '')`);
