// The metrics registry of a process: only here do names get the product's prefix. Metrics of the process itself have
// the names that all client libraries give them
// (https://prometheus.io/docs/instrumenting/writing_clientlibs/#process-metrics). Label values must be bounded sets (a
// controller, a result, a status), never object names.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import manifest from '../../package.json' with { type: 'json' };

/** The beginning of every metric name of the product. */
export const METRICS_PREFIX = 'zonestead_';

interface MetricOptions<L extends string> {
  /** Without the prefix. */
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly L[];
}

interface CounterOptions<L extends string> extends MetricOptions<L> {
  /** Returns the total, at each scrape. For a total that another part counts already. */
  readonly collect?: () => number;
}

interface GaugeOptions<L extends string> extends MetricOptions<L> {
  /** Runs at each scrape, which waits for it, and sets the value. */
  readonly collect?: (gauge: Gauge<L>) => void | Promise<void>;
}

export interface Metrics {
  readonly registry: Registry;
  counter<L extends string = never>(options: CounterOptions<L>): Counter<L>;
  gauge<L extends string = never>(options: GaugeOptions<L>): Gauge<L>;
  /** Buckets are in the metric's unit. (Default: 5 ms to 60 s, in seconds.) */
  histogram<L extends string = never>(options: MetricOptions<L> & { buckets?: readonly number[] }): Histogram<L>;
}

interface MetricsOptions {
  readonly processMetrics?: boolean;
  /** The process, for `build_info`. Absent: no such metric. */
  readonly component?: string;
}

/**
 * The event loop's lag is measured by a timer of this interval, which is a part of the values. The default of 10 ms
 * would wake a process at rest a hundred times a second, and take more processor time than everything else that it does
 * then.
 */
const LAG_INTERVAL_MS = 100;
const SECONDS_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/**
 * Makes a registry. Process metrics (CPU, memory, event loop, garbage collection) are on unless `processMetrics` is
 * false, as tests want it. A name registered twice throws.
 */
export function createMetrics(options: MetricsOptions = {}): Metrics {
  const registry = new Registry();
  const { component } = options;
  if (component !== undefined) {
    const labels = ['component', 'version'] as const;
    const info = {
      name: `${METRICS_PREFIX}build_info`,
      help: 'Always 1. The labels give the component that the process runs and its version.',
      labelNames: labels,
    };
    new Gauge({ ...info, registers: [registry] }).set({ component, version: manifest.version }, 1);
  }
  if (options.processMetrics !== false) {
    const eventLoopMonitoringPrecision = LAG_INTERVAL_MS;
    collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  }
  const common = <L extends string>(metric: MetricOptions<L>) => ({
    name: `${METRICS_PREFIX}${metric.name}`,
    help: metric.help,
    labelNames: [...(metric.labels ?? [])],
    registers: [registry],
  });
  const counter = <L extends string>(metric: CounterOptions<L>): Counter<L> => {
    const { collect } = metric;
    if (collect === undefined) return new Counter(common(metric));
    const createdCounter: Counter<L> = new Counter({
      ...common(metric),
      collect: () => {
        createdCounter.reset();
        createdCounter.inc(collect());
      },
    });
    return createdCounter;
  };
  const gauge = <L extends string>(metric: GaugeOptions<L>): Gauge<L> => {
    const { collect } = metric;
    if (collect === undefined) return new Gauge(common(metric));
    const createdGauge: Gauge<L> = new Gauge({ ...common(metric), collect: () => collect(createdGauge) });
    return createdGauge;
  };
  return {
    registry,
    counter,
    gauge,
    histogram: (metric) => new Histogram({ ...common(metric), buckets: [...(metric.buckets ?? SECONDS_BUCKETS)] }),
  };
}
