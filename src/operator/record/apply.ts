// "Exactly these values are mine": the only way of the reconciler of records to the values at the service.

import { sendSet } from '#client/pace/send.ts';
import type { Lane } from '#client/pace/waiting.ts';
import type { AppliedSet } from '#client/pace/writer.ts';
import type { DnsRecord } from '#contract/record.ts';
import { parseRdata } from '#dns/types/index.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { isChallenge } from '#resources/challenge.ts';
import { isInOwnNamespace, zoneKeyOf } from '#resources/zone-ref.ts';
import { requireCluster } from '../access/context.ts';
import type { ServiceConnection } from '../access/credentials.ts';
import { isDriftReported } from '../run/conditions.ts';
import type { RecordRun } from '../run/run.ts';
import { type Desired, type DriftPolicy, identityOf, type ReadyZone } from './desired.ts';
import { buildSetChange, textOfSet } from './owner.ts';
import { releaseAt, wakeContested } from './release.ts';
import type { JudgedReverse } from './reverse.ts';

export interface Applied {
  /** Descriptions of the changes of other clients since the spec was applied. */
  readonly drift: readonly string[];
  /** Whether records in DNS changed. */
  readonly hasWritten: boolean;
  /** The set was applied, but no name server has proven it yet: the next run only looks there. */
  readonly unproven: () => void;
}

/**
 * Applies the values of the object with their check and the wishes for PTR records, and releases what it has in other
 * zones.
 * @throws errors of the service; a refusal has changed nothing, and after any other error the next call continues
 */
export async function applyValues(
  run: RecordRun,
  service: ServiceConnection,
  { zoneId, policies }: ReadyZone,
  desired: Desired,
  checkName: string | undefined,
  reverse: readonly JudgedReverse[] | null,
): Promise<Applied> {
  const { context, object } = run;
  const { held } = context;
  const [key, zoneKey] = [keyOf(object), zoneKeyOf(object)];
  // An older object may refer to another zone than the newer one did.
  const mayRelease = context.isEtcdRestored(context.zones.get(zoneKey)) === false;
  for (const place of held.at(key))
    if (mayRelease && place.zoneId !== zoneId) await releaseAt(context, key, place, run.call);
  // Before the request: its answer may be lost.
  held.put(key, { zoneId, zoneKey });
  const isNew = object.status?.observedGeneration === undefined;
  const lane: Lane = isChallenge(object) ? 'acme' : isNew ? 'create' : 'change';
  const isProgrammed = isTrue(object.status?.conditions, 'Programmed', object.metadata.generation);
  const wasStored = isProgrammed && object.status?.zoneId === zoneId;
  const set = buildSetChange(object, requireCluster(context), desired, policies, wasStored, checkName, reverse);
  const text = textOfSet(zoneId, set);
  const markUnproven = () => held.confirm(key, text);
  if (held.takeConfirmed(key, text) && isProgrammed) return { drift: [], hasWritten: false, unproven: markUnproven };
  const place = { lane, group: object.metadata.namespace ?? '', zone: zoneId };
  const appliedSet = await sendSet(service.dispatcher, context.clock, { ...place, ...run.call, set });
  context.older.clear(key);
  if (appliedSet.changed && !isNew) wakeContested(context, zoneKey, key);
  const by = held.takeChangedBy(key);
  const drift = driftIn(appliedSet, desired, policies.drift);
  // The keys of a zone are those of its owner, so an Event in another namespace names none.
  if (drift.length > 0 && policies.drift !== 'Ignore')
    report(run, drift, policies.drift, isInOwnNamespace(object) ? by : undefined);
  return { drift, hasWritten: appliedSet.changed, unproven: markUnproven };
}

function report(
  { object, observations, events }: RecordRun,
  drift: readonly string[],
  policy: DriftPolicy,
  by: string | undefined,
): void {
  observations.push({ kind: 'drift', result: 'found' });
  const action = policy === 'Enforce' ? 'Repair' : 'Report';
  const note = drift.join('; ');
  if (!isDriftReported(object.status?.conditions, note))
    events.push({ type: 'Warning', reason: 'Drift', action, note: by === undefined ? note : `${note}, by ${by}` });
}

/** With Ignore, the service lists no changes of others: the records then differ from the values. */
function driftIn(appliedSet: AppliedSet, desired: Desired, policy: DriftPolicy): string[] {
  if (policy !== 'Ignore') return appliedSet.drift.map(describeDrift);
  const there = appliedSet.records.map(identityOfRecord).sort();
  const wantedIdentities = desired.values.map(({ identity }) => identity).sort();
  const hasWantedTtls = desired.values.every(
    ({ ttl }) => ttl === null || appliedSet.records.every((record) => record.ttl === ttl),
  );
  const isSame =
    hasWantedTtls &&
    there.length === wantedIdentities.length &&
    there.every((identity, index) => identity === wantedIdentities[index]);
  return isSame ? [] : ['the values differ from those of the spec'];
}

function describeDrift({ kind, id, content, ttl }: AppliedSet['drift'][number]): string {
  switch (kind) {
    case 'deleted':
      return `${content} was deleted`;
    case 'replaced':
      return `${content} was replaced by another record (${id})`;
    case 'changed':
      return `a value was changed to ${content} (${id})`;
    case 'ttl':
      return `${content} (${id}) has TTL ${ttl}`;
  }
}

/** A record that the operator cannot parse equals no desired value. */
export function identityOfRecord({ id, type, content, priority }: DnsRecord): string {
  const parsed = parseRdata(type, content, priority);
  return parsed.ok ? identityOf(parsed.value.wire) : id;
}
