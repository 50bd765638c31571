// The metrics of the dispatchers and their lanes. Labels are lanes; the values of several API keys are summed.
//
//   pace_waiting{lane}                   writes that wait
//   pace_waiting_namespaces              namespaces that want to write, counted once for each API key
//   pace_oldest_waiting_seconds{lane}    how long the oldest waiting write has waited
//   pace_wait_duration_seconds{lane}     histogram: from the request for a write to its first attempt
//   pace_writes_in_flight                writes in progress
//   pace_paused_until_timestamp_seconds  Unix time at which the last paused key may write again; 0 when no key is
//                                        paused
//   pace_paused_zones                    zones that are paused because they are busy
//   pace_pauses_total{scope}             pauses that began or were extended: of a key, of a zone

import type { Clock } from '#base/clock.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { Dispatcher, DispatcherOptions, DispatcherSnapshot } from './dispatcher.ts';
import { LANES, type Lane } from './waiting.ts';

export interface PaceMetrics {
  /** Returns the dispatcher with metrics. */
  observed(dispatcher: Dispatcher): Dispatcher;
  /** The callback for the options of the dispatcher. */
  readonly onPause: NonNullable<DispatcherOptions['onPause']>;
}

/** Registers the metrics. Call it once per registry. */
export function createPaceMetrics(metrics: Metrics, clock: Clock): PaceMetrics {
  const dispatchers = new Set<Dispatcher>();
  const waitersByLane: Record<Lane, Set<{ since: number }>> = { acme: new Set(), change: new Set(), create: new Set() };
  const states = (): DispatcherSnapshot[] => [...dispatchers].map((dispatcher) => dispatcher.state());
  const lane = ['lane'] as const;
  const perLane = (name: string, help: string, value: (lane: Lane) => number) =>
    metrics.gauge({
      name,
      help,
      labels: lane,
      collect: (gauge) => {
        for (const each of LANES) gauge.set({ lane: each }, value(each));
      },
    });
  const single = (name: string, help: string, value: (states: DispatcherSnapshot[]) => number) =>
    metrics.gauge({ name, help, collect: (gauge) => gauge.set(value(states())) });

  perLane('pace_waiting', 'Writes that wait in each lane.', (each) => waitersByLane[each].size);
  perLane('pace_oldest_waiting_seconds', 'Seconds that the oldest waiting write of each lane has waited.', (each) => {
    // A Set keeps its entries in the order of insertion.
    const oldest = waitersByLane[each].values().next().value;
    return oldest === undefined ? 0 : (clock.now() - oldest.since) / 1000;
  });
  single(
    'pace_waiting_namespaces',
    'Namespaces whose writes wait for their turn or for the write limit; each API key counts its own.',
    (all) => sum(all.map(({ groups }) => groups)),
  );
  single('pace_writes_in_flight', 'Writes in progress.', (all) => sum(all.map(({ inFlight }) => inFlight)));
  single(
    'pace_paused_until_timestamp_seconds',
    'Unix time at which the last paused API key may write again, 0 while no key is paused.',
    (all) => Math.max(0, ...all.map(({ pausedUntil }) => (pausedUntil ?? 0) / 1000)),
  );
  single('pace_paused_zones', 'Zones whose writes are paused because the zone is busy.', (all) =>
    sum(all.map(({ zonePaused }) => zonePaused.size)),
  );
  const waitHistogram = metrics.histogram({
    name: 'pace_wait_duration_seconds',
    help: 'Seconds from the request for a write to its first attempt.',
    labels: lane,
  });
  for (const each of LANES) waitHistogram.zero({ lane: each });
  const pauses = metrics.counter({
    name: 'pace_pauses_total',
    help: 'Pauses that began or were extended, of an API key or of a zone.',
    labels: ['scope'],
  });
  for (const scope of ['key', 'zone']) pauses.inc({ scope }, 0);

  return {
    onPause: ({ zone }) => pauses.inc({ scope: zone === null ? 'key' : 'zone' }),
    observed: (dispatcher) => {
      dispatchers.add(dispatcher);
      const measure = async <T>(lane: Lane, ask: (onAttempt: () => void) => Promise<T>): Promise<T> => {
        const place = { since: clock.now() };
        const line = waitersByLane[lane];
        line.add(place);
        const leave = () => {
          if (line.delete(place)) waitHistogram.observe({ lane }, (clock.now() - place.since) / 1000);
        };
        try {
          return await ask(leave);
        } finally {
          leave();
        }
      };
      return {
        submit: (job) => measure(job.lane, (onAttempt) => dispatcher.submit({ ...job, onAttempt })),
        apply: (job) => measure(job.lane, (onAttempt) => dispatcher.apply({ ...job, onAttempt })),
        hold: (queue) => dispatcher.hold(queue),
        retryTime: (lane, queue) => dispatcher.retryTime(lane, queue),
        state: () => dispatcher.state(),
      };
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
