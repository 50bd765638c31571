// Faults in the api's side of the feed: reports, streams, and requests that wait for name servers.
import type { Fault } from '../fault.ts';

const fault =
  (test: string) =>
  (name: string, breaks: string, file: string, find: string, replace: string): Fault => ({
    name: `feed-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project: test.startsWith('test/unit/') ? 'unit' : 'integration',
    tests: [test],
  });

const byReports = fault('test/integration/service/nodes/reports.test.ts');
const byHub = fault('test/unit/service/nodes/hub.test.ts');
const byArrivals = fault('test/unit/service/nodes/arrivals.test.ts');
const ARRIVALS = 'src/service/nodes/arrivals.ts';

export const FEED_FAULTS: readonly Fault[] = [
  byReports(
    'count',
    'a report with a number that no column holds is answered 500',
    'src/contract/feed.ts',
    'z.int().min(0).max(MAX_INTEGER)',
    'z.int().min(0)',
  ),
  byReports(
    'nul',
    'a report of transfers with U+0000 is answered 500',
    'src/service/nodes/transfers.ts',
    'silent === undefined ? null : dropUnprintable(silent)',
    'silent ?? null',
  ),
  byReports(
    'epoch',
    'a cursor with U+0000 is answered 500',
    'src/service/nodes/cursor.ts',
    '[^\\s:\\p{C}]+',
    '[^\\s:]+',
  ),
  byReports(
    'unknown',
    'unknown fields of a failing zone are accepted',
    'src/contract/feed.ts',
    'z.strictObject({\n          id: zoneId,',
    'z.object({\n          id: zoneId,',
  ),
  byHub(
    'closed',
    'a stream whose connection has closed keeps its place',
    'src/service/nodes/stream.ts',
    'if (closed.aborted) leave();',
    '',
  ),
  byArrivals(
    'crowd',
    'one team keeps all places of requests that wait',
    ARRIVALS,
    'if (largest === undefined || largest.length <= ownCount + 1) return false;',
    'return false;',
  ),
  byArrivals(
    'flood',
    'a team takes places from teams that have fewer',
    ARRIVALS,
    'largest.length <= ownCount + 1',
    'false',
  ),
];
