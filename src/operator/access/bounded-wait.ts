// Limits how long an object waits for another one before it continues on its own.
import type { Clock } from '#base/clock.ts';
import type { KubeObject } from '#kube/objects/resource.ts';

/** The limit in ms. The event that the object waits for may never happen, for example because a write fails at the API server. */
const MAX_WAIT_MS = 10_000;

/** Whether the object must keep waiting. @param hasCause whether there is a cause to wait now */
export type BoundedWait = (object: Pick<KubeObject, 'metadata'>, hasCause: boolean) => boolean;

/** Remembers since when each object waits. Create one for each cause. */
export function createBoundedWait(clock: Clock): BoundedWait {
  const since = new Map<string, number>();
  return (object, hasCause) => {
    const uid = object.metadata.uid ?? '';
    if (!hasCause) {
      since.delete(uid);
      return false;
    }
    const start = since.get(uid) ?? clock.now();
    since.set(uid, start);
    return clock.now() - start < MAX_WAIT_MS;
  };
}
