// What a run says in the status of a DNSZone.
import type { Zone } from '../client/client.ts';
import type { Clock } from '../kube/clock.ts';
import { isTrue } from '../kube/conditions.ts';
import type { ReconcileResult } from '../kube/controller.ts';
import { keyOf } from '../kube/resource.ts';
import { type House, tellOfReady, writeStatus } from './house.ts';
import { DNS_ZONE, type DNSZone, type ZoneStatus } from './resources/dnszone.ts';
import { REFUSED_RETRY_MS, type Trouble } from './trouble.ts';
import { type Answer, type DelegatedAnswer, judged, no, summed, unknown, yes } from './verdicts.ts';

export const ACCEPTED = yes('Accepted', 'The zone is valid.');
export const PROGRAMMED = yes('Programmed', 'The zone is at the DNS service.');
const NOT_THERE_YET = unknown('NotChecked', 'The parent zone is asked once the zone is at the DNS service.');
export const READY = yes('Ready', 'Every name server answers for the zone.');

/** What the status repeats of the zone at the service. */
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
  };
}

/** The status without what each run says anew. */
export function statusOf(object: DNSZone): ZoneStatus {
  const { nextAttemptTime: _old, ...status } = object.status ?? { conditions: [] };
  return status as ZoneStatus;
}

export interface ZoneAnswers {
  Accepted?: Answer;
  Programmed?: Answer;
  Ready?: Answer;
  Delegated?: DelegatedAnswer;
}

/**
 * Writes the outcome; Ready sums up what is not given, but for Delegated: private zones have no parent that points to
 * them. An event tells of every change of Ready. @returns the object as it is now
 */
export async function conclude(
  house: House,
  object: DNSZone,
  known: Partial<ZoneStatus>,
  answers: ZoneAnswers,
  signal: AbortSignal,
): Promise<DNSZone> {
  const generation = object.metadata.generation ?? 0;
  const { Delegated, ...own } = answers;
  const ready = own.Ready ?? summed(Object.values(own), READY);
  const before = statusOf(object);
  const parent = Delegated ?? (before.zoneId === undefined && known.zoneId === undefined ? NOT_THERE_YET : undefined);
  const { intent, ...kept } = { ...before, ...known };
  const status: ZoneStatus = {
    ...kept,
    // Once the id is known the intent has done its work.
    ...(known.zoneId === undefined && intent !== undefined ? { intent } : {}),
    observedGeneration: generation,
    conditions: judged(
      before.conditions,
      { ...own, ...(parent ? { Delegated: parent } : {}), Ready: ready },
      generation,
      house.now(),
    ),
  };
  const written = await writeStatus(house, house.zones, DNS_ZONE, object, status, signal);
  tellOfReady(house, object, before.conditions, ready);
  return written;
}

/**
 * A zone that was Ready for this spec stays so while the service is away: it is still served.
 * @param known what was found out before the trouble; a zone that was made just now must not be forgotten
 */
export async function concludeTrouble(
  house: House,
  clock: Clock,
  object: DNSZone,
  known: Partial<ZoneStatus>,
  trouble: Trouble,
  until: number | null,
  error: unknown,
  signal: AbortSignal,
): Promise<ReconcileResult> {
  const generation = object.metadata.generation ?? 0;
  const stays = trouble.kind !== 'refused' && isTrue(object.status?.conditions, 'Ready', generation);
  const answer = stays ? yes(trouble.reason, trouble.message) : no(trouble.reason, trouble.message);
  const answers: ZoneAnswers = stays
    ? { Accepted: ACCEPTED, Ready: answer }
    : { Accepted: ACCEPTED, Programmed: answer };
  const next: Partial<ZoneStatus> = {
    ...known,
    ...(until === null ? {} : { nextAttemptTime: new Date(house.now().getTime() + until - clock.now()).toISOString() }),
  };
  await conclude(house, object, next, answers, signal);
  if (trouble.kind === 'refused') return { requeueAfterMs: REFUSED_RETRY_MS };
  if (until !== null) return { requeueAfterMs: Math.max(0, until - clock.now()) };
  house.wakeZoneWithService(keyOf(object));
  throw error;
}
