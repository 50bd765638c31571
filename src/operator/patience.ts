// How long an object waits for another before it goes on by itself. It must not know what is waited for.
import type { Clock } from '../kube/clock.ts';
import type { KubeObject } from '../kube/resource.ts';

/** In ms. What is waited for may never come: it may be held up for a reason of its own, at the API server for instance. */
const PATIENCE_MS = 10_000;

/** Whether the object has to go on waiting, given whether there is a cause to wait at all. */
export type Patience = (object: KubeObject, hasCause: boolean) => boolean;

/** Keeps who waits, and since when; one a process and cause. */
export function createPatience(clock: Clock): Patience {
  const since = new Map<string, number>();
  return (object, hasCause) => {
    const uid = object.metadata.uid ?? '';
    if (!hasCause) {
      since.delete(uid);
      return false;
    }
    const start = since.get(uid) ?? clock.now();
    since.set(uid, start);
    return clock.now() - start < PATIENCE_MS;
  };
}
