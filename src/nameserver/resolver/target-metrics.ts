// The metrics of the lookups of targets. Every api process has the same gauges, from the database.
//
//   zonestead_dangling_names{missing}                targets that do not exist: the name alone, or its domain too
//   zonestead_record_targets{state}                  targets of records: exists, missing, unknown
//   zonestead_record_target_lookups_total{result}    lookups, by result: exists, absent, unknown, private
import type { Db } from '#store/database.ts';
import { countRecordTargets } from '#store/record-targets.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { TargetOutcome } from './target-plan.ts';

export interface TargetMetrics {
  count(result: TargetOutcome['found']): void;
  /** Reads the gauges. */
  refresh(db: Db): Promise<void>;
}

export function createTargetMetrics(metrics: Metrics): TargetMetrics {
  const lookups = metrics.counter({
    name: 'record_target_lookups_total',
    help: 'Lookups of the targets of records, which find dangling names, by result; private: the name is not asked for.',
    labels: ['result'],
  });
  for (const result of ['exists', 'absent', 'unknown', 'private']) lookups.inc({ result }, 0);
  const dangling = metrics.gauge({
    name: 'dangling_names',
    help: 'Targets of records that are known not to exist, by whether the name is missing or its whole domain. From the database, so every api process has the same value.',
    labels: ['missing'],
  });
  for (const missing of ['name', 'domain']) dangling.set({ missing }, 0);
  const targets = metrics.gauge({
    name: 'record_targets',
    help: 'Targets of CNAME, MX, NS, SRV and ALIAS records, by state: unknown until a lookup had a result and an absence is confirmed. From the database, so every api process has the same value.',
    labels: ['state'],
  });
  for (const state of ['exists', 'missing', 'unknown']) targets.set({ state }, 0);
  return {
    count: (result) => lookups.inc({ result }),
    refresh: async (db) => {
      const { exists, unknown, name, domain } = await countRecordTargets(db);
      dangling.set({ missing: 'name' }, name);
      dangling.set({ missing: 'domain' }, domain);
      targets.set({ state: 'exists' }, exists);
      targets.set({ state: 'missing' }, name + domain);
      targets.set({ state: 'unknown' }, unknown);
    },
  };
}
