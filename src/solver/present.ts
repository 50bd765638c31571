// Present: a zone that covers the name and permits the tenant, a DNSRecord with the value, and an answer only when every
// name server serves it. Every text is the same for the same situation: cert-manager resyncs at once when one changes.
import { parseOwnerName } from '../dns/name.ts';
import { sleep } from '../kube/clock.ts';
import { isAlreadyExists, isNotFound, KubeError } from '../kube/errors.ts';
import { keyOf } from '../kube/resource.ts';
import { DNS_RECORD, type DNSRecord } from '../operator/resources/dnsrecord.ts';
import { awaitReady } from './await-ready.ts';
import { BY_ZONE, BY_ZONE_NAME, isUnwanted } from './caches.ts';
import type { Tenant } from './challenge.ts';
import { acmeRefusal, titleOf } from './grant.ts';
import type { House } from './house.ts';
import type { ChallengeRequest, Outcome } from './payload.ts';
import { challengeRecord, isOurs, readSolverConfig } from './record.ts';
import { shadowedWildcard } from './shadow.ts';
import { findTenant } from './tenant.ts';
import { matchZone, wholeName, type ZoneMatch } from './zone-match.ts';

const POLL_MS = 50;
const failed = (message: string): Outcome => ({ success: false, message });

/** @param signal aborts when time is up; then the answer says what is missing */
export async function present(house: House, request: ChallengeRequest, signal: AbortSignal): Promise<Outcome> {
  const { zones, namespaces } = house.caches;
  if (!(await until(house, () => zones.hasSynced() && namespaces.hasSynced(), signal))) {
    return failed(
      'The solver cannot read the DNSZones of the cluster yet: it does not reach kube-apiserver, or may not',
    );
  }
  const match = matchZone(request.resolvedFQDN, (name) => zones.byIndex(BY_ZONE_NAME, name));
  if (match === undefined) {
    return failed(
      `No DNSZone of this cluster covers ${request.resolvedFQDN}; create one, or use another solver for it`,
    );
  }
  const verdict = await findTenant(house, request, signal);
  if ('refused' in verdict) return failed(verdict.refused);
  const { tenant } = verdict;
  const refusal = acmeRefusal(match, tenant.namespace, (name) => labelsOf(house, name));
  if (refusal !== null) return failed(refusal);
  const shadow = judgeShadow(house, match);
  if (shadow !== null) return failed(shadow);
  const { unknown } = readSolverConfig(request.config);
  if (unknown.length > 0)
    house.log.warn({ unknown, dnsName: request.dnsName }, 'fields of webhook.config mean nothing');
  return put(house, request, match, tenant, signal);
}

/** Undefined for a namespace that is not there: a selector never fits it. */
function labelsOf({ caches }: House, name: string): Readonly<Record<string, string>> | undefined {
  const namespace = caches.namespaces.get(name);
  return namespace && (namespace.metadata.labels ?? {});
}

/** @returns null when the challenge takes nothing away, or the zone's owner does not mind */
function judgeShadow(house: House, match: ZoneMatch): string | null {
  const { zone, relative, zoneName } = match;
  const there = house.caches.records.byIndex(BY_ZONE, keyOf(zone)).filter(({ status }) => !isUnwanted(status));
  const owned = there.flatMap(({ spec }) => {
    const parsed = parseOwnerName(spec.name, zoneName, spec.type);
    return parsed.ok ? [parsed.value] : [];
  });
  const shadowed = shadowedWildcard(relative, owned);
  if (shadowed === undefined) return null;
  const name = `${shadowed.name}.${zoneName}`;
  const wildcard = `${shadowed.wildcard}.${zoneName}`;
  const what = `${wildcard} answers for ${name}, and a challenge at ${wholeName(match)} would end that (RFC 4592)`;
  if (zone.spec.acme?.wildcardShadowing === 'Warn') {
    house.events.record(zone, { type: 'Warning', reason: 'WildcardShadowed', action: 'Present', note: `${what}.` });
    return null;
  }
  return (
    `${what}; ask for a certificate of ${wildcard} instead (its challenge shadows nothing), give ${name} records of its ` +
    `own, or set spec.acme.wildcardShadowing to Warn in ${titleOf(zone)}`
  );
}

