// Events (events.k8s.io/v1) that people see with `kubectl describe`. Best effort: recording never waits and never
// fails; Events that exceed a limit are dropped and counted.
//
// Normal Events of one reason are limited for each namespace: 20 at once, then one a second. Otherwise the creation of
// a thousand objects would raise the load of the API server by half. Warnings are only limited per object. Namespaces
// take turns, and the one with the most Events loses Events when too many wait.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock, realClock } from '#base/clock.ts';
import { FairQueue } from '#base/fair/queue.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { KubeApi } from '../api/api.ts';
import { isAlreadyExists, isNotFound, KubeError } from '../api/errors.ts';
import type { EventDrop } from '../metrics.ts';
import { microTime } from '../objects/micro-time.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';
import { createEventSeries, type EventSeries, type SeriesEntry } from './series.ts';
import { createTokens, type TakeToken } from './tokens.ts';

export interface EventToRecord<Reason extends string = string> {
  readonly type: 'Normal' | 'Warning';
  /** The cause, in CamelCase. */
  readonly reason: Reason;
  /** The action that was done or tried, in CamelCase, for instance `Create`. */
  readonly action: string;
  /** For people; cut at 1 kB. Repetitions of the same note become one series. */
  readonly note: string;
  /** Annotations of the Event; a series keeps those of its first Event. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** `Reason` limits the reasons that the owner of the recorder may give. Absent: any. */
export interface EventRecorder<Reason extends string = string> {
  /** Never waits, never throws. */
  record(regarding: KubeObject, event: EventToRecord<Reason>): void;
  /** Sends until the signal aborts; then returns, and `flush` sends the rest. */
  run(signal: AbortSignal): Promise<void>;
  /**
   * Sends all remaining Events, including the counts of open series, until done or the signal aborts. Never rejects.
   */
  flush(signal: AbortSignal): Promise<void>;
}

interface EventRecorderOptions {
  readonly api: KubeApi;
  /** The reporting controller: a qualified name such as `zonestead.dev/operator`. */
  readonly controller: string;
  /** The reporting process. (Default: the host's name.) */
  readonly instance?: string;
  readonly log: Logger;
  readonly clock?: Clock;
  readonly date?: () => Date;
  readonly dropped?: (why: EventDrop) => void;
}

/** The resource of Events. */
export const EVENTS: ResourceType = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
};
const MAX_QUEUED = 1_000;
const NORMAL_BURST = 20;
const NORMAL_REFILL_MS = 1_000;
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
  return new QueuedEventRecorder(options);
}

