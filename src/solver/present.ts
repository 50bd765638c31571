// Present: finds the zone that covers the name and permits the tenant, creates a DNSRecord with the value, and answers
// when every name server serves it. A text stays the same while the situation does: cert-manager resyncs at once when
// it changes.

import { sleep } from '#base/wait.ts';
import { parseOwnerName } from '#dns/names/name.ts';
import { isAlreadyExists, isNotFound, KubeError } from '#kube/api/errors.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { awaitReady } from './await-ready.ts';
import { isUnwanted, RECORDS_BY_ZONE, ZONES_BY_NAME } from './caches.ts';
import type { Tenant } from './challenge.ts';
import type { SolverContext } from './context.ts';
import { acmeRefusal, formatZoneTitle } from './grant.ts';
import type { ChallengeRequest, SolverOutcome } from './payload.ts';
import { challengeRecord, isOurs, readSolverConfig } from './record.ts';
import { shadowedWildcard } from './shadow.ts';
import { findTenant } from './tenant.ts';
import { matchZone, wholeName, type ZoneMatch } from './zone-match.ts';

const POLL_MS = 50;
const fail = (message: string): SolverOutcome => ({ success: false, message });

/** @param signal aborts at the time limit; the answer then says what is missing */
export async function present(
  context: SolverContext,
  request: ChallengeRequest,
  signal: AbortSignal,
): Promise<SolverOutcome> {
  const { zones, namespaces } = context.caches;
  if (!(await until(context, () => zones.hasSynced() && namespaces.hasSynced(), signal))) {
    return fail(
      'The solver has not read the DNSZones of the cluster yet: it cannot reach kube-apiserver, or may not list them',
    );
  }
  const match = matchZone(request.resolvedFQDN, (name) => zones.byIndex(ZONES_BY_NAME, name));
  if (match === undefined) {
    return fail(`No DNSZone of this cluster covers ${request.resolvedFQDN}; create one, or use another solver for it`);
  }
  const verdict = await findTenant(context, request, signal);
  if ('refused' in verdict) return fail(verdict.refused);
  const { tenant } = verdict;
  const refusal = acmeRefusal(match, tenant.namespace, (name) => findLabels(context, name));
  if (refusal !== null) return fail(refusal);
  const shadow = judgeShadow(context, match);
  if (shadow !== null) return fail(shadow);
  const { unknown } = readSolverConfig(request.config);
  if (unknown.length > 0)
    context.log.warn({ unknown, dnsName: request.dnsName }, 'webhook.config has unknown fields; they have no effect');
  return put(context, request, match, tenant, signal);
}

/** Undefined for a namespace that does not exist: no selector matches it. */
function findLabels({ caches }: SolverContext, name: string): Readonly<Record<string, string>> | undefined {
  const namespace = caches.namespaces.get(name);
  return namespace && (namespace.metadata.labels ?? {});
}

/** @returns null if the challenge stops no wildcard, or the zone's owner permits that */
function judgeShadow(context: SolverContext, match: ZoneMatch): string | null {
  const { zone, relative, zoneName } = match;
  const there = context.caches.records
    .byIndex(RECORDS_BY_ZONE, keyOf(zone))
    .filter(({ status }) => !isUnwanted(status));
  const ownedNames = there.flatMap(({ spec }) => {
    const parsed = parseOwnerName(spec.name, zoneName, spec.type);
    return parsed.ok ? [parsed.value] : [];
  });
  const shadowed = shadowedWildcard(relative, ownedNames);
  if (shadowed === undefined) return null;
  const name = `${shadowed.name}.${zoneName}`;
  const wildcard = `${shadowed.wildcard}.${zoneName}`;
  const what = `${wildcard} answers for ${name}, and a challenge at ${wholeName(match)} would end that (RFC 4592)`;
  if (zone.spec.acme?.wildcardShadowing === 'Warn') {
    context.events.record(zone, { type: 'Warning', reason: 'WildcardShadowed', action: 'Present', note: `${what}.` });
    return null;
  }
  return (
    `${what}; ask for a certificate of ${wildcard} instead (its challenge affects no other name), give ${name} records of its ` +
    `own, or set spec.acme.wildcardShadowing to Warn in ${formatZoneTitle(zone)}`
  );
}

