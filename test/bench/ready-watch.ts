// The times at which an object's status became Ready for a generation, as a watch shows them.
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeApi } from '#kube/api/api.ts';
import { createReflector } from '#kube/cache/reflector.ts';
import { createStore } from '#kube/cache/store.ts';
import { type Condition, isTrue } from '#kube/objects/conditions.ts';
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { createLogger } from '#telemetry/log.ts';

interface WithConditions extends KubeObject {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ReadyWatch {
  /** Waits for Ready. @returns when it was seen, by performance.now(). @throws when it does not come in time */
  ready(name: string, generation: number, limitMs: number): Promise<number>;
}

/** Watches one namespace until the signal. Resolves when the watch has begun. */
export async function watchReady<T extends WithConditions>(
  api: KubeApi,
  type: ResourceType,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadyWatch> {
  const log = createLogger({ name: 'bench', level: 'error' });
  const store = createStore<T>({ log });
  const seen = new Map<string, number>();
  const waiting = new Map<string, (at: number) => void>();
  store.onChange((_key, _kind, _initial, { metadata, status }) => {
    const generation = metadata.generation ?? 0;
    const key = `${metadata.name}@${generation}`;
    if (seen.has(key) || !isTrue(status?.conditions, 'Ready', generation)) return;
    const now = performance.now();
    seen.set(key, now);
    waiting.get(key)?.(now);
  });
  void createReflector<T>({ api, type, store, log, scope: { namespace } }).run(signal);
  while (!store.hasSynced()) {
    signal.throwIfAborted();
    await sleep(5);
  }
  return {
    ready: async (name, generation, limitMs) => {
      const key = `${name}@${generation}`;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
      return new Promise<number>((resolve, reject) => {
        const at = seen.get(key);
        if (at !== undefined) return resolve(at);
        waiting.set(key, resolve);
        const giveUp = () => {
          const found = JSON.stringify(store.get(`${namespace}/${name}`)?.status);
          reject(new Error(`${type.kind} ${name} is not Ready after ${limitMs / 1000} s: ${found}`));
        };
        limit.addEventListener('abort', giveUp, { once: true });
      });
    },
  };
}
