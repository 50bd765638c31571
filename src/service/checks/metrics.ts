// Health checks as metrics.
//
//   zonestead_check_targets{state}       addresses in each state; every api process reads them
//   zonestead_check_probes_total{result} probes of this process
//   zonestead_check_changes_total{state} addresses whose state changed
//   zonestead_checks_frozen              1 while most addresses fail at once, so that none becomes unhealthy
//   zonestead_checks_probing             1 in the process that probes
//   zonestead_check_vantage_points       name servers that probe in its place
import { ADDRESS_STATES } from '#base/check-form.ts';
import { type Clock, realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import type { TargetState } from '#store/check-targets.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/** A scrape waits no longer for the database, in ms. */
const READ_MS = 1_000;

export interface CheckerMetrics {
  countProbe(isOk: boolean): void;
  countFlip(state: TargetState): void;
  /** @returns whether it is frozen now and was not before */
  setFrozen(isFrozen: boolean): boolean;
  setHolder(isHolder: boolean): void;
  setVantages(count: number): void;
}

/** @param read the addresses by state */
export function watchChecks(
  metrics: Metrics,
  read: () => Promise<Readonly<Record<TargetState, number>>>,
  clock: Clock = realClock,
): CheckerMetrics {
  let [isFrozen, isHolder] = [false, false];
  let vantages = 0;
  metrics.gauge({
    name: 'check_targets',
    help: 'Addresses that health checks probe, by their state.',
    labels: ['state'],
    collect: async (gauge) => {
      const reading = read().catch(() => null);
      const counts = (await endsWithin(clock, READ_MS, reading)) ? await reading : null;
      gauge.reset();
      if (counts !== null) for (const state of ADDRESS_STATES) gauge.set({ state }, counts[state]);
    },
  });
  const probes = metrics.counter({
    name: 'check_probes_total',
    help: 'Probes of addresses by this process.',
    labels: ['result'],
  });
  const changes = metrics.counter({
    name: 'check_changes_total',
    help: 'Addresses whose state changed, by the new state.',
    labels: ['state'],
  });
  // A rate needs its series from the start.
  for (const result of ['success', 'failure'] as const) probes.inc({ result }, 0);
  for (const state of ADDRESS_STATES) changes.inc({ state }, 0);
  metrics.gauge({
    name: 'checks_frozen',
    help: '1 while most checked addresses fail at once, so that none becomes unhealthy.',
    collect: (gauge) => gauge.set(isFrozen ? 1 : 0),
  });
  metrics.gauge({
    name: 'checks_probing',
    help: '1 in the api process that probes the addresses of health checks.',
    collect: (gauge) => gauge.set(isHolder ? 1 : 0),
  });
  metrics.gauge({
    name: 'check_vantage_points',
    help: 'Name servers that probe the addresses of health checks, in the api process that decides. 0: the api probes.',
    collect: (gauge) => gauge.set(vantages),
  });
  return {
    countProbe: (isOk) => probes.inc({ result: isOk ? 'success' : 'failure' }),
    countFlip: (state) => changes.inc({ state }),
    setFrozen: (value) => {
      const isNew = value && !isFrozen;
      isFrozen = value;
      return isNew;
    },
    setHolder: (value) => {
      isHolder = value;
      if (!value) isFrozen = false;
    },
    setVantages: (count) => {
      vantages = count;
    },
  };
}
