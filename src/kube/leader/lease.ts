// The data of a Lease (coordination.k8s.io/v1): its holder, the time when another process may take it, and the changes
// that acquire, renew and release it. Pure.
//
// Clocks of different machines are never compared: a process may take a lease that has not changed for its whole
// duration by that process's own clock (client-go leaderelection.go). The holder therefore has to stop before that,
// counted from before it sent its last renewal.
import { microTime } from '../objects/micro-time.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';

export const LEASES: ResourceType = {
  group: 'coordination.k8s.io',
  version: 'v1',
  plural: 'leases',
  kind: 'Lease',
  namespaced: true,
};

export interface LeaseSpec {
  readonly holderIdentity?: string | null;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** The lease as it was seen, and since when it looks like that, in ms of the observer's clock. */
export interface Sighting {
  /** Null while there is none. */
  readonly lease: Lease | null;
  readonly since: number;
}

/**
 * The observation after one more look at `now`: a lease that looks as before has not changed since it was first seen
 * like that.
 */
export function look(before: Sighting | null, lease: Lease | null, now: number): Sighting {
  const same = before !== null && JSON.stringify(before.lease?.spec) === JSON.stringify(lease?.spec);
  return { lease, since: same ? before.since : now };
}

/** The time from which `identity` may take the lease, in ms of the observer's clock; 0 when it may at once. */
export function freeAt({ lease, since }: Sighting, identity: string): number {
  const holder = lease?.spec?.holderIdentity;
  if (!holder || holder === identity) return 0;
  return since + (lease?.spec?.leaseDurationSeconds ?? 0) * 1000;
}

/** The spec that makes `identity` the holder of a lease that looked like `before`. */
export function claimed(before: LeaseSpec | undefined, identity: string, durationMs: number, at: Date): LeaseSpec {
  const time = microTime(at);
  const stays = before?.holderIdentity === identity;
  const transitions = before?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(durationMs / 1000),
    acquireTime: (stays ? before.acquireTime : undefined) ?? time,
    renewTime: time,
    leaseTransitions: stays || before === undefined ? transitions : transitions + 1,
  };
}

/** The changes that release the lease: the next holder does not have to wait. */
export function released(at: Date): LeaseSpec {
  return { holderIdentity: null, leaseDurationSeconds: 1, renewTime: microTime(at) };
}
