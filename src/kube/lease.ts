// A Lease (coordination.k8s.io/v1) as the token of one leader: who holds it, when it may be taken, what is written to take,
// keep and give it back. Pure. It must not know what the leader does, nor when anybody looks.
//
// Nobody compares clocks: a lease may be taken when it has not changed for its whole duration by the looker's own clock
// (client-go leaderelection.go). The holder therefore has to stop before that, counted from before it asked to keep it.
import type { KubeObject, ResourceType } from './resource.ts';

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

/** What was seen of the lease, and since when it looks like that, in ms of the looker's clock. */
export interface Sighting {
  /** Null while there is none. */
  readonly lease: Lease | null;
  readonly since: number;
}

/** The sighting after one more look at `now`: a lease that looks as before has not moved since it was seen first. */
export function look(before: Sighting | null, lease: Lease | null, now: number): Sighting {
  const same = before !== null && JSON.stringify(before.lease?.spec) === JSON.stringify(lease?.spec);
  return { lease, since: same ? before.since : now };
}

/** From when on `identity` may take the lease, in ms of the looker's clock; 0 when at once. */
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

/** The changes that give it back: the next one need not wait. */
export function released(at: Date): LeaseSpec {
  return { holderIdentity: null, leaseDurationSeconds: 1, renewTime: microTime(at) };
}

/** metav1.MicroTime: the server insists on six digits. */
function microTime(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}
