// The name servers that report, as metrics. Every api process reads them from the table of reports, so each has the
// same values, and a node in a place that no Prometheus scrapes is seen as well. The names of nodes are labels, at most
// 100 of them. While the database does not answer, the last values stay, so that an outage ends no alert about a node.
//
//   zonestead_node_living{node}                         1 while the node reports; absent after a node has left
//   zonestead_node_left{node}                           1 after the node ended in an orderly way
//   zonestead_node_lag_seconds{node}                    age of the oldest change that a living node has not applied
//   zonestead_node_failing_zones{node}                  zones that a living node does not serve as the feed says
//   zonestead_node_duplicate{node}                      1 while two instances report under one name
//   zonestead_node_key_expiry_timestamp_seconds{node}   when the key of a living node ends
//   zonestead_node_facts_age_seconds                    age of all of these values
//   zonestead_node_apply_seconds{node}                  from a change to the report of the node that has it
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
  readonly living: number | null;
  readonly left: number;
  readonly lag: number | null;
  readonly failing: number | null;
  readonly duplicate: number;
  readonly keyExpiry: number | null;
}

type Nodes = ReadonlyMap<string, NodeFacts>;

/** Instances of one name are one node. A node that is silent has no lag and no failing zones. Pure. */
function factsOfNodes(rows: readonly NodeRow[]): Map<string, NodeFacts> {
  const facts = new Map<string, NodeFacts>();
  for (const [name, instances] of Map.groupBy(rows, (row) => row.name)) {
    if (facts.size >= MAX_NODES) break;
    const livingNodes = instances.filter(({ isLiving }) => isLiving);
    const left = hasLeft(instances);
    facts.set(name, {
      living: livingNodes.length > 0 ? 1 : left ? null : 0,
      left: left ? 1 : 0,
      lag: findMax(livingNodes.map(({ lagSeconds }) => lagSeconds ?? NEVER)),
      failing: findMax(livingNodes.map(({ failingCount }) => failingCount)),
      duplicate: livingNodes.some(({ isDuplicate }) => isDuplicate) ? 1 : 0,
      keyExpiry: findMin(livingNodes.map((row) => row.keyExpiresAt ?? Number.POSITIVE_INFINITY)),
    });
  }
  return facts;
}

/**
 * Whether the last instance of a name has left: for each key, because a key must not say it for a node of another one.
 * Pure.
 */
function hasLeft(instances: readonly NodeRow[]): boolean {
  const last = Map.groupBy(instances, ({ keyId }) => keyId)
    .values()
    .map((own) => own.reduce((one, other) => (other.age < one.age ? other : one)));
  return last.every(({ isLeft }) => isLeft);
}

/**
 * The facts after so many seconds without the database. No change is made meanwhile, so a node that had all changes
 * still has them, and the oldest change that another one lacks gets older. Pure.
 */
function ageFacts(facts: Nodes, seconds: number): Nodes {
  const age = (lag: number | null) => (lag === null || lag === 0 || lag === NEVER ? lag : lag + seconds);
  return new Map([...facts].map(([node, each]) => [node, { ...each, lag: age(each.lag) }]));
}

/**
 * Registers the metrics of {@link NodeFacts}. There are no series before the database has answered once.
 * @param read the instances that reported within a day
 */
export function watchNodes(metrics: Metrics, read: () => Promise<NodeRow[]>, clock: Clock = realClock): void {
  let reading: Promise<void> | null = null;
  let last: { facts: Nodes; at: number } | null = null;
  const ageSeconds = () => (last === null ? 0 : (clock.now() - last.at) / 1_000);
  // A scrape collects all metrics in parallel: one read serves them all.
  const latest = async (): Promise<Nodes> => {
    reading ??= read()
      .then(
        (rows) => {
          last = { facts: factsOfNodes(rows), at: clock.now() };
        },
        () => undefined,
      )
      .finally(() => {
        reading = null;
      });
    await endsWithin(clock, READ_MS, reading);
    return last === null ? new Map() : ageFacts(last.facts, ageSeconds());
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
  perNode(
    'node_living',
    '1 while the node reports, and 0 after 30 silent seconds, for a day. Absent after the node has left.',
    'living',
  );
  perNode(
    'node_left',
    '1 for a day after the process of the node ended in an orderly way, until it reports again, otherwise 0.',
    'left',
  );
  perNode(
    'node_lag_seconds',
    'Seconds since the oldest change that the node has not applied, by its last report. 1e9 before its first list.',
    'lag',
  );
  perNode('node_failing_zones', 'Zones that the node does not serve as the feed says, by its last report.', 'failing');
  perNode('node_duplicate', '1 while two instances report under the name of the node, otherwise 0.', 'duplicate');
  perNode(
    'node_key_expiry_timestamp_seconds',
    'Unix time at which the key of the node ends. +Inf: it has no end.',
    'keyExpiry',
  );
  metrics.gauge({
    name: 'node_facts_age_seconds',
    help: 'Seconds since the facts about the nodes were read. They grow while the database does not answer, and the last values of the other metrics stay.',
    collect: async (gauge) => {
      await latest();
      gauge.set(ageSeconds());
    },
  });
}

/** Counts the seconds from a change to the report of the node that has applied it. */
export type ApplyObserver = (node: string, seconds: readonly number[]) => void;

/** The names beyond {@link MAX_NODES} share one. */
const OTHER = 'other';

/** Registers the histogram. */
export function observeApplied(metrics: Metrics): ApplyObserver {
  const histogram = metrics.histogram({
    name: 'node_apply_seconds',
    help: 'Seconds from a change of zones, by any protocol, to the report of the node that serves it. A transaction is one change. Nodes report within a second.',
    labels: ['node'],
  });
  const names = new Set<string>();
  return (node, seconds) => {
    if (names.size < MAX_NODES && !names.has(node)) {
      names.add(node);
      histogram.zero({ node });
    }
    const label = names.has(node) ? node : OTHER;
    for (const each of seconds) histogram.observe({ node: label }, Math.max(0, each));
  };
}

function findMin(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.min(...values);
}

function findMax(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}