async function put(
  house: House,
  request: ChallengeRequest,
  match: ZoneMatch,
  tenant: Tenant,
  signal: AbortSignal,
): Promise<Outcome> {
  let namespace = tenant.namespace || (match.zone.metadata.namespace ?? '');
  for (;;) {
    const draft = challengeRecord(request, match, tenant, namespace, house.now());
    const title = `DNSRecord ${namespace}/${draft.metadata.name}`;
    if (signal.aborted) return failed(`${title} is still being removed`);
    let record: DNSRecord | undefined;
    try {
      record = await createOrGet(house, draft, signal);
      if (record !== undefined && isLeftBehind(record, draft)) {
        await house.api.delete(DNS_RECORD, record.metadata, { uid: record.metadata.uid }, signal);
        continue;
      }
    } catch (error) {
      // A tenant without a namespace in this cluster: cert-manager may run in another one, as its own test suite does.
      if (isNotFound(error) && namespace !== match.zone.metadata.namespace) {
        namespace = match.zone.metadata.namespace ?? '';
        continue;
      }
      house.log.warn({ err: error, record: title }, 'a record could not be written');
      return failed(`${title} cannot be written: ${whyNot(error)}`);
    }
    // Deleted between our two looks: make it anew.
    if (record === undefined) continue;
    if (!isOurs(record) || record.spec.content !== request.key) {
      return failed(`${title} exists and is not the solver's; delete it`);
    }
    if (record.metadata.deletionTimestamp !== undefined) {
      // The last CleanUp is not over at the DNS service.
      await until(house, () => house.caches.records.get(keyOf(record))?.metadata.uid !== record.metadata.uid, signal);
      continue;
    }
    const progress = await awaitReady(house.api, house.caches.records, record, house.clock, signal);
    if (progress.state === 'ready') return { success: true };
    if (progress.state === 'gone') return failed(`${title} was deleted while the solver waited for it`);
    return failed(`${title} is not live yet: ${progress.missing}`);
  }
}

async function createOrGet(house: House, draft: ReturnType<typeof challengeRecord>, signal: AbortSignal) {
  try {
    return await house.api.create<DNSRecord>(DNS_RECORD, draft, signal);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name = '' } = draft.metadata;
    try {
      return await house.api.get<DNSRecord>(DNS_RECORD, { namespace, name }, signal);
    } catch (gone) {
      if (isNotFound(gone)) return undefined;
      throw gone;
    }
  }
}

/** The name lies in another DNSZone since it was made: in the one before it would be waited for in vain. */
function isLeftBehind(record: DNSRecord, draft: ReturnType<typeof challengeRecord>): boolean {
  const { spec, metadata } = record;
  if (!isOurs(record) || metadata.deletionTimestamp !== undefined) return false;
  const { zoneRef, name } = draft.spec as DNSRecord['spec'];
  return spec.name !== name || spec.zoneRef.name !== zoneRef.name || spec.zoneRef.namespace !== zoneRef.namespace;
}

/** A refusal in the API server's own words, which name who may not do what; a failure without what changes from call to call. */
function whyNot(error: unknown): string {
  if (!(error instanceof KubeError)) return 'no answer in time';
  return error.status === 403 || error.status === 422 ? `${error.reason}: ${error.message}` : error.reason;
}

/** @returns false when the signal aborted first */
async function until(house: House, check: () => boolean, signal: AbortSignal): Promise<boolean> {
  while (!check()) {
    if (signal.aborted) return false;
    await sleep(house.clock, POLL_MS, signal).catch(() => undefined);
  }
  return true;
}
