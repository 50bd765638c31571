// The metrics of a node.
import type { Metrics } from '#telemetry/metrics.ts';
import { COMPARED, type ComparisonResult } from './compare.ts';
import { ENDINGS, type Ending } from './follow.ts';

export interface NodeNumbers {
  lagSeconds(): number;
  clockOffSeconds(): number;
  zones(): number;
  failing(): number;
  waiting(): number;
  unlisted(): number;
  isConnected(): boolean;
  /** Why the feed is not connected; null while it is. */
  feedEnding(): Ending | null;
  /** Infinite before the first comparison. */
  signatureSeconds(): number;
  isEngineUp(): boolean;
  isStateStored(): boolean;
}

export interface NodeMetrics {
  worked(result: 'applied' | 'failed'): void;
  compared(result: ComparisonResult): void;
  mended(names: number): void;
  ended(ending: Ending): void;
  duplicate(isDuplicate: boolean): void;
}

/** Registers the metrics. Call it once per registry. */
export function createNodeMetrics(metrics: Metrics, numbers: NodeNumbers): NodeMetrics {
  registerNumbers(metrics, numbers);
  const duplicate = metrics.gauge({
    name: 'node_name_duplicate',
    help: 'Whether another node reports under the same name (1) or not (0).',
  });
  const work = metrics.counter({
    name: 'node_work_total',
    help: 'Attempts to apply the changes of one zone, by result.',
    labels: ['result'],
  });
  for (const result of ['applied', 'failed']) work.inc({ result }, 0);
  const comparisons = metrics.counter({
    name: 'node_comparisons_total',
    help: 'Comparisons of one zone with the api, by result.',
    labels: ['result'],
  });
  for (const result of COMPARED) comparisons.inc({ result }, 0);
  const differences = metrics.counter({
    name: 'node_differences_total',
    help: 'Names whose records differed in a comparison, and that the node corrected.',
  });
  const endings = metrics.counter({
    name: 'node_feed_ends_total',
    help: 'Connections to the feed that ended or failed, by reason: refused (the key), certificate (that of the api is not accepted), unreachable, fault (a wrong answer, or silence), list (the node asked for it).',
    labels: ['reason'],
  });
  for (const reason of ENDINGS) endings.inc({ reason }, 0);
  return {
    worked: (result) => work.inc({ result }),
    compared: (result) => comparisons.inc({ result }),
    mended: (names) => differences.inc(names),
    ended: (reason) => endings.inc({ reason }),
    duplicate: (is) => duplicate.set(Number(is)),
  };
}

function registerNumbers(metrics: Metrics, numbers: NodeNumbers): void {
  const gauge = (name: string, help: string, read: () => number) =>
    void metrics.gauge({ name, help, collect: (each) => each.set(read()) });
  gauge(
    'node_feed_lag_seconds',
    'Seconds since the latest line of the feed arrived that is applied together with everything before it.',
    () => numbers.lagSeconds(),
  );
  gauge('node_feed_connected', 'Whether the feed is connected (1) or not (0).', () => Number(numbers.isConnected()));
  metrics.gauge({
    name: 'node_feed_problem',
    help: 'Why the feed is not connected: 1 for the present reason, as in node_feed_ends_total, and 0 for the others. All are 0 while it is connected.',
    labels: ['reason'],
    collect: (each) => {
      const present = numbers.feedEnding();
      for (const reason of ENDINGS) if (reason !== 'list') each.set({ reason }, Number(reason === present));
    },
  });
  gauge(
    'node_signature_remaining_seconds',
    'Seconds until the first DNSSEC signature of any zone ends, as of the last comparison of each zone. knotd renews them 14 days before. +Inf before the first comparison.',
    () => numbers.signatureSeconds(),
  );
  gauge('node_zones', 'Zones that the node has.', () => numbers.zones());
  gauge('node_zones_failing', 'Zones that the node does not serve as the feed says.', () => numbers.failing());
  gauge('node_zones_waiting', 'Zones with changes that are not applied yet.', () => numbers.waiting());
  gauge(
    'node_zones_unlisted',
    'Zones that the list of the api lacks, and that the node keeps because the database is another one or the list lacks too many.',
    () => numbers.unlisted(),
  );
  gauge('node_engine_up', 'Whether the name server answered the last command (1) or not (0).', () =>
    Number(numbers.isEngineUp()),
  );
  gauge('node_state_stored', 'Whether the node can store its state (1) or not (0).', () =>
    Number(numbers.isStateStored()),
  );
  gauge(
    'node_clock_offset_seconds',
    'Seconds by which the clock of the api is ahead of the clock of this machine. It is 0 before the first connection.',
    () => numbers.clockOffSeconds(),
  );
}
