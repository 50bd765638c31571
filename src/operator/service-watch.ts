// Objects that wait for the service to come back. Their own back-off grows to minutes; when the service answers again,
// all of them are woken at once, so that an outage ends for everybody when it ends. Who failed although the service
// answers is not woken: its trouble is its own, and so is its back-off.
import type { Client } from '../client/client.ts';
import { type Clock, sleep } from '../kube/clock.ts';

export interface ServiceWatch {
  /** The object could not be written for want of the service. `wake` is called once when it answers again. */
  wait(key: string, wake: () => void): void;
  /** Looks for the service while somebody waits. Ends with the signal. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_MS = 2_000;

export function createServiceWatch(client: Pick<Client, 'account'>, clock: Clock): ServiceWatch {
  const waiting = new Map<string, () => void>();
  let away = false;
  return {
    wait: (key, wake) => void waiting.set(key, wake),
    run: async (signal) => {
      while (!signal.aborted) {
        await sleep(clock, LOOK_MS, signal).catch(() => undefined);
        if (signal.aborted || waiting.size === 0) continue;
        // Asks the database too: a service without it cannot write.
        const back = await client.account({ signal, timeoutMs: LOOK_MS }).then(
          () => true,
          () => false,
        );
        const ended = away && back;
        away = !back;
        if (away) continue;
        const woken = ended ? [...waiting.values()] : [];
        waiting.clear();
        for (const wake of woken) wake();
      }
    },
  };
}
