// Keeps the objects that wait for the service to recover. Their own back-off grows to minutes; as soon as the service
// answers again, all of them run at once, so that an outage ends for every object at the same time. An object that
// failed while the service answered keeps its own back-off.

import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { getAccount } from '#contract/operations/account.ts';
import type { Client } from './client.ts';

interface ServiceWatch {
  /**
   * Registers an object whose write failed because the service is unavailable. Calls `wake` once when it answers again.
   */
  wait(key: string, wake: () => void): void;
  /** Polls the service while an object waits. Ends when the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 2_000;

export function createServiceWatch(client: Pick<Client, 'call'>, clock: Clock): ServiceWatch {
  const wakeByKey = new Map<string, () => void>();
  let away = false;
  return {
    wait: (key, wake) => void wakeByKey.set(key, wake),
    run: async (signal) => {
      while (!signal.aborted) {
        await sleep(clock, LOOK_MS, signal).catch(() => undefined);
        if (signal.aborted || wakeByKey.size === 0) continue;
        // This request needs the database too: a service without its database cannot write.
        const back = await client.call(getAccount, {}, { signal, timeoutMs: LOOK_MS }).then(
          () => true,
          () => false,
        );
        const hasEnded = away && back;
        away = !back;
        if (away) continue;
        const wakers = hasEnded ? [...wakeByKey.values()] : [];
        wakeByKey.clear();
        for (const wake of wakers) wake();
      }
    },
  };
}
