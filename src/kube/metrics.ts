// The metrics of this room, named as in controller-runtime and client-go, with the product's prefix. Every series of a
// controller, queue or cache exists at zero from its creation.
import { countCalls } from '#telemetry/calls.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { CallObserver } from './api/transport.ts';
import type { ReflectorObserver } from './cache/reflector.ts';
import type { ControllerObserver, ReconcileOutcome } from './controller/controller.ts';
import type { QueueObserver, QueueStats, WorkQueue } from './controller/queue.ts';
import type { Election } from './leader/election.ts';

export interface KubeMetrics {
  readonly calls: CallObserver;
  controller(name: string, concurrency: number): ControllerObserver;
  /** Counts for the queue; `follow` sets the queue whose depths are read at each scrape. */
  queue(name: string): QueueObserver;
  follow(queue: WorkQueue): void;
  cache(name: string, size: () => number): ReflectorObserver;
  /** Events that were not sent: the queue was full, one object had too many, or the server did not accept them. */
  eventDropped(why: EventDrop): void;
}

export type EventDrop = 'queue_full' | 'too_many' | 'refused' | 'stopped';

const CODES = ['200', '201', '400', '401', '403', '404', '409', '410', '422', '429', '500', '503'];
const OUTCOMES: readonly ReconcileOutcome[] = ['success', 'requeue_after', 'error'];
const DROPS: readonly EventDrop[] = ['queue_full', 'too_many', 'refused', 'stopped'];

/** Registers the metrics. To be called once per registry. */
export function createKubeMetrics(metrics: Metrics): KubeMetrics {
  return {
    calls: countCalls(metrics, { prefix: 'kube', title: 'the API server', codes: CODES }),
    controller: countControllers(metrics),
    ...countQueues(metrics),
    cache: countCaches(metrics),
    eventDropped: countEvents(metrics),
  };
}

/** Registers the leadership metrics; without an election this process is the leader. */
export function countLeadership(metrics: Metrics, election: Pick<Election, 'leads' | 'terms'> | undefined): void {
  metrics.gauge({
    name: 'leader',
    help: '1 if this process is the leader, 0 if not.',
    collect: (gauge) => gauge.set(election === undefined || election.leads() ? 1 : 0),
  });
  metrics.counter({
    name: 'leader_terms_total',
    help: 'Number of times that this process became the leader.',
    collect: () => election?.terms() ?? 1,
  });
}

function countControllers(metrics: Metrics): KubeMetrics['controller'] {
  const labels = ['controller'] as const;
  const total = metrics.counter({
    name: 'controller_reconcile_total',
    help: 'Reconciles, by result.',
    labels: ['controller', 'result'],
  });
  const errors = metrics.counter({
    name: 'controller_reconcile_errors_total',
    help: 'Reconciles that threw an error.',
    labels,
  });
  const terminal = metrics.counter({
    name: 'controller_terminal_reconcile_errors_total',
    help: 'Reconciles that failed with an error that the controller does not retry.',
    labels,
  });
  const timeouts = metrics.counter({
    name: 'controller_reconcile_timeouts_total',
    help: 'Reconciles that exceeded their time limit.',
    labels,
  });
  const seconds = metrics.histogram({
    name: 'controller_reconcile_time_seconds',
    help: 'Seconds that one reconcile takes.',
    labels,
  });
  const most = metrics.gauge({
    name: 'controller_max_concurrent_reconciles',
    help: 'Workers of the controller: the most reconciles at once.',
    labels,
  });
  const active = metrics.gauge({
    name: 'controller_active_workers',
    help: 'Workers that are busy with a reconcile.',
    labels,
  });
  return (controller, concurrency) => {
    for (const result of OUTCOMES) total.inc({ controller, result }, 0);
    for (const counter of [errors, terminal, timeouts]) counter.inc({ controller }, 0);
    seconds.zero({ controller });
    most.set({ controller }, concurrency);
    active.set({ controller }, 0);
    return {
      started: () => active.inc({ controller }),
      finished: (result, duration) => {
        active.dec({ controller });
        total.inc({ controller, result });
        if (result === 'error') errors.inc({ controller });
        seconds.observe({ controller }, duration);
      },
      terminal: () => terminal.inc({ controller }),
      timedOut: () => timeouts.inc({ controller }),
    };
  };
}

