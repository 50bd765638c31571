// Reports to the api how far the node is: every second, and soon after each applied change, unless its name server is
// down for long. At most one report is under way. The last one says that the node leaves.
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { ApiError } from '#client/errors.ts';
import { MAX_HELD, MAX_HELD_NAMES, type NodeReport, type ReportAnswer } from '#contract/feed.ts';
import type { Logger } from '#telemetry/log.ts';
import type { FeedApi } from './api.ts';
import { textOfError } from './faults.ts';

interface ReporterOptions {
  readonly api: Pick<FeedApi, 'report'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether no report is sent now. */
  isSilent(): boolean;
  /** The report as it would be now. */
  report(): NodeReport;
  onAnswer(answer: ReportAnswer): void;
}

export interface Reporter {
  /** Something changed that the api waits for. */
  soon(): void;
  run(signal: AbortSignal): Promise<void>;
  /**
   * Says that the process ends in an orderly way, so that no alert waits for the next report. To be called after `run`
   * has ended. Waits at most 2 s, and never rejects: without this report, an alert asks for the node.
   */
  leave(): Promise<void>;
}

const EVERY_MS = 1_000;
/** The least time between two reports. */
const APART_MS = 10;
const REFUSED_MS = 30_000;
const RETRY_AFTER_MAX_MS = 60_000;
const LEAVE_MS = 2_000;

export function createReporter({ api, clock, log, isSilent, report, onAnswer }: ReporterOptions): Reporter {
  let isDue = false;
  let wake: () => void = () => undefined;
  let logged: string | null = null;
  let wasSilent = false;
  let hasReported = false;

  /** @returns whether the node is silent now */
  const fallSilent = (): boolean => {
    const isNow = isSilent();
    if (isNow && !wasSilent) log.warn('the name server is down for long, so the node sends no report until it is back');
    wasSilent = isNow;
    return isNow;
  };

  /** @returns the wait before the next report in ms, and whether a change may shorten it */
  const send = async (signal: AbortSignal): Promise<{ wait: number; isFixed: boolean }> => {
    if (fallSilent()) return { wait: EVERY_MS, isFixed: true };
    try {
      onAnswer(await api.report(report(), signal));
      hasReported = true;
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
    leave: async () => {
      if (!hasReported) return;
      const limit = deadline(clock, LEAVE_MS);
      try {
        await api.report({ ...report(), leaving: true }, limit.signal);
      } catch (error) {
        log.warn(`failed to report to the api that this node stops: ${textOfError(error)}`);
      } finally {
        limit.clear();
      }
    },
  };
}

/** The part of a report about zones that the list lacks. */
export function describeHeld(held: readonly { name: string; since: number }[]): Pick<NodeReport, 'held'> {
  if (held.length === 0) return {};
  // Whole seconds, so that the text stays the same: the api writes it only if it changes.
  const zones = held
    .slice(0, MAX_HELD)
    .map(({ name, since }) => ({ name, since: new Date(Math.floor(since / 1_000) * 1_000).toISOString() }));
  const more = held.slice(MAX_HELD, MAX_HELD + MAX_HELD_NAMES).map(({ name }) => name);
  return { held: { count: held.length, zones, ...(more.length === 0 ? {} : { more }) } };
}
