// The work that repeats for as long as the api runs: health checks, the watch of clusters, transfers, leases and the
// retention.
import { realClock } from '#base/clock.ts';
import type { MayProbe } from '#base/probes/allowed.ts';
import { probe } from '#base/probes/probe.ts';
import type { Config } from '#config.ts';
import type { TargetTimes } from '#nameserver/resolver/targets.ts';
import { runChecker } from '#service/checks/checker.ts';
import { watchChecks } from '#service/checks/metrics.ts';
import { runClusterWatch } from '#service/clusters/watch.ts';
import type { ServiceContext } from '#service/context.ts';
import { watchEncryption } from '#service/encryption/watch.ts';
import { watchKeyRolls } from '#service/key-rolls/metrics.ts';
import { runKeyRolls } from '#service/key-rolls/rounds.ts';
import { runTransferDecisions } from '#service/nodes/transfers.ts';
import { createLeaseMetrics, overdueLease, runLeases } from '#service/owners/leases.ts';
import { runRetention } from '#service/retention.ts';
import { countRetention } from '#service/retention-metrics.ts';
import { runReverse } from '#service/reverse/rounds.ts';
import { sizesOf, watchSizes } from '#service/usage-metrics.ts';
import { countTargetStates } from '#store/check-targets.ts';
import type { WatchTimes } from '#store/cluster-watch.ts';
import { countStoredKeys } from '#store/encryption.ts';
import { oldestRollStep } from '#store/zone-keys.ts';
import type { ApiParts, Telemetry } from './parts.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

export interface RoundTimes {
  /** The time between two rounds of the retention, in ms. */
  retentionEveryMs: number;
  /** When a silent cluster is lost. (Default: see service/clusters/watch.ts.) */
  clusterTimes: WatchTimes | undefined;
  /** The times of the lookups of targets. (Default: those of ZONESTEAD_DANGLING_HOURS.) */
  targetTimes: TargetTimes | undefined;
}

/** @returns promises that resolve after the signal has aborted; none for a service that takes no changes */
export function runRounds(
  context: ServiceContext,
  config: Config<(typeof COMPOSE_SETTINGS)[number]>,
  { log, metrics }: Pick<Telemetry, 'log' | 'metrics'>,
  { retentionEveryMs, clusterTimes, targetTimes }: RoundTimes,
  parts: Pick<ApiParts, 'targets'> & { mayProbe: MayProbe },
  signal: AbortSignal,
): Promise<void>[] {
  const { db, now, readOnly } = context;
  const retention = {
    historyMs: config.ZONESTEAD_HISTORY_DAYS * DAY_MS,
    historyBytes: config.ZONESTEAD_HISTORY_BYTES,
    answersMs: config.ZONESTEAD_IDEMPOTENCY_HOURS * HOUR_MS,
  };
  const times = clusterTimes ? { times: clusterTimes } : {};
  const leaseMetrics = createLeaseMetrics(metrics, overdueLease(db, now), now);
  const limits = { bytes: config.ZONESTEAD_QUOTA_BYTES, historyBytes: config.ZONESTEAD_HISTORY_BYTES };
  watchSizes(metrics, sizesOf(db, limits, now), config.ZONESTEAD_DATABASE_VOLUME);
  const onRound = countRetention(metrics);
  watchKeyRolls(metrics, () => oldestRollStep(db), now);
  watchEncryption({ metrics, log, keyring: context.keyring, now }, () => countStoredKeys(db));
  const checkMetrics = watchChecks(metrics, () => countTargetStates(db));
  if (readOnly !== undefined) {
    log.warn({ reason: readOnly }, 'the service takes no changes, because ZONESTEAD_READ_ONLY is set');
    return [];
  }
  const everyMs = config.ZONESTEAD_DANGLING_HOURS * HOUR_MS;
  const lookups = targetTimes ?? { everyMs, confirmMs: HOUR_MS };
  const checks = {
    ...{ db, log, probe, clock: realClock, metrics: checkMetrics },
    mayProbe: parts.mayProbe,
    announce: () => context.commits?.announce(),
  };
  return [
    ...(lookups.everyMs === 0 ? [] : [parts.targets({ db, log, metrics }, lookups, signal)]),
    runChecker(checks, signal),
    runClusterWatch({ ...context, log, clock: realClock, ...times }, signal),
    runReverse(context, { log }, signal),
    runKeyRolls(context, log, signal),
    runTransferDecisions(db, realClock, log, signal),
    runLeases(context, { log, metrics: leaseMetrics }, signal),
    runRetention({ db, log, settings: retention, now, everyMs: retentionEveryMs, onRound }, signal),
  ];
}