async function put(
  context: SolverContext,
  request: ChallengeRequest,
  match: ZoneMatch,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<SolverOutcome> {
  let namespace = tenant.namespace || (match.zone.metadata.namespace ?? '');
  for (;;) {
    const draft = challengeRecord(request, match, tenant, namespace, context.now());
    const title = `DNSRecord ${namespace}/${draft.metadata.name}`;
    if (signal.aborted) return fail(`${title} is still being removed`);
    let record: DNSRecord | undefined;
    try {
      record = await createOrGet(context, draft, signal);
      if (record !== undefined && isInFormerZone(record, draft)) {
        await context.api.delete(DNS_RECORD, record.metadata, { uid: record.metadata.uid }, signal);
        continue;
      }
    } catch (error) {
      // The tenant has no namespace in this cluster: cert-manager may run in another cluster, as its own test suite
      // does.
      if (isNotFound(error) && namespace !== match.zone.metadata.namespace) {
        namespace = match.zone.metadata.namespace ?? '';
        continue;
      }
      context.log.warn({ err: error, record: title }, 'failed to write a challenge record');
      return fail(`${title} cannot be written: ${whyNot(error)}`);
    }
    // The record was deleted between our two requests: create it again.
    if (record === undefined) continue;
    if (!isOurs(record) || record.spec.content !== request.key) {
      return fail(`${title} exists and is not the solver's; delete it`);
    }
    if (record.metadata.deletionTimestamp !== undefined) {
      // The DNS service has not finished the last CleanUp.
      await until(
        context,
        () => context.caches.records.get(keyOf(record))?.metadata.uid !== record.metadata.uid,
        signal,
      );
      continue;
    }
    const progress = await awaitReady(context.api, context.caches.records, record, context.clock, signal);
    if (progress.state === 'ready') return { success: true };
    if (progress.state === 'gone') return fail(`${title} was deleted while the solver waited for it`);
    return fail(`${title} is not live yet: ${progress.missing}`);
  }
}

async function createOrGet(context: SolverContext, draft: ReturnType<typeof challengeRecord>, signal: AbortSignal) {
  try {
    return await context.api.create<DNSRecord>(DNS_RECORD, draft, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name = '' } = draft.metadata;
    try {
      return await context.api.get<DNSRecord>(DNS_RECORD, { namespace, name }, signal);
    } catch (readError) {
      if (isNotFound(readError)) return undefined;
      throw readError;
    }
  }
}

/** The name has moved to another DNSZone since the record was made: the old zone would never serve it. */
function isInFormerZone(record: DNSRecord, draft: ReturnType<typeof challengeRecord>): boolean {
  const { spec, metadata } = record;
  if (!isOurs(record) || metadata.deletionTimestamp !== undefined) return false;
  const { zoneRef, name } = draft.spec as DNSRecord['spec'];
  return spec.name !== name || spec.zoneRef.name !== zoneRef.name || spec.zoneRef.namespace !== zoneRef.namespace;
}

/**
 * A refusal in the API server's own words, which name the missing right. Other failures without the parts that change.
 */
function whyNot(error: unknown): string {
  if (!(error instanceof KubeError)) return 'no answer in time';
  return error.status === 403 || error.status === 422 ? `${error.reason}: ${error.message}` : error.reason;
}

/** @returns false when the signal aborted first */
async function until(context: SolverContext, check: () => boolean, signal: AbortSignal): Promise<boolean> {
  while (!check()) {
    if (signal.aborted) return false;
    await sleep(context.clock, POLL_MS, signal).catch(() => undefined);
  }
  return true;
}
