// Leader election: of several replicas, the one that holds a Lease works.
//
//   waiting ──lease free, taken──▶ leading ──work ended──▶ released
//                                     │
//                                     └── not renewed for `deadlineMs`, or another process holds it ──▶ lost (run rejects)
//
// A lease is not a fence: a write that was sent may arrive late. The leader therefore stops before another replica may
// take over: deadline < duration, counted from before the last renewal was sent. Every write is preceded by a check of
// `leads()`, because a process that was suspended for a while (SIGSTOP, a paused machine) sends before its timers run.
// The default times are those of client-go: 15 s, 10 s, 2 s.

import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import type { WriteInterceptor } from '#base/write-interceptor.ts';
import type { Logger } from '#telemetry/log.ts';
import type { KubeApi } from '../api/api.ts';
import { isAlreadyExists, isConflict, isNotFound } from '../api/errors.ts';
import { watchOnce } from '../cache/watch.ts';
import { claimed, freeAt, LEASES, type Lease, look, released, type Sighting } from './lease.ts';

export interface ElectionOptions {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly name: string;
  /** Runs work in at most one process at any moment. */
  readonly identity: string;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** The wall clock, for the times in the lease that people read. */
  readonly date: () => Date;
  /** The annotation of the lease in which its renewals are counted. Absent: they are not counted. */
  readonly countIn?: string;
  /** The time after which another replica may take over an unchanged lease. (Default: 15000.) */
  readonly durationMs?: number;
  /** The time after which a leader that cannot renew the lease stops. (Default: 10000.) */
  readonly deadlineMs?: number;
  /** The time between two renewals or attempts; up to a fifth longer, at random. (Default: 2000.) */
  readonly retryMs?: number;
}

