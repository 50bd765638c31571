// Checks regularly whether the service accepts the operator's own API key or token. No retry fixes a revoked or unknown
// key, and the conditions of the objects do not show this cause. The operator logs it once and is not ready until the
// key is valid.

import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { getAccount } from '#contract/operations/account.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Client } from './client.ts';
import { ApiError, isKeyNotRead } from './errors.ts';
import { KeyUnreadable } from './key.ts';

interface OwnKey {
  /**
   * False only while the service refuses the key or its file has none; it keeps its value while the service is
   * unavailable.
   */
  accepted(): boolean;
  /** Checks the key until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const CHECK_INTERVAL_MS = 30_000;
const REFUSED_CHECK_INTERVAL_MS = 5_000;
const LIMIT_MS = 5_000;

export function watchOwnKey(client: Pick<Client, 'call'>, clock: Clock, log: Logger): OwnKey {
  let isAccepted = true;
  const check = async (signal: AbortSignal): Promise<void> => {
    try {
      await client.call(getAccount, {}, { signal, timeoutMs: LIMIT_MS });
      if (!isAccepted) log.info("the DNS service accepts the operator's API key or token again");
      isAccepted = true;
    } catch (error) {
      const isUnreadable = error instanceof KeyUnreadable;
      // The service has not read the key that signed the token yet.
      if (isKeyNotRead(error)) return;
      if (!isUnreadable && !(error instanceof ApiError && error.status === 401)) return;
      if (isAccepted) {
        log.error(
          { reason: error.message },
          isUnreadable
            ? 'the operator has no API key or token; it reads the file again'
            : "the DNS service does not accept the operator's API key or token",
        );
      }
      isAccepted = false;
    }
  };
  return {
    accepted: () => isAccepted,
    run: async (signal) => {
      while (!signal.aborted) {
        await check(signal);
        await sleep(clock, isAccepted ? CHECK_INTERVAL_MS : REFUSED_CHECK_INTERVAL_MS, signal).catch(() => undefined);
      }
    },
  };
}
