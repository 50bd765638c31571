// Looks up the targets of records, slowly, to find those that do not exist: a person who can create such a name takes
// over the name of the record. It changes no answer. target-plan.ts decides the effect of a lookup.
//
// A target in a zone of the record's own team is judged by the rows of that zone. Any other target is judged by DNS
// alone, also if another team has its zone here: the result tells no more about that zone than a query.
import type { Logger } from 'pino';
import { Limit } from '#base/limit.ts';
import { listSuffixes } from '#dns/names/name.ts';
import { plainName } from '#dns/names/plain.ts';
import { isPrivateUse } from '#dns/names/private-use.ts';
import { registrableDomain } from '#dns/names/public-suffix.ts';
import type { Db } from '#store/database.ts';
import { hostedZone, type OwnedTarget } from '#store/due-targets.ts';
import { lookUpHostedName } from '#store/hosted-names.ts';
import { type DueRecordTarget, keepTargetState, takeRecordTargets, walkTargets } from '#store/record-targets.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { runDueTargets } from './due-worker.ts';
import { type IsTrustedName, type Resolve, ResolveFailure } from './resolver.ts';
import { createTargetMetrics } from './target-metrics.ts';
import { type LookupTimes, planTarget, type TargetOutcome } from './target-plan.ts';
import { trustWithin } from './trusted-names.ts';

export interface TargetTimes extends LookupTimes {
  /** The time between two queries for due targets, in ms. (Default: 2000.) */
  readonly pollMs?: number;
  /** The time between two walks through the targets of all records, in ms. (Default: ten minutes.) */
  readonly walkMs?: number;
}

export interface TargetOptions {
  db: Db;
  resolve: Resolve;
  log: Logger;
  metrics: Metrics;
  /** Top-level names of private networks, which the resolvers need not know. */
  privateTlds: ReadonlySet<string>;
  times: TargetTimes;
  /** Unix time in ms. */
  now(): number;
}

/** Lookups at once in one process, and for one owner. Those that begin together are for different domains. */
const AT_ONCE = 16;
const EACH = 4;
/** The limit of one lookup, which is one question or two. */
const LOOKUP_MS = 5_000;
/** When a replica has died, another one takes its target, or its step of the walk, after this time. */
const LEASE_MS = 60_000;
const POLL_MS = 2_000;
/** A step of the walk reads so many records, and takes a few milliseconds. */
const STEP = { rows: 2_000, stepMs: 1_000 };
const WALK_MS = 10 * 60 * 1_000;
/** The gauges are read this often, in ms. */
const COUNT_MS = 60_000;

/** Looks up targets until the signal aborts. */
export function runTargetLookups(options: TargetOptions, signal: AbortSignal): Promise<void> {
  const { db, log, now, times } = options;
  const { pollMs = POLL_MS, walkMs = WALK_MS } = times;
  const metrics = createTargetMetrics(options.metrics);
  const refresh = async (target: DueRecordTarget, end: AbortSignal) => {
    const outcome = await lookUpTarget(options, target, AbortSignal.any([end, AbortSignal.timeout(LOOKUP_MS)]));
    // A shutdown is not a result.
    if (end.aborted) return;
    await keepTargetState(db, target, planTarget(target, outcome, times));
    metrics.count(outcome.found);
  };
  const walk = { ...STEP, restMs: walkMs, leaseMs: LEASE_MS, domainOf };
  let countAt = 0;
  const work = {
    targets: 'targets of records',
    meanwhile: 'the list of dangling names stays as it is',
    limit: new Limit({ permits: AT_ONCE, share: EACH }),
    atOnce: AT_ONCE,
    each: EACH,
    leaseMs: LEASE_MS,
    pollMs,
    sweepMs: Math.min(STEP.stepMs, walkMs),
    sweep: async () => {
      await walkTargets(db, walk);
      if (now() < countAt) return;
      await metrics.refresh(db);
      countAt = now() + Math.min(COUNT_MS, walkMs);
    },
    take: takeRecordTargets,
    refresh,
  };
  return runDueTargets(work, { db, log, now }, signal);
}

/** The domain that a target is counted for; null: the target is not looked up. */
function domainOf(target: string): string | null {
  const name = plainName(target);
  // A null MX (RFC 7505), and an SRV record of a service that is not offered (RFC 2782).
  return name === '' ? null : registrableDomain(name);
}

async function lookUpTarget(
  { db, resolve, privateTlds }: TargetOptions,
  { target, owner }: OwnedTarget,
  signal: AbortSignal,
): Promise<TargetOutcome> {
  const name = plainName(target);
  const zone = await hostedZone(db, listSuffixes(name));
  if (zone !== null && zone.owner === owner) {
    const hosted = await lookUpHostedName(db, zone, name.slice(0, -zone.name.length - 1) || '@');
    if (hosted === 'exists') return { found: 'exists' };
    if (hosted === 'absent') return { found: 'absent', name, isDomainAbsent: false };
  }
  if (isPrivateUse(name, privateTlds)) return { found: 'private' };
  const isTrusted = trustWithin(db, owner);
  try {
    // An answer without addresses tells that the name exists, as any type does.
    const { exists, end } = await resolve(name, 'A', signal, isTrusted);
    if (exists) return { found: 'exists' };
    const domain = registrableDomain(end);
    const isDomainAbsent = domain === end || (await isAbsent(resolve, domain, signal, isTrusted));
    return { found: 'absent', name: end, isDomainAbsent };
  } catch (error) {
    if (error instanceof ResolveFailure) return { found: 'unknown', problem: error.message };
    if (signal.aborted) return { found: 'unknown', problem: 'the resolver does not answer in time' };
    throw error;
  }
}

/** Whether a registrable domain provably does not exist. */
async function isAbsent(
  resolve: Resolve,
  domain: string,
  signal: AbortSignal,
  isTrusted: IsTrustedName,
): Promise<boolean> {
  try {
    return !(await resolve(domain, 'NS', signal, isTrusted)).exists;
  } catch (error) {
    if (error instanceof ResolveFailure || signal.aborted) return false;
    throw error;
  }
}
