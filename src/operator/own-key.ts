// Whether the service takes the operator's own API key: a key that was revoked, or never known there, is a mistake that no retry
// mends, and every object would only say that the service refused. Said once, in readiness too, until it is mended.
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { type Clock, sleep } from '../kube/clock.ts';
import type { Logger } from '../telemetry/log.ts';

export interface OwnKey {
  /** False only while the service refuses the key; a service that is away says nothing of it. */
  accepted(): boolean;
  /** Looks until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const LOOK_EVERY_MS = 30_000;
const WHILE_REFUSED_MS = 5_000;
const LIMIT_MS = 5_000;

export function watchOwnKey(client: Pick<Client, 'account'>, clock: Clock, log: Logger): OwnKey {
  let accepted = true;
  const look = async (signal: AbortSignal): Promise<void> => {
    try {
      await client.account({ signal, timeoutMs: LIMIT_MS });
      if (!accepted) log.info("the DNS service accepts the operator's API key again");
      accepted = true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) return;
      if (accepted) log.error("the DNS service does not accept the operator's API key: put a valid one in its place");
      accepted = false;
    }
  };
  return {
    accepted: () => accepted,
    run: async (signal) => {
      while (!signal.aborted) {
        await look(signal);
        await sleep(clock, accepted ? LOOK_EVERY_MS : WHILE_REFUSED_MS, signal).catch(() => undefined);
      }
    },
  };
}
