// Writes the results of a run into the status of a DNSZone.

import type { Clock } from '#base/clock.ts';
import type { Zone } from '#client/client.ts';
import type { ReconcileResult } from '#kube/controller/controller.ts';
import { isTrue } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus } from '#resources/dnszone.ts';
import { type OperatorContext, recordReadyEvent, writeStatus } from '../access/context.ts';
import type { Proof } from '../proof/propagation.ts';
import { ONLY_SECONDARIES } from '../proof/secondaries.ts';
import { type Answer, conditionsWith, type DelegatedAnswer, no, readyFrom, unknown, yes } from '../run/conditions.ts';
import { type Failure, REFUSED_RETRY_MS } from '../run/failures.ts';

export const ACCEPTED = yes('Accepted', 'The zone is valid.');
export const PROGRAMMED = yes('Programmed', 'The zone exists at the DNS service.');
const NOT_THERE_YET = unknown(
  'NotChecked',
  'The zone does not exist at the DNS service yet. The operator queries the parent zone afterwards.',
);
const READY = yes('Ready', 'Every name server answers for the zone.');

/** @param all the names of all name servers of the zone */
export function readyBy({ nameservers, note }: Pick<Proof, 'nameservers' | 'note'>, all: readonly string[]): Answer {
  const which = nameservers.length < all.length ? ' that is no secondary' : '';
  const message =
    nameservers.length === 0 && all.length > 0
      ? `Every node has the zone. ${ONLY_SECONDARIES}`
      : `Every name server${which} answers for the zone.`;
  return yes('Ready', note === null ? message : `${message} ${note}`);
}

/** The fields of the zone at the service that the status repeats. */
export function facts(object: DNSZone, zone: Zone): Partial<ZoneStatus> {
  return {
    zoneId: zone.id,
    owner: zone.owner,
    creationStatus: zone.status ?? object.status?.creationStatus ?? 'done',
    state: zone.state,
    nameservers: zone.nameservers,
    ds: zone.ds,
    serial: zone.serial,
    defaultTtl: zone.defaultTtl,
    records: zone.records,
  };
}

/** Returns the status without the fields that each run sets again. */
export function statusOf(object: DNSZone): ZoneStatus {
  const { nextAttemptTime: _old, ...status } = object.status ?? { conditions: [] };
  return status as ZoneStatus;
}

interface ZoneAnswers {
  Accepted?: Answer;
  Programmed?: Answer;
  Ready?: Answer;
  Delegated?: DelegatedAnswer;
}

/**
 * Writes the results. Without an explicit result, Ready summarizes the others except Delegated, because private zones have no
 * parent that delegates to them. Each change of Ready causes an Event. @returns the current object
 */
export async function conclude(
  context: OperatorContext,
  object: DNSZone,
  known: Partial<ZoneStatus>,
  answers: ZoneAnswers,
  signal: AbortSignal,
): Promise<DNSZone> {
  const generation = object.metadata.generation ?? 0;
  const { Delegated, ...own } = answers;
  const ready = own.Ready ?? readyFrom(Object.values(own), READY);
  const before = statusOf(object);
  const parent = Delegated ?? (before.zoneId === undefined && known.zoneId === undefined ? NOT_THERE_YET : undefined);
  const { intent, ...kept } = { ...before, ...known };
  const status: ZoneStatus = {
    ...kept,
    // The intent is not needed once the id is known.
    ...(known.zoneId === undefined && intent !== undefined ? { intent } : {}),
    observedGeneration: generation,
    conditions: conditionsWith(
      before.conditions,
      { ...own, ...(parent ? { Delegated: parent } : {}), Ready: ready },
      generation,
      context.now(),
    ),
  };
  const written = await writeStatus(context, context.zones, DNS_ZONE, object, status, signal);
  recordReadyEvent(context, object, before.conditions, ready);
  return written;
}

/**
 * A zone that was Ready for this spec stays Ready while the service is unavailable, because it is still served.
 * @param known the facts from before the failure; a zone that was just created must not be forgotten
 */
export async function concludeFailure(
  context: OperatorContext,
  clock: Clock,
  object: DNSZone,
  known: Partial<ZoneStatus>,
  failure: Failure,
  until: number | null,
  error: unknown,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const generation = object.metadata.generation ?? 0;
  const stays = failure.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation);
  const answer = stays ? yes(failure.reason, failure.message) : no(failure.reason, failure.message);
  const answers: ZoneAnswers = stays
    ? { Accepted: ACCEPTED, Ready: answer }
    : { Accepted: ACCEPTED, Programmed: answer };
  const next: Partial<ZoneStatus> = {
    ...known,
    ...(until === null
      ? {}
      : { nextAttemptTime: new Date(context.now().getTime() + until - clock.now()).toISOString() }),
  };
  await conclude(context, object, next, answers, signal);
  if (failure.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
  if (until !== null) return { requeueAfterMs: Math.max(0, until - clock.now()) };
  context.enqueueZoneOnRecovery(keyOf(object));
  throw error;
}
