// What the lanes of the dispatchers look like from outside. It must not know what is sent, nor which key is whose: labels
// are lanes, and several keys are summed.
//
//   pace_waiting{lane}                 writes that wait
//   pace_oldest_waiting_seconds{lane}  how long the oldest of them has waited
//   pace_wait_seconds{lane}            histogram: from asking for a write to its first attempt
//   pace_in_flight                     writes being sent
//   pace_paused_until_seconds          Unix time until which a key is paused, the latest of all; 0 when none is
//   pace_paused_zones                  zones paused for being busy
//   pace_pauses_total{scope}           pauses begun or grown: of a key, of a zone
import type { Dispatcher, DispatcherOptions, DispatcherSnapshot } from '../client/dispatcher.ts';
import { LANES, type Lane } from '../client/lanes.ts';
import type { Clock } from '../kube/clock.ts';
import type { Metrics } from '../telemetry/metrics.ts';

export interface PaceMetrics {
  /** The dispatcher, measured from now on. */
  observed(dispatcher: Dispatcher): Dispatcher;
  /** For the dispatcher's options. */
  readonly onPause: NonNullable<DispatcherOptions['onPause']>;
}

/** Registers the metrics; once a registry. */
export function createPaceMetrics(metrics: Metrics, clock: Clock): PaceMetrics {
  const dispatchers = new Set<Dispatcher>();
  const waiting: Record<Lane, Set<{ since: number }>> = { acme: new Set(), change: new Set(), create: new Set() };
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

  perLane('pace_waiting', 'Writes that wait for their turn', (each) => waiting[each].size);
  perLane('pace_oldest_waiting_seconds', 'How long the oldest waiting write has waited', (each) => {
    // A Set keeps the order of insertion.
    const oldest = waiting[each].values().next().value;
    return oldest === undefined ? 0 : (clock.now() - oldest.since) / 1000;
  });
  single('pace_in_flight', 'Writes being sent', (all) => sum(all.map(({ inFlight }) => inFlight)));
  single('pace_paused_until_seconds', 'Unix time until which a key is paused; 0 when none is', (all) =>
    Math.max(0, ...all.map(({ pausedUntil }) => (pausedUntil ?? 0) / 1000)),
  );
  single('pace_paused_zones', 'Zones paused for being busy', (all) =>
    sum(all.map(({ zonePaused }) => zonePaused.size)),
  );
  const waited = metrics.histogram({
    name: 'pace_wait_seconds',
    help: 'From asking for a write to its first attempt',
    labels: lane,
  });
  for (const each of LANES) waited.zero({ lane: each });
  const pauses = metrics.counter({ name: 'pace_pauses_total', help: 'Pauses begun or grown', labels: ['scope'] });
  for (const scope of ['key', 'zone']) pauses.inc({ scope }, 0);

  return {
    onPause: ({ zone }) => pauses.inc({ scope: zone === null ? 'key' : 'zone' }),
    observed: (dispatcher) => {
      dispatchers.add(dispatcher);
      const inLine = async <T>(lane: Lane, ask: (onAttempt: () => void) => Promise<T>): Promise<T> => {
        const place = { since: clock.now() };
        const line = waiting[lane];
        line.add(place);
        const leave = () => {
          if (line.delete(place)) waited.observe({ lane }, (clock.now() - place.since) / 1000);
        };
        try {
          return await ask(leave);
        } finally {
          leave();
        }
      };
      return {
        ...dispatcher,
        submit: (job) => inLine(job.lane, (onAttempt) => dispatcher.submit({ ...job, onAttempt })),
        change: (job) => inLine(job.lane, (onAttempt) => dispatcher.change({ ...job, onAttempt })),
      };
    },
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
