// Every state of objects that a watch of the kube-apiserver tells, in order: first the objects that were there, then
// each change.

import { realClock } from '#base/clock.ts';
import type { Scope } from '#kube/cache/fill.ts';
import { watchOnce } from '#kube/cache/watch.ts';
import type { TestStack } from '../stack/stack.ts';
import { typeNamed } from './kube-user.ts';

export interface Watching<T> {
  /** All states so far, the oldest first. A deleted object's last state is among them. */
  states(): T[];
  /** @throws when the watch ended before, because states may be missing then */
  stop(): Promise<void>;
}

/** Resolves when the watch begins: no later state is missed. Lasts at most an hour. */
export async function watchObjects<T>(test: TestStack, kind: string, scope: Scope = {}): Promise<Watching<T>> {
  const { api } = test.kube;
  const type = typeNamed(kind);
  const { items, resourceVersion } = await api.list(type, scope);
  const states = items as T[];
  const end = new AbortController();
  const settings = {
    ...{ api, type, scope, resourceVersion, clock: realClock, timeoutSeconds: 3_600, silenceMs: 3_600_000 },
    onEvent: (event: { type: string; object?: unknown }) => {
      if (event.object !== undefined) states.push(event.object as T);
    },
  };
  const running = watchOnce(settings, end.signal).then(
    (run) => `the watch of ${kind} ended by itself: ${JSON.stringify(run.end)}`,
    () => null,
  );
  return {
    states: () => [...states],
    stop: async () => {
      end.abort();
      const early = await running;
      if (early !== null) throw new Error(early);
    },
  };
}
