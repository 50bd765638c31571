// The metrics of the feed and of the name servers that report. The names of nodes are labels, at most 100 of them.
//
//   zonestead_feed_streams                  open streams
//   zonestead_feed_lines_total{kind}        lines sent
//   zonestead_feed_bytes_total              octets sent
//   zonestead_feed_polls_total{result}      looks at the database for changes: ok, failed
//   zonestead_feed_ends_total{reason}       streams that ended
//   zonestead_feed_zone_failures_total      zones that could not be rendered
//   zonestead_node_lag_seconds{node}        age of the oldest change that a node has not applied
//   zonestead_node_failing_zones{node}      zones that a node does not serve as the feed says
//   zonestead_node_duplicate{node}          1 while two instances report under one name
import type { Metrics } from '#telemetry/metrics.ts';
import { LINE_KINDS, type Part } from './lines.ts';
import { ENDS, type End } from './stream.ts';

export interface FeedMetrics {
  sent(part: Pick<Part, 'text' | 'kinds'>): void;
  polled(result: 'ok' | 'failed'): void;
  zoneFailed(): void;
  ended(end: End): void;
  /** Takes the facts of one report. @param lagSeconds null: the node has not applied its first list */
  reported(node: string, facts: { lagSeconds: number | null; failing: number; isDuplicate: boolean }): void;
  /** @param count returns the number of open streams */
  watchStreams(count: () => number): void;
}

const MOST_NODES = 100;
/** A node that does not report for so long, in ms, has no series any more. */
const SILENT_MS = 30_000;
/** The lag of a node that has not applied its first list, in seconds: more than any threshold. */
const NEVER = 1e9;

/** @param now the time in ms */
export function createFeedMetrics(metrics: Metrics, now: () => number): FeedMetrics {
  let streams = () => 0;
  metrics.gauge({
    name: 'feed_streams',
    help: 'Name servers that follow the feed at this process.',
    collect: (gauge) => gauge.set(streams()),
  });
  const lines = metrics.counter({ name: 'feed_lines_total', help: 'Lines that the feed sent.', labels: ['kind'] });
  for (const kind of LINE_KINDS) lines.inc({ kind }, 0);
  const bytes = metrics.counter({ name: 'feed_bytes_total', help: 'Bytes that the feed sent, without zones.' });
  const polls = metrics.counter({
    name: 'feed_polls_total',
    help: 'Queries for changes in the database, by result (ok, failed). There are none while no name server follows the feed.',
    labels: ['result'],
  });
  for (const result of ['ok', 'failed']) polls.inc({ result }, 0);
  const ends = metrics.counter({
    name: 'feed_ends_total',
    help: 'Streams that ended, by reason: the node left, was slow, opened a third stream (replaced), its key ended, the database cannot be continued (moved), the stream failed, or the process exits (shutdown).',
    labels: ['reason'],
  });
  for (const reason of ENDS) ends.inc({ reason }, 0);
  const failures = metrics.counter({
    name: 'feed_zone_failures_total',
    help: 'Failed attempts to render the changes of one zone. Nodes do not count as current until an attempt succeeds.',
  });

  const nodes = new Map<string, { at: number; lag: number; failing: number; duplicate: number }>();
  const living = () => {
    for (const [name, { at }] of nodes) if (now() - at > SILENT_MS) nodes.delete(name);
    return nodes;
  };
  for (const [name, help, value] of [
    [
      'node_lag_seconds',
      'Seconds since the oldest change that the node has not applied, by its last report to this process. 1e9 before its first list.',
      'lag',
    ],
    ['node_failing_zones', 'Zones that the node does not serve as the feed says, by its last report.', 'failing'],
    ['node_duplicate', '1 while two instances report under the name of the node, otherwise 0.', 'duplicate'],
  ] as const) {
    metrics.gauge({
      name,
      help,
      labels: ['node'],
      collect: (gauge) => {
        gauge.reset();
        for (const [node, facts] of living()) gauge.set({ node }, facts[value]);
      },
    });
  }

  return {
    sent: ({ text, kinds }) => {
      bytes.inc(text.length);
      for (const kind of kinds) lines.inc({ kind });
    },
    polled: (result) => polls.inc({ result }),
    zoneFailed: () => failures.inc(),
    ended: (reason) => ends.inc({ reason }),
    reported: (node, { lagSeconds, failing, isDuplicate }) => {
      if (!nodes.has(node) && living().size >= MOST_NODES) return;
      nodes.set(node, { at: now(), lag: lagSeconds ?? NEVER, failing, duplicate: isDuplicate ? 1 : 0 });
    },
    watchStreams: (count) => {
      streams = count;
    },
  };
}
