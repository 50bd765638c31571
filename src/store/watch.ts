// Judges statements that have no answer for some time. A server that lost its power, was stopped, or is behind a cut
// network sends nothing, and TCP alone would notice after many minutes; a statement that computes for long sends
// nothing either. So the server is asked over a new connection what it does for the statement.
//
//     no answer, twice       the server is given up
//     no such process, twice the address leads to another server now: the connections to the old one are given up
//     waits for its standby  after some time the caller gets an answer, and the commit continues
import type { ServerState } from './server-state.ts';

export interface Suspect {
  pid: number | null;
  /** How long it has had no answer, in ms. */
  waitedMs: number;
  /** How many times in a row the server did not know its process. */
  missed: number;
}

export type WatchFinding = 'fine' | 'missing' | 'gone' | 'held';

/** A statement without an answer for this long is looked at, in ms. */
export const SUSPECT_MS = 1_000;
/** A caller whose commit waits for the standby gets an answer after this long, in ms. */
const HELD_MS = 3_000;
/** The name of the event in pg_stat_activity while a commit waits for a synchronous standby. */
const STANDBY_WAIT = 'SyncRep';

export function judgeWork({ pid, waitedMs, missed }: Suspect, { active }: Pick<ServerState, 'active'>): WatchFinding {
  if (pid === null || active === null) return 'fine';
  // The answer can be on its way: the process was idle already when the server was asked.
  if (!active.has(pid)) return missed > 0 ? 'gone' : 'missing';
  return active.get(pid) === STANDBY_WAIT && waitedMs >= HELD_MS ? 'held' : 'fine';
}