export interface Election {
  readonly identity: string;
  /** Whether this process may write at this moment. */
  leads(): boolean;
  /** How often this process became the leader. */
  terms(): number;
  /**
   * The lease of this process: its uid, how often all its holders together have renewed it, and when the last renewal
   * was sent, in ms of the clock. Undefined while this process does not lead, or does not count. The number never
   * falls: each renewal is conditional on the one before it. It does if the API server lost data.
   */
  progress(): { readonly uid: string; readonly renewals: number; readonly renewedAt: number } | undefined;
  /**
   * Waits for the lease, runs the work, releases the lease. Soon after `lost` aborts, the work must end everything that
   * it started, and return whether it did: unfinished work must keep other replicas from taking over at once. Returns
   * without running the work when the signal aborts first.
   * @throws LeadershipLost
   */
  run(work: (lost: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void>;
}

/** Another process may be writing by now, so this process must restart. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

const RELEASE_LIMIT_MS = 2_000;
const WATCH_SILENCE_MS = 60_000;

/** @throws {RangeError} when the three times do not leave room for each other */
export function createElection(options: ElectionOptions): Election {
  return new LeaseElection(options);
}

class LeaseElection implements Election {
  readonly #options: ElectionOptions;
  readonly #identity: string;
  readonly #durationMs: number;
  readonly #deadlineMs: number;
  readonly #retryMs: number;
  readonly #log: Logger;
  #lease: Lease | null = null;
  #heldUntil = 0;
  #renewedAt = 0;
  // An answer that comes after the term has ended must not begin it again.
  #over = true;
  #terms = 0;
  readonly identity: string;
  constructor(options: ElectionOptions) {
    this.#options = options;
    const { namespace, name } = this.#options;
    this.#identity = options.identity;
    this.#durationMs = options.durationMs ?? 15_000;
    this.#deadlineMs = options.deadlineMs ?? 10_000;
    this.#retryMs = options.retryMs ?? 2_000;
    if (!(this.#durationMs > this.#deadlineMs && this.#deadlineMs > 1.2 * this.#retryMs && this.#retryMs > 0))
      throw new RangeError('The lease needs duration > deadline > 1.2 × retry');
    this.#log = this.#options.log.child({ lease: `${namespace}/${name}`, identity: this.#identity });
    this.identity = this.#identity;
  }

  leads(): boolean {
    const { clock } = this.#options;
    return !this.#over && clock.now() < this.#heldUntil;
  }

  terms(): number {
    return this.#terms;
  }

  async run(work: (lost: AbortSignal) => Promise<boolean>, signal: AbortSignal): Promise<void> {
    try {
      await this.#acquire(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#terms += 1;
    this.#log.info('leading');
    const lossAbort = new AbortController();
    const doneAbort = new AbortController();
    const lose = (why: LeadershipLost): void => {
      this.#over = true;
      if (!lossAbort.signal.aborted) this.#log.error({ err: why }, 'lost the leadership');
      lossAbort.abort(why);
    };
    const keeping = this.#keep(lose, doneAbort.signal);
    let hasEnded = false;
    try {
      hasEnded = await work(lossAbort.signal);
    } finally {
      doneAbort.abort();
      await keeping;
    }
    if (lossAbort.signal.aborted) throw lossAbort.signal.reason;
    if (hasEnded) await this.#release();
    this.#over = true;
  }

  progress(): ReturnType<Election['progress']> {
    const { countIn } = this.#options;
    const uid = this.#lease?.metadata.uid;
    if (countIn === undefined || uid === undefined || !this.leads()) return undefined;
    return { uid, renewals: countOf(this.#lease, countIn), renewedAt: this.#renewedAt };
  }

  #pause(signal: AbortSignal) {
    const { clock, random } = this.#options;
    return sleep(clock, this.#retryMs * (1 + random() / 5), signal);
  }

  async #read(signal: AbortSignal): Promise<Lease | null> {
    const { api, namespace, name } = this.#options;
    try {
      return await api.get<Lease>(LEASES, { namespace, name }, signal);
    } catch (error) {
      if (isNotFound(error)) return null;
      throw error;
    }
  }

  /** Acquires or renews the lease as it was seen. @throws KubeError 409 when it has changed since */
  async #write(seenLease: Lease | null, signal: AbortSignal): Promise<void> {
    const { clock, date, api, namespace, name } = this.#options;
    const sentAt = clock.now();
    const spec = claimed(seenLease?.spec, this.#identity, this.#durationMs, date());
    const { countIn } = this.#options;
    const counted =
      countIn === undefined ? {} : { annotations: { [countIn]: String(countOf(seenLease, countIn) + 1) } };
    this.#lease =
      seenLease === null
        ? await api.create<Lease>(LEASES, { metadata: { namespace, name, ...counted }, spec }, signal)
        : await api.merge<Lease>(
            LEASES,
            { namespace, name },
            { metadata: { ...versionOf(seenLease), ...counted }, spec },
            {},
            signal,
          );
    this.#renewedAt = sentAt;
    this.#heldUntil = sentAt + this.#deadlineMs;
  }

  /** Follows the lease until it may be free, or the watch ends. */
  async #follow(from: Sighting, signal: AbortSignal): Promise<Sighting> {
    const { clock, api, namespace, name } = this.#options;
    let sighting = from;
    const end = new AbortController();
    const stop = () => end.abort();
    signal.addEventListener('abort', stop, { once: true });
    let disarm = (): void => undefined;
    const arm = (): void => {
      disarm();
      disarm = clock.setTimeout(stop, freeAt(sighting, this.#identity) - clock.now());
    };
    arm();
    try {
      await watchOnce<Lease>(
        {
          api,
          type: LEASES,
          scope: { namespace, fieldSelector: `metadata.name=${name}` },
          resourceVersion: from.lease?.metadata.resourceVersion ?? '',
          timeoutSeconds: 300,
          silenceMs: WATCH_SILENCE_MS,
          clock,
          onEvent: (event) => {
            if (event.type === 'BOOKMARK') return;
            sighting = look(sighting, event.type === 'DELETED' ? null : event.object, clock.now());
            arm();
          },
        },
        end.signal,
      );
      // The server ended the watch, or there is none: look again, but not in a tight loop.
      await this.#pause(end.signal);
    } catch {
      signal.throwIfAborted();
    } finally {
      disarm();
      signal.removeEventListener('abort', stop);
    }
    return sighting;
  }

  async #acquire(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    let sighting: Sighting | null = null;
    for (;;) {
      signal.throwIfAborted();
      const limit = deadline(clock, this.#deadlineMs, signal);
      try {
        sighting = look(sighting, await this.#read(limit.signal), clock.now());
        if (freeAt(sighting, this.#identity) <= clock.now()) {
          await this.#write(sighting.lease, limit.signal);
          this.#over = false;
          return;
        }
      } catch (error) {
        signal.throwIfAborted();
        if (!isConflict(error) && !isAlreadyExists(error))
          this.#log.warn({ err: error }, 'failed to acquire the lease');
        await this.#pause(signal);
        continue;
      } finally {
        limit.clear();
      }
      this.#log.info({ holder: sighting.lease?.spec?.holderIdentity }, 'waiting for the lease');
      sighting = await this.#follow(sighting, signal);
    }
  }

  /**
   * Renews the lease once.
   * @throws LeadershipLost when another process holds it, KubeError when the holder is unknown
   */
  async #renew(signal: AbortSignal): Promise<void> {
    const { namespace, name } = this.#options;
    try {
      await this.#write(this.#lease, signal);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      const now = await this.#read(signal);
      if (now !== null && now.spec?.holderIdentity !== this.#identity)
        throw new LeadershipLost(
          `The lease ${namespace}/${name} is held by ${now.spec?.holderIdentity || 'no process'}`,
        );
      // This process still holds it: an answer was lost, or another client labeled the lease or deleted it.
      await this.#write(now, signal);
    }
  }

  async #keep(lose: (why: LeadershipLost) => void, doneSignal: AbortSignal): Promise<void> {
    const { clock, namespace, name } = this.#options;
    let disarm = (): void => undefined;
    const arm = (): void => {
      disarm();
      disarm = clock.setTimeout(
        () =>
          lose(
            new LeadershipLost(`The lease ${namespace}/${name} was not renewed within ${this.#deadlineMs / 1000} s`),
          ),
        this.#heldUntil - clock.now(),
      );
    };
    arm();
    while (!doneSignal.aborted) {
      await this.#pause(doneSignal).catch(() => undefined);
      if (doneSignal.aborted) break;
      // Half of the remaining time, so that a connection that hangs leaves time for another attempt.
      const limit = deadline(clock, Math.max(1, Math.max(this.#retryMs, (this.#heldUntil - clock.now()) / 2)));
      try {
        await this.#renew(limit.signal);
        arm();
      } catch (error) {
        if (error instanceof LeadershipLost) lose(error);
        else this.#log.warn({ err: error }, 'the lease was not renewed');
      } finally {
        limit.clear();
      }
      if (!this.leads()) break;
    }
    disarm();
  }

  async #release(): Promise<void> {
    const { clock, date, api, namespace, name } = this.#options;
    this.#over = true;
    if (this.#lease === null) return;
    const limit = deadline(clock, RELEASE_LIMIT_MS);
    try {
      const patch = { metadata: versionOf(this.#lease), spec: released(date()) };
      await api.merge(LEASES, { namespace, name }, patch, {}, limit.signal);
      this.#log.info('the lease was released');
    } catch (error) {
      this.#log.warn({ err: error }, 'the lease was not released and has to expire');
    } finally {
      limit.clear();
    }
  }
}

/** Another client may have changed the annotation: a number that cannot be read begins again. */
function countOf(lease: Lease | null, annotation: string): number {
  const text = lease?.metadata.annotations?.[annotation] ?? '';
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0;
}

function versionOf({ metadata: { resourceVersion } }: Lease): { resourceVersion: string | undefined } {
  return { resourceVersion };
}

/** Lets writes pass only while this process leads. */
export function whileLeading(election: Election): WriteInterceptor {
  return async (write, run) => {
    if (!election.leads()) throw new LeadershipLost(`Not leading: ${write.name} was not sent`);
    return run();
  };
}