function countQueues(metrics: Metrics): Pick<KubeMetrics, 'queue' | 'follow'> {
  const labels = ['name'] as const;
  const queues = new Set<WorkQueue>();
  const adds = metrics.counter({ name: 'workqueue_adds_total', help: 'Keys that were added to the queue.', labels });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Keys that were added to the queue again after a failure.',
    labels,
  });
  const waitHistogram = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Seconds that a key waited in the queue for a worker.',
    labels,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Seconds that a worker spent on a key.',
    labels,
  });
  const addGauge = (name: string, help: string, value: (stats: QueueStats) => number): void => {
    metrics.gauge({
      name,
      help,
      labels,
      collect: (gauge) => {
        for (const queue of queues) gauge.set({ name: queue.name }, value(queue.stats()));
      },
    });
  };
  addGauge('workqueue_depth', 'Keys that wait in the queue for a worker.', (stats) => stats.waiting);
  addGauge(
    'workqueue_waiting_groups',
    'Groups with keys that wait in the queue for a worker; in the operator, a group is a namespace.',
    (stats) => stats.waitingGroups,
  );
  addGauge('workqueue_delayed', 'Keys that will be added to the queue at a later time.', (stats) => stats.delayed);
  addGauge(
    'workqueue_unfinished_work_seconds',
    'Seconds that all reconciles in progress have taken so far.',
    (stats) => stats.unfinishedSeconds,
  );
  addGauge(
    'workqueue_longest_running_processor_seconds',
    'Seconds that the longest reconcile in progress has taken so far.',
    (stats) => stats.longestRunningSeconds,
  );
  return {
    follow: (queue) => void queues.add(queue),
    queue: (name) => {
      for (const counter of [adds, retries]) counter.inc({ name }, 0);
      for (const histogram of [waitHistogram, worked]) histogram.zero({ name });
      return {
        added: () => adds.inc({ name }),
        retried: () => retries.inc({ name }),
        waited: (seconds) => waitHistogram.observe({ name }, seconds),
        worked: (seconds) => worked.observe({ name }, seconds),
      };
    },
  };
}

function countCaches(metrics: Metrics): KubeMetrics['cache'] {
  const sizes = new Map<string, () => number>();
  const lists = metrics.counter({
    name: 'cache_lists_total',
    help: 'Lists that the cache read from the API server.',
    labels: ['cache'],
  });
  const watches = metrics.counter({
    name: 'cache_watches_total',
    help: 'Watches of the API server that ended: closed by the server, failed, or with data that the cache could not use (corrupt).',
    labels: ['cache', 'end'],
  });
  const events = metrics.counter({
    name: 'cache_watch_events_total',
    help: 'Watch events that the cache received from the API server.',
    labels: ['cache'],
  });
  metrics.gauge({
    name: 'cache_objects',
    help: 'Objects in the cache.',
    labels: ['cache'],
    collect: (gauge) => {
      for (const [cache, size] of sizes) gauge.set({ cache }, size());
    },
  });
  return (cache, size) => {
    sizes.set(cache, size);
    for (const counter of [lists, events]) counter.inc({ cache }, 0);
    for (const end of ['closed', 'failed', 'corrupt']) watches.inc({ cache, end }, 0);
    return {
      listed: () => lists.inc({ cache }),
      watchEnded: (end) => watches.inc({ cache, end }),
      event: () => events.inc({ cache }),
    };
  };
}

function countEvents(metrics: Metrics): KubeMetrics['eventDropped'] {
  const droppedCounter = metrics.counter({
    name: 'events_dropped_total',
    help: 'Events that the process did not send: the queue was full (queue_full), an object had too many (too_many), the API server did not accept them (refused), or the process stopped.',
    labels: ['reason'],
  });
  for (const reason of DROPS) droppedCounter.inc({ reason }, 0);
  return (reason) => droppedCounter.inc({ reason });
}
