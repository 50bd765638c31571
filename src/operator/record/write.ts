// "Make exactly these values mine, and tell me what is owned": the only way of the reconciler of records to the values at the
// service. Behind it are the ledger, the announcement of creations and the finalizer, which nothing outside needs to know.

import { settleAll } from '#base/settle-all.ts';
import type { DnsRecord } from '#client/client.ts';
import { isAbsent } from '#client/errors.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import type { Connection } from '../access/credentials.ts';
import { isDriftReported } from '../run/conditions.ts';
import { addOwnFinalizer } from '../run/objects.ts';
import type { RecordRun } from '../run/run.ts';
import { adoptable } from './adopt.ts';
import { applyPlan, removeValue } from './apply.ts';
import { resolveIntents } from './create.ts';
import { ledgerOf } from './creation-annotation.ts';
import type { Desired } from './desired.ts';
import { type Owned, planRecord, type RecordPlan } from './plan.ts';
import type { Problem } from './problem.ts';

interface Wanted {
  readonly zone: { readonly zoneId: string; readonly zoneName: string; readonly defaultTtl: number };
  readonly desired: Desired;
  /** Enforce reverts and reports changes of other clients, Report reports them, Ignore does neither. */
  readonly driftPolicy: 'Enforce' | 'Report' | 'Ignore';
}

interface Written {
  /** The values that the object owns now. */
  readonly owned: Owned[];
  /** The first refusal of a value, or null. */
  readonly problem: Problem | null;
  /** Descriptions of the changes of other clients since the whole spec was written. */
  readonly drift: readonly string[];
  /** Whether the run has sent a change. */
  readonly hasWritten: boolean;
  /** Whether the service had exactly the values of the ledger, so that an earlier proof by DNS remains valid. */
  readonly wasInSync: boolean;
  /** The TTL of the RRset in seconds: the lowest one of all its records. */
  readonly ttl: number;
}

/**
 * Without `driftPolicy: Enforce`, writes nothing if another client changed the values.
 * @throws errors of the service and of the API server; the next call continues
 */
export async function writeValues(run: RecordRun, service: Connection, wanted: Wanted): Promise<Written> {
  // A new object sends its values without reading first: the service reports conflicts.
  const written = await writeOnce(run, service, wanted, run.object.spec.adopt === 'Never');
  return written ?? ((await writeOnce(run, service, wanted, false)) as Written);
}

/** @param mayGuess whether a new object may write without reading @returns null when the guess was wrong */
async function writeOnce(
  run: RecordRun,
  service: Connection,
  { zone, desired, driftPolicy }: Wanted,
  mayGuess: boolean,
): Promise<Written | null> {
  const { zoneId } = zone;
  const known = ledgerOf(run.object, run.context.seal);
  // A ledger of another zone is void: that zone no longer exists, and neither do its records.
  const ledger = known.zoneId === zoneId ? known.entries : [];
  const isGuess = mayGuess && ledger.length === 0 && run.object.status?.records === undefined;
  // The finalizer precedes the first write; a new object gets it together with the announcement of its creations.
  if (ledger.length > 0) await addOwnFinalizer(run);
  const owned = await resolveIntents(run, service, zoneId, ledger);
  const place = { name: desired.name, type: desired.type };
  const actual = isGuess ? [] : await service.client.records.list(zoneId, place, run.call);
  const others = actual.filter(({ id }) => !owned.some((entry) => entry.id === id));
  const plan = planRecord({
    desired: desired.values,
    owned,
    actual,
    defaultTtl: zone.defaultTtl,
    adoptable: adoptable(run.context, run.object, zone, desired, others),
  });
  const { status, metadata } = run.object;
  // Until the whole spec was written once, a difference is unfinished work of the operator.
  const drift = isTrue(status?.conditions, 'Programmed', metadata.generation) ? plan.drift : [];
  const count = plan.create.length + plan.update.length + plan.remove.length;
  const wasInSync = count + plan.drift.length === 0 && ledger.every(({ id }) => id !== undefined);
  const ttl = lowestTtl(desired, plan, actual, zone.defaultTtl);
  if (drift.length > 0 && driftPolicy !== 'Ignore') {
    run.observations.push({ kind: 'drift', result: 'found' });
    const action = driftPolicy === 'Enforce' ? 'Repair' : 'Report';
    const note = drift.join('; ');
    if (!isDriftReported(status?.conditions, note)) run.events.push({ type: 'Warning', reason: 'Drift', action, note });
  }
  if (drift.length > 0 && driftPolicy !== 'Enforce')
    return { owned, problem: null, drift, hasWritten: false, wasInSync, ttl };
  const applied = await applyPlan(run, service, zoneId, plan);
  if (isGuess && applied.problem?.reason === 'Conflict') return null;
  return { ...applied, drift, hasWritten: count > 0, wasInSync, ttl };
}

function lowestTtl({ values }: Desired, plan: RecordPlan, actual: readonly DnsRecord[], defaultTtl: number): number {
  const ours = new Set([...plan.keep, ...plan.update, ...plan.remove].map(({ id }) => id));
  const others = actual.filter(({ id }) => !ours.has(id)).map(({ ttl }) => ttl);
  return Math.min(...values.map((value) => value.ttl ?? defaultTtl), ...others);
}

/** Deletes all values of the object at the service. @throws errors of the service; the ledger then still has the values */
export async function releaseValues(run: RecordRun, service: Connection): Promise<void> {
  const { context, object } = run;
  const { zoneId, entries } = ledgerOf(object, context.seal);
  if (zoneId === undefined || entries.length === 0) return;
  try {
    const zone = context.zones.get(zoneKeyOf(object));
    // A read does not count towards the write limit of the key, but the deletion of a missing record does.
    if (!zone || isDeleting(zone) || zone.status?.zoneId !== zoneId) await service.client.zones.get(zoneId, run.call);
    const owned = await resolveIntents(run, service, zoneId, entries);
    await settleAll(owned.map(({ id }) => removeValue(run, service, zoneId, id)));
  } catch (error) {
    // The records are gone with their zone.
    if (!isAbsent(error)) throw error;
  }
}