class QueuedEventRecorder implements EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #date: () => Date;
  readonly #instance: string;
  readonly #dropped: NonNullable<EventRecorderOptions['dropped']>;
  readonly #series: EventSeries<EventBody>;
  readonly #mayTell: TakeToken;
  readonly #jobs = new FairQueue<Job>();
  #wake = (): void => undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = this.#options.clock ?? realClock;
    this.#date = this.#options.date ?? (() => new Date());
    this.#instance = this.#options.instance ?? hostname();
    this.#dropped = this.#options.dropped ?? (() => undefined);
    this.#series = createEventSeries<EventBody>(this.#clock);
    this.#mayTell = createTokens(this.#clock, NORMAL_BURST, NORMAL_REFILL_MS);
  }

  record(regarding: KubeObject, event: EventToRecord): void {
    const namespace = regarding.metadata.namespace ?? '';
    if (event.type === 'Normal' && !this.#mayTell(`${event.reason} ${namespace}`)) {
      this.#dropped('too_many');
      return;
    }
    const object = `${regarding.kind}/${regarding.metadata.uid ?? regarding.metadata.name}`;
    const key = JSON.stringify([object, event.type, event.reason, event.action, event.note]);
    const verdict = this.#series.see(key, object, () => this.#make(regarding, event));
    if (verdict.send !== 'nothing') this.#enqueue(verdict);
    else if (verdict.why === 'too_many') this.#dropped('too_many');
  }

  async run(signal: AbortSignal): Promise<void> {
    let cancel = (): void => undefined;
    const sweep = (): void => {
      for (const entry of this.#series.sweep()) this.#enqueue({ send: 'patch', entry });
      cancel = this.#clock.setTimeout(sweep, SWEEP_EVERY_MS);
    };
    cancel = this.#clock.setTimeout(sweep, SWEEP_EVERY_MS);
    try {
      while (!signal.aborted) {
        await this.#idle(signal);
        await this.#sendAll(TRIES, signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      cancel();
    }
  }

  async flush(signal: AbortSignal): Promise<void> {
    for (const entry of this.#series.unsent()) this.#enqueue({ send: 'patch', entry });
    try {
      await this.#sendAll(1, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
    for (let job = this.#jobs.next(); job !== undefined; job = this.#jobs.next()) {
      this.#jobs.remove(job);
      this.#dropped('stopped');
    }
  }

  #enqueue(job: Job): void {
    const group = job.entry.payload.metadata.namespace;
    if (this.#jobs.size >= MAX_QUEUED) {
      this.#dropped('queue_full');
      const other = this.#jobs.overflow(group);
      if (other === undefined) return;
      this.#jobs.remove(other);
    }
    this.#jobs.add(job, { group });
    this.#wake();
  }

  #make(regarding: KubeObject, event: EventToRecord) {
    const { name, namespace, uid, resourceVersion } = regarding.metadata;
    const eventName = `${name.slice(0, 230)}.${randomBytes(8).toString('hex')}`;
    const { apiVersion, kind } = regarding;
    const payload: EventBody = {
      // An Event is in its object's namespace; an Event about a cluster-scoped object is in `default` (the server
      // checks it).
      metadata: {
        namespace: namespace ?? 'default',
        name: eventName,
        ...(event.annotations === undefined ? {} : { annotations: event.annotations }),
      },
      eventTime: microTime(this.#date()),
      reportingController: this.#options.controller,
      reportingInstance: this.#instance.slice(0, 128),
      type: event.type,
      reason: event.reason.slice(0, 128),
      action: event.action.slice(0, 128),
      note: cutUtf8(event.note, 1_024),
      regarding: { apiVersion, kind, name, namespace, uid, resourceVersion },
    };
    return { payload, name: eventName };
  }

  #create(entry: Entry, signal: AbortSignal) {
    const { api } = this.#options;
    return api.create(EVENTS, entry.payload, signal);
  }

  async #patch(entry: Entry, signal: AbortSignal): Promise<void> {
    const { api } = this.#options;
    const body = { series: { count: entry.count, lastObservedTime: microTime(this.#date()) } };
    try {
      await api.merge(EVENTS, entry.payload.metadata, body, {}, signal);
    } catch (error) {
      // By default the server keeps Events for an hour; a series may last longer than its own Event.
      if (!isNotFound(error)) throw error;
      await api.create(EVENTS, { ...entry.payload, ...body }, signal);
    }
  }

  async #send({ send: how, entry }: Job, tries: number, signal: AbortSignal): Promise<void> {
    const { log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const count = entry.count;
        await (how === 'create' ? this.#create(entry, signal) : this.#patch(entry, signal));
        if (how === 'patch') this.#series.sent(entry, count);
        return;
      } catch (error) {
        if (signal.aborted || isAlreadyExists(error)) return;
        if (attempt >= tries || isRefusal(error)) {
          this.#dropped('refused');
          log.warn({ err: error }, 'the API server refused an event');
          return;
        }
        await sleep(this.#clock, TRY_EVERY_MS, signal);
      }
    }
  }

  #idle(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        signal.removeEventListener('abort', this.#wake);
        resolve();
      };
      signal.addEventListener('abort', this.#wake, { once: true });
      if (signal.aborted || this.#jobs.size > 0) this.#wake();
    });
  }

  async #sendAll(tries: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const job = this.#jobs.next();
      if (job === undefined) return;
      await this.#send(job, tries, signal);
      // Removed only after it was sent: if the process stops in between, flush sends it, and a second create answers
      // "already exists".
      if (!signal.aborted) this.#jobs.take(job);
    }
  }
}

/** The server would refuse it again. */
function isRefusal(error: unknown): boolean {
  return error instanceof KubeError && error.status >= 400 && error.status < 500 && error.status !== 429;
}

function cutUtf8(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  // A character cut in two decodes to U+FFFD, which is removed.
  return Buffer.from(text).subarray(0, bytes).toString('utf8').replace(/�+$/, '');
}
