// Events (events.k8s.io/v1) that people see with `kubectl describe`. Best effort: recording never waits and never fails; what
// does not fit is dropped and counted. It must not know any kind or reason.
//
// What is well with a thousand objects at once is news of the first hundred: of a Normal event with one reason no more than a
// hundred go at once and then five a second, or a mass of new objects would cost the API server half as much again. Warnings
// are only limited by object.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Logger } from '../telemetry/log.ts';
import type { KubeApi } from './api.ts';
import type { Clock } from './clock.ts';
import { realClock, sleep } from './clock.ts';
import { isAlreadyExists, isNotFound, KubeError } from './errors.ts';
import { createEventSeries, type SeriesEntry } from './event-series.ts';
import type { EventDrop } from './metrics.ts';
import type { KubeObject, ResourceType } from './resource.ts';
import { createTokens } from './tokens.ts';

export interface EventToRecord {
  readonly type: 'Normal' | 'Warning';
  /** CamelCase: why. */
  readonly reason: string;
  /** CamelCase: what was done or tried, for instance `Create`. */
  readonly action: string;
  /** For people; cut at 1 kB. Repeats of the same note become one series. */
  readonly note: string;
  /** Of the event; a series keeps those of its first. (Default: none.) */
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface EventRecorder {
  /** Never waits, never throws. */
  record(regarding: KubeObject, event: EventToRecord): void;
  /** Sends until the signal aborts; then returns, with events perhaps left for `flush`. */
  run(signal: AbortSignal): Promise<void>;
  /** Sends what is left, including the counts of running series, until done or the signal aborts. Never rejects. */
  flush(signal: AbortSignal): Promise<void>;
}

export interface EventRecorderOptions {
  readonly api: KubeApi;
  /** Who reports: a qualified name such as `zonestead.dev/operator`. */
  readonly controller: string;
  /** Which process. (Default: the host's name.) */
  readonly instance?: string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly date?: () => Date;
  readonly dropped?: (why: EventDrop) => void;
}

const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
const MOST_QUEUED = 1_000;
const NORMAL_BURST = 100;
const NORMAL_REFILL_MS = 200;
const TRIES = 12;
const TRY_EVERY_MS = 10_000;
const SWEEP_EVERY_MS = 60_000;

interface EventBody {
  readonly metadata: {
    readonly namespace: string;
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}
type Entry = SeriesEntry<EventBody>;
interface Job {
  readonly send: 'create' | 'patch';
  readonly entry: Entry;
}

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { api, log } = options;
  const clock = options.clock ?? realClock;
  const date = options.date ?? (() => new Date());
  const instance = options.instance ?? hostname();
  const dropped = options.dropped ?? (() => undefined);
  const series = createEventSeries<EventBody>(clock);
  const mayTellAll = createTokens(clock, NORMAL_BURST, NORMAL_REFILL_MS);
  const jobs: Job[] = [];
  let wake = (): void => undefined;

  const enqueue = (job: Job): void => {
    if (jobs.length >= MOST_QUEUED) {
      dropped('queue_full');
      return;
    }
    jobs.push(job);
    wake();
  };

  const make = (regarding: KubeObject, event: EventToRecord) => {
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const eventName = `${name.slice(0, 230)}.${randomBytes(8).toString('hex')}`;
    const { apiVersion, kind } = regarding;
    const payload: EventBody = {
      // An event lives in its object's namespace; of cluster-scoped objects in `default` (the server checks it).
      metadata: {
        namespace: namespace ?? 'default',
        name: eventName,
        ...(event.annotations === undefined ? {} : { annotations: event.annotations }),
      },
      eventTime: microTime(date()),
      reportingController: options.controller,
      reportingInstance: instance.slice(0, 128),
      type: event.type,
      reason: event.reason.slice(0, 128),
      action: event.action.slice(0, 128),
      note: cutUtf8(event.note, 1_024),
      regarding: { apiVersion, kind, name, namespace, uid, resourceVersion },
    };
    return { payload, name: eventName };
  };

  const create = (entry: Entry, signal: AbortSignal) => api.create(EVENTS, entry.payload, signal);

  const patch = async (entry: Entry, signal: AbortSignal): Promise<void> => {
    const body = { series: { count: entry.count, lastObservedTime: microTime(date()) } };
    try {
      await api.merge(EVENTS, entry.payload.metadata, body, {}, signal);
    } catch (error) {
      // Events live for an hour by default; a series may outlive its own.
      if (!isNotFound(error)) throw error;
      await api.create(EVENTS, { ...entry.payload, ...body }, signal);
    }
  };

  const send = async ({ send: how, entry }: Job, tries: number, signal: AbortSignal): Promise<void> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const count = entry.count;
        await (how === 'create' ? create(entry, signal) : patch(entry, signal));
        if (how === 'patch') series.sent(entry, count);
        return;
      } catch (error) {
        if (signal.aborted || isAlreadyExists(error)) return;
        if (attempt >= tries || isRefusal(error)) {
          dropped('refused');
          log.warn({ err: error }, 'an event was not taken');
          return;
        }
        await sleep(clock, TRY_EVERY_MS, signal);
      }
    }
  };

  const idle = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake, { once: true });
      if (signal.aborted || jobs.length > 0) wake();
    });

  const sendAll = async (tries: number, signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const job = jobs[0];
      if (job === undefined) return;
      await send(job, tries, signal);
      // Not before it is sent: a stop in the middle leaves it for flush, and a second create answers "already exists".
      if (!signal.aborted) jobs.shift();
    }
  };

  return {
    record: (regarding, event) => {
      if (event.type === 'Normal' && !mayTellAll(event.reason)) {
        dropped('too_many');
        return;
      }
      const object = `${regarding.kind}/${regarding.metadata.uid ?? regarding.metadata.name}`;
      const key = JSON.stringify([object, event.type, event.reason, event.action, event.note]);
      const verdict = series.see(key, object, () => make(regarding, event));
      if (verdict.send !== 'nothing') enqueue(verdict);
      else if (verdict.why === 'too_many') dropped('too_many');
    },
    run: async (signal) => {
      let cancel = (): void => undefined;
      const sweep = (): void => {
        for (const entry of series.sweep()) enqueue({ send: 'patch', entry });
        cancel = clock.setTimeout(sweep, SWEEP_EVERY_MS);
      };
      cancel = clock.setTimeout(sweep, SWEEP_EVERY_MS);
      try {
        while (!signal.aborted) {
          await idle(signal);
          await sendAll(TRIES, signal);
        }
      } catch (error) {
        if (!signal.aborted) throw error;
      } finally {
        cancel();
      }
    },
    flush: async (signal) => {
      for (const entry of series.unsent()) enqueue({ send: 'patch', entry });
      try {
        await sendAll(1, signal);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      for (const _job of jobs.splice(0)) dropped('stopped');
    },
  };
}

/** Sending the same again would be refused again. */
function isRefusal(error: unknown): boolean {
  return error instanceof KubeError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

/** metav1.MicroTime: the server insists on six digits. */
function microTime(time: Date): string {
  return `${time.toISOString().slice(0, -1)}000Z`;
}

function cutUtf8(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // A character cut in two decodes to U+FFFD, which is removed.
  return Buffer.from(text).subarray(0, bytes).toString('utf8').replace(/�+$/, '');
}
