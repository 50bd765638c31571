// Faults in the api's side of the feed: reports, streams, and requests that wait for name servers.
import type { Fault } from '../fault.ts';
import { noticedBy } from './fault.ts';

const byReports = noticedBy('feed', 'test/integration/service/nodes/reports.test.ts');
const byHub = noticedBy('feed', 'test/unit/service/nodes/hub.test.ts');
const byArrivals = noticedBy('feed', 'test/unit/service/nodes/arrivals.test.ts');
const byLevels = noticedBy('feed', 'test/unit/service/nodes/levels.test.ts');
const byLater = noticedBy('feed', 'test/unit/nameserver/node/later-lines.test.ts');
const ARRIVALS = 'src/service/nodes/arrivals.ts';

export const FEED_FAULTS: readonly Fault[] = [
  byReports(
    'leave-forever',
    'a node that left and came back still counts as one that left',
    'src/store/nodes.ts',
    'then statement_timestamp() end\n',
    'then statement_timestamp() else n.left_at end\n',
  ),
  byReports(
    'leave-other-key',
    'a node says that an instance of another key leaves',
    'src/store/nodes.ts',
    '$15::boolean and n.key_id = $3',
    '$15::boolean',
  ),
  byReports(
    'leave-other-instance',
    'a node takes the name of a silent one and says that it left',
    'src/service/nodes/node-metrics.ts',
    'return last.every(',
    'return last.some(',
  ),
  byReports(
    'leave-uncounted',
    'a record is ready without the nodes that restart',
    'src/store/nodes.ts',
    'and not exists (select from nodes o where o.name = n.name and o.instance <> n.instance and o.first_at > n.reported_at)`',
    'and n.left_at is null and not exists (select from nodes o where o.name = n.name and o.first_at > n.reported_at)`',
  ),
  byReports(
    'leave-silent',
    'a node that was removed counts as silent',
    'src/service/nodes/node-metrics.ts',
    ': left ? null : 0',
    ': 0',
  ),
  byLevels(
    'level',
    'a node gets kinds of lines that it does not know',
    'src/service/nodes/levels.ts',
    '(levels[kind] ?? 1) <= understands',
    'levels[kind] !== 0 || understands > 0',
  ),
  byLevels(
    'level-position',
    'the position passes a line that the node did not get',
    'src/service/nodes/stream.ts',
    'if (isSaid) this.#said = upTo;',
    'this.#said = upTo;',
  ),
  byLater(
    'later-skip',
    'a node skips every line that it does not know',
    'src/nameserver/node/intake.ts',
    'if (skippable) return;',
    'return;',
  ),
  byLater(
    'later-often',
    'a node reads the list again for each line that it does not know',
    'src/nameserver/node/intake.ts',
    'this.#lastLaterList + LATER_LIST_MS',
    'this.#lastLaterList',
  ),
  byLater(
    'later-zone',
    'a node applies a zone without the lines that it does not know',
    'src/nameserver/node/later-lines.ts',
    'else if (!line.line.skippable) {',
    'else if (line.line.skippable) {',
  ),
  byReports(
    'count',
    'a report with a number that no column holds is answered 500',
    'src/contract/feed-forms.ts',
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
