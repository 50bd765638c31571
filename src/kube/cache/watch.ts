// Runs one watch from its opening to its end, and returns as data how it ended. `afterWatch` decides the next step,
// reflector.ts does it.

import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import type { KubeApi } from '../api/api.ts';
import { errorFromStatus, KubeError } from '../api/errors.ts';
import type { KubeObject, ResourceType } from '../objects/resource.ts';
import type { Scope } from './fill.ts';
import { createLineSplitter } from './lines.ts';

export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string };

export type WatchEnd =
  /** The server closed it, or one of our timers did: `deadline` (past the agreed end) or `silent`. */
  | { readonly kind: 'closed'; readonly by: 'server' | 'deadline' | 'silent' }
  /** An error answer, an ERROR event, or a lost connection. */
  | { readonly kind: 'failed'; readonly error: KubeError }
  /** The received bytes cannot be read: an event may be lost. */
  | { readonly kind: 'corrupt'; readonly problem: string };

export interface WatchRun {
  readonly end: WatchEnd;
  readonly events: number;
  readonly lastedMs: number;
}

interface WatchSettings<T> {
  readonly api: KubeApi;
  readonly type: ResourceType;
  readonly scope: Scope;
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  readonly silenceMs: number;
  readonly clock: Clock;
  readonly onEvent: (event: WatchEvent<T>) => void;
}

// The server ends a watch at timeoutSeconds; a connection still open after this is dead (kube-rs uses the same).
const DEADLINE_GRACE_MS = 5_000;

/** Watches until the watch ends. Rejects only with the signal's reason. */
export async function watchOnce<T extends KubeObject>(
  settings: WatchSettings<T>,
  signal: AbortSignal,
): Promise<WatchRun> {
  const { api, type, scope, resourceVersion, timeoutSeconds, silenceMs, clock } = settings;
  const start = clock.now();
  const limit = deadline(clock, timeoutSeconds * 1000 + DEADLINE_GRACE_MS, signal);
  const lines = createLineSplitter();
  let events = 0;
  let lastByte = start;
  let isSilent = false;
  let cancelSilence = () => {};
  const listen = (): void => {
    cancelSilence = clock.setTimeout(
      () => {
        if (clock.now() - lastByte < silenceMs) return listen();
        isSilent = true;
        limit.abort(new DOMException('The watch was silent for too long', 'AbortError'));
      },
      lastByte + silenceMs - clock.now(),
    );
  };
  const endRun = (end: WatchEnd): WatchRun => ({ end, events, lastedMs: clock.now() - start });

  try {
    listen();
    const body = await api.watch(type, { ...scope, resourceVersion, timeoutSeconds }, limit.signal);
    for await (const chunk of body) {
      lastByte = clock.now();
      for (const line of lines.push(chunk)) {
        const event = parseEvent<T>(line);
        if ('end' in event) return endRun(event.end);
        events++;
        settings.onEvent(event);
      }
    }
    signal.throwIfAborted();
    if (lines.pending() > 0) return endRun({ kind: 'corrupt', problem: 'the stream ended inside an event' });
    return endRun({ kind: 'closed', by: isSilent ? 'silent' : limit.expired() ? 'deadline' : 'server' });
  } catch (cause) {
    if (signal.aborted) throw signal.reason;
    if (isSilent) return endRun({ kind: 'closed', by: 'silent' });
    if (limit.expired()) return endRun({ kind: 'closed', by: 'deadline' });
    if (cause instanceof RangeError) return endRun({ kind: 'corrupt', problem: cause.message });
    if (lines.pending() > 0) return endRun({ kind: 'corrupt', problem: 'the connection was lost inside an event' });
    return endRun({ kind: 'failed', error: toKubeError(cause) });
  } finally {
    cancelSilence();
    limit.clear();
  }
}

function toKubeError(cause: unknown): KubeError {
  if (cause instanceof KubeError) return cause;
  const text = cause instanceof Error ? cause.message : 'unknown';
  return new KubeError({ status: 0, reason: 'Unreachable', message: `The watch was lost: ${text}`, cause });
}

function parseEvent<T>(line: string): WatchEvent<T> | { readonly end: WatchEnd } {
  let event: { type?: unknown; object?: { metadata?: { name?: unknown; resourceVersion?: unknown } } };
  try {
    event = JSON.parse(line);
  } catch {
    return { end: { kind: 'corrupt', problem: 'an event is not JSON' } };
  }
  if (event?.type === 'ERROR') return { end: { kind: 'failed', error: errorFromStatus(event.object) } };
  const { name, resourceVersion } = event?.object?.metadata ?? {};
  if (typeof resourceVersion !== 'string' || resourceVersion === '') {
    return { end: { kind: 'corrupt', problem: 'an event has no resourceVersion' } };
  }
  if (event.type === 'BOOKMARK') return { type: 'BOOKMARK', resourceVersion };
  if (event.type !== 'ADDED' && event.type !== 'MODIFIED' && event.type !== 'DELETED') {
    return { end: { kind: 'corrupt', problem: 'an event is of an unknown type' } };
  }
  if (typeof name !== 'string' || name === '') return { end: { kind: 'corrupt', problem: 'an object has no name' } };
  return { type: event.type, object: event.object as T };
}

export interface WatchStep {
  /** List again before the next watch. */
  readonly list: 'no' | 'atLast' | 'newest';
  /** The delay before that: none, a time in ms that the server named, or our own growing delay. */
  readonly wait: 'none' | 'backoff' | number;
}

/** Below this a watch without an event is a failure (client-go: "very short watch"). */
const SHORT_WATCH_MS = 1_000;
/** Failing watches are reopened at the last version for this long; then the cache is listed again. */
const RELIST_AFTER_MS = 60_000;

/**
 * Decides the next step after a watch. `failingForMs` is how long watches have been failing without one event in
 * between; undefined when the watch before succeeded.
 *
 *   closed                      reopen at the last version; after a growing delay if the watch was very short
 *   410                         list
 *   429                         wait as the server says (or a growing delay), reopen, never list: the server is busy
 *   lost connection, 5xx        growing delay, reopen; list after a minute of failures
 *   other error, unreadable     growing delay, list: the cache can no longer be trusted
 */
export function afterWatch(run: WatchRun, failingForMs: number | undefined): WatchStep {
  const { end } = run;
  if (end.kind === 'closed') {
    // Not even a bookmark: the server may wait for a version that it no longer has, because etcd was restored.
    if (end.by === 'silent' && run.events === 0) return { list: 'newest', wait: 'none' };
    return { list: 'no', wait: run.events === 0 && run.lastedMs < SHORT_WATCH_MS ? 'backoff' : 'none' };
  }
  if (end.kind === 'corrupt') return { list: 'atLast', wait: 'backoff' };
  const { status, retryAfterMs } = end.error;
  // A watch that repeatedly ends with 410 at once must not cause a storm of lists.
  if (status === 410) return { list: 'atLast', wait: failingForMs === undefined ? 'none' : 'backoff' };
  if (status === 429) return { list: 'no', wait: retryAfterMs ?? 'backoff' };
  if (status === 0 || status >= 500) {
    return { list: (failingForMs ?? 0) >= RELIST_AFTER_MS ? 'atLast' : 'no', wait: retryAfterMs ?? 'backoff' };
  }
  return { list: 'newest', wait: 'backoff' };
}
