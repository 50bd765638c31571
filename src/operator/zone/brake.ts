// The brake on the deletion of many zones: a deleted CRD of DNSZones, or a bad prune, must not empty the DNS.

import type { Clock } from '#base/clock.ts';
import { isMassDeletion, MAX_ALWAYS } from '#base/mass-deletion.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { isDeleting } from '#kube/objects/finalizer.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { DELETION_BLOCKED, ETCD_RESTORED, RELEASE_MANY } from '#resources/names.ts';
import { isKept, isManaged } from '../access/claims.ts';

/** The period in which deletions count as simultaneous, in ms. */
const TOGETHER_MS = 60_000;
/**
 * Deletions often come one after the other: the decision waits for a pause of this length, and at most so long, in ms.
 */
const PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 10_000;

/** The reasons of DeletionBlocked. */
export const MANY_DELETED = 'ManyDeleted';
export const CRD_DELETED = 'CRDDeleted';
const HELD_REASONS: readonly string[] = [MANY_DELETED, CRD_DELETED, ETCD_RESTORED];

/** Whether the zone of a deleted DNSZone remains: too many or their CRD were deleted, or etcd was restored. */
export function isZoneHeld({ status }: DNSZone): boolean {
  const condition = findCondition(status?.conditions, DELETION_BLOCKED);
  return condition?.status === 'True' && HELD_REASONS.includes(condition.reason);
}

export class ZoneBrake {
  readonly #clock: Clock;
  /** The times at which the objects of zones were deleted that no longer exist at the service. */
  #deleted: number[] = [];
  /** The number of deleted objects when it last changed, and the time of that. */
  #waiting = 0;
  #changedAt = 0;
  /** The time at which the first of them was seen. */
  #firstAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Whether the zone of a deleted DNSZone may be deleted at the service. A number: ask again after so many ms. The
   * times are those of the objects, so that a restart decides the same. A zone that was held is held until an
   * annotation permits its deletion.
   * @param zones all DNSZones
   * @param isStarting whether the process began to work a few minutes ago
   */
  mayDelete(object: DNSZone, zones: readonly DNSZone[], isStarting: boolean): boolean | number {
    if (object.metadata.annotations?.[RELEASE_MANY] === 'true') return true;
    if (wasHeld(object)) return false;
    const ownTime = deletedAt(object);
    const isTogether = (at: number) => Math.abs(at - ownTime) <= TOGETHER_MS;
    const existingZones = zones.filter((zone) => isManaged(zone) && !isKept(zone));
    const waitingTimes = existingZones.filter(isDeleting).map(deletedAt).filter(isTogether);
    const deletedTimes = this.#deleted.filter(isTogether);
    const all = existingZones.length + deletedTimes.length;
    if (isMassDeletion({ all, deletions: waitingTimes.length + deletedTimes.length, isStarting })) return false;
    // So few zones cannot become a mass deletion.
    if (all <= MAX_ALWAYS) return true;
    return this.#isQuiet(existingZones.filter(isDeleting).length) ? true : PAUSE_MS;
  }

  /** The clock of Kubernetes may be another one, so the pause is measured here. */
  #isQuiet(waitingCount: number): boolean {
    const now = this.#clock.now();
    if (waitingCount > this.#waiting) {
      if (now - this.#changedAt >= PAUSE_MS) this.#firstAt = now;
      this.#changedAt = now;
    }
    this.#waiting = waitingCount;
    return now - this.#changedAt >= PAUSE_MS || now - this.#firstAt >= LONGEST_PAUSE_MS;
  }

  /** The zone was deleted at the service. */
  deleted(object: DNSZone): void {
    const ownTime = deletedAt(object);
    this.#deleted = this.#deleted.filter((at) => at >= ownTime - TOGETHER_MS);
    // A permitted deletion makes no other one suspicious.
    if (object.metadata.annotations?.[RELEASE_MANY] !== 'true') this.#deleted.push(ownTime);
  }
}

function wasHeld({ status }: DNSZone): boolean {
  const condition = findCondition(status?.conditions, DELETION_BLOCKED);
  return condition?.status === 'True' && condition.reason === MANY_DELETED;
}

function deletedAt({ metadata }: DNSZone): number {
  return Date.parse(String(metadata.deletionTimestamp));
}
