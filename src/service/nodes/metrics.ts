// The metrics of the feed.
//
//   zonestead_feed_streams                  open streams
//   zonestead_feed_lines_total{kind}        lines sent
//   zonestead_feed_bytes_total              octets sent
//   zonestead_feed_polls_total{result}      looks at the database for changes: ok, failed
//   zonestead_feed_ends_total{reason}       streams that ended
//   zonestead_feed_zone_failures_total      zones that could not be rendered
import type { Metrics } from '#telemetry/metrics.ts';
import { type FeedPart, LINE_KINDS } from './lines.ts';
import { ENDS, type End } from './stream.ts';

export interface FeedMetrics {
  sent(part: Pick<FeedPart, 'text' | 'kinds'>): void;
  polled(result: 'ok' | 'failed'): void;
  zoneFailed(): void;
  ended(end: End): void;
  /** @param count returns the number of open streams */
  watchStreams(count: () => number): void;
}

export function createFeedMetrics(metrics: Metrics): FeedMetrics {
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

  return {
    sent: ({ text, kinds }) => {
      bytes.inc(text.length);
      for (const kind of kinds) lines.inc({ kind });
    },
    polled: (result) => polls.inc({ result }),
    zoneFailed: () => failures.inc(),
    ended: (reason) => ends.inc({ reason }),
    watchStreams: (count) => {
      streams = count;
    },
  };
}
