// The name servers that report, as metrics. Every api process reads them from the table of reports, so each has the
// same values, and a node in a place that no Prometheus scrapes is seen as well. The names of nodes are labels, at most
// 100 of them.
//
//   zonestead_node_living{node}          1 while the node reports
//   zonestead_node_lag_seconds{node}     age of the oldest change that a living node has not applied
//   zonestead_node_failing_zones{node}   zones that a living node does not serve as the feed says
//   zonestead_node_duplicate{node}       1 while two instances report under one name
import { type Clock, realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import type { NodeRow } from '#store/nodes.ts';
import type { Metrics } from '#telemetry/metrics.ts';

const MAX_NODES = 100;
/** A scrape waits no longer for the database, in ms. */
const READ_MS = 1_000;
/** The lag of a node that has not applied its first list, in seconds: more than any threshold. */
const NEVER = 1e9;

interface NodeFacts {
  readonly living: number;
  readonly lag: number | null;
  readonly failing: number | null;
  readonly duplicate: number;
}

/** Instances of one name are one node. A node that is silent has no lag and no failing zones. Pure. */
function factsOfNodes(rows: readonly NodeRow[]): Map<string, NodeFacts> {
  const facts = new Map<string, NodeFacts>();
  for (const [name, instances] of Map.groupBy(rows, (row) => row.name)) {
    if (facts.size >= MAX_NODES) break;
    const livingNodes = instances.filter(({ isLiving }) => isLiving);
    facts.set(name, {
      living: livingNodes.length > 0 ? 1 : 0,
      lag: findMax(livingNodes.map(({ lagSeconds }) => lagSeconds ?? NEVER)),
      failing: findMax(livingNodes.map(({ failingCount }) => failingCount)),
      duplicate: livingNodes.some(({ isDuplicate }) => isDuplicate) ? 1 : 0,
    });
  }
  return facts;
}

/**
 * Registers the metrics. There are no series while the database does not answer: nothing is known of the nodes then.
 * @param read the instances that reported within a day
 */
export function watchNodes(metrics: Metrics, read: () => Promise<NodeRow[]>, clock: Clock = realClock): void {
  let reading: Promise<Map<string, NodeFacts>> | null = null;
  // A scrape collects all metrics in parallel: one read serves them all.
  const latest = async (): Promise<Map<string, NodeFacts>> => {
    reading ??= read()
      .then(factsOfNodes, () => new Map<string, NodeFacts>())
      .finally(() => {
        reading = null;
      });
    const current = reading;
    return (await endsWithin(clock, READ_MS, current)) ? current : new Map();
  };
  const perNode = (name: string, help: string, value: keyof NodeFacts): void => {
    metrics.gauge({
      name,
      help,
      labels: ['node'],
      collect: async (gauge) => {
        const nodes = await latest();
        gauge.reset();
        for (const [node, facts] of nodes) if (facts[value] !== null) gauge.set({ node }, facts[value]);
      },
    });
  };
  perNode('node_living', '1 while the node reports, and 0 after 30 silent seconds, for a day.', 'living');
  perNode(
    'node_lag_seconds',
    'Seconds since the oldest change that the node has not applied, by its last report. 1e9 before its first list.',
    'lag',
  );
  perNode('node_failing_zones', 'Zones that the node does not serve as the feed says, by its last report.', 'failing');
  perNode('node_duplicate', '1 while two instances report under the name of the node, otherwise 0.', 'duplicate');
}

function findMax(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
