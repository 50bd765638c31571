// Reports to the api how far the node is: every second, and soon after each applied change. At most one report is under
// way.
import type { Clock } from '#base/clock.ts';
import { ApiError } from '#client/errors.ts';
import type { NodeReport, ReportAnswer } from '#contract/feed.ts';
import type { Logger } from '#telemetry/log.ts';
import type { FeedApi } from './api.ts';
import { textOfError } from './faults.ts';

interface ReporterOptions {
  readonly api: Pick<FeedApi, 'report'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The report as it would be now. */
  report(): NodeReport;
  onAnswer(answer: ReportAnswer): void;
}

export interface Reporter {
  /** Something changed that the api waits for. */
  soon(): void;
  run(signal: AbortSignal): Promise<void>;
}

const EVERY_MS = 1_000;
/** The least time between two reports. */
const APART_MS = 10;
const REFUSED_MS = 30_000;
const RETRY_AFTER_MAX_MS = 60_000;

export function createReporter({ api, clock, log, report, onAnswer }: ReporterOptions): Reporter {
  let isDue = false;
  let wake: () => void = () => undefined;
  let logged: string | null = null;

  /** @returns the wait before the next report in ms, and whether a change may shorten it */
  const send = async (signal: AbortSignal): Promise<{ wait: number; isFixed: boolean }> => {
    try {
      onAnswer(await api.report(report(), signal));
      if (logged !== null) log.info('the reports arrive at the api again');
      logged = null;
      return { wait: EVERY_MS, isFixed: false };
    } catch (error) {
      const text = textOfError(error);
      if (!signal.aborted && text !== logged) log.warn(`failed to report to the api: ${text}`);
      logged = text;
      if (!(error instanceof ApiError)) return { wait: EVERY_MS, isFixed: true };
      const isRefused = error.status === 401 || error.status === 403;
      const retryMs = Math.min(error.retryAfterMs ?? 0, RETRY_AFTER_MAX_MS);
      return { wait: isRefused ? REFUSED_MS : Math.max(EVERY_MS, retryMs), isFixed: true };
    }
  };

  const rest = (ms: number, isFixed: boolean, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        wake = () => undefined;
        resolve();
      };
      const cancel = clock.setTimeout(end, ms);
      if (!isFixed) wake = end;
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });

  return {
    soon: () => {
      isDue = true;
      wake();
    },
    run: async (signal) => {
      while (!signal.aborted) {
        isDue = false;
        const { wait, isFixed } = await send(signal);
        await rest(APART_MS, true, signal);
        if (isFixed || !isDue) await rest(wait - APART_MS, isFixed, signal);
      }
    },
  };
}
