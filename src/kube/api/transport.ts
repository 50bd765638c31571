// HTTP to the API server: authentication, time limits, retries, errors.
//
// Retried are 429, and 503/500/504 with Retry-After, up to 10 times and 60 s of waiting in all (client-go retries
// exactly these; every body here is a string, so each can be sent again). A call is retried once after 401 when a newer
// token is available. A read is retried once after a lost connection, because a kept-alive socket may be closed by the
// server at any time.

import type { Dispatcher } from 'undici';
import { type Clock, realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { firstHeader } from '#base/first-header.ts';
import { sleep } from '#base/wait.ts';
import { createConnectionPool } from './connections.ts';
import type { KubeCredentials, KubeProof } from './credentials.ts';
import { errorFromAnswer, KubeError } from './errors.ts';

export interface KubeCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** (Default: `application/json`.) */
  readonly contentType?: string;
  /** The media type of the answer, which must be JSON. (Default: `application/json`.) */
  readonly accept?: string;
  /** Returns undefined on 404 instead of throwing; for deletions. */
  readonly absentIsDone?: boolean;
}

export interface Transport {
  /** The JSON of the answer. @throws {KubeError}; the signal's reason when it aborts */
  request(call: KubeCall, signal?: AbortSignal): Promise<unknown>;
  /**
   * A GET whose answer has no end: resolves when the answer begins. It is never retried and may be silent for any time.
   * @throws as `request`
   */
  stream(call: Pick<KubeCall, 'path' | 'query'>, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** The local clock minus that of the server, in ms, by its last answer; null before the first one. */
  clockDifference(): number | null;
  /** Closes every connection; calls in flight fail. */
  close(): Promise<void>;
}

/** Counts one attempt; `status` is 0 when there was no answer. */
export type CallObserver = (method: string, status: number, seconds: number) => void;

export interface TransportOptions {
  readonly credentials: KubeCredentials;
  readonly clock?: Clock;
  /** The time of the system in ms since the epoch. (Default: Date.now.) */
  readonly systemTime?: () => number;
  /** (Default: `zonestead`.) */
  readonly userAgent?: string;
  /** Calls in flight at once; the others wait in line. (Default: 16.) */
  readonly maxConnections?: number;
  /** The limit of one attempt, in ms. (Default: 30000.) */
  readonly timeoutMs?: number;
  readonly observe?: CallObserver;
}

const MAX_RESENDS = 10;
const MAX_WAIT_MS = 60_000;
const DEFAULT_RETRY_MS = 1_000;

/** Makes a transport; nothing is opened before the first call. */
export function createTransport(options: TransportOptions): Transport {
  return new HttpTransport(options);
}

class HttpTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #pool: ReturnType<typeof createConnectionPool>;
  readonly #agentName: string;
  readonly #observe: NonNullable<TransportOptions['observe']>;
  readonly #origin: string;
  readonly #prefix: string;
  // After a failed handshake or a 401, the credential files may be newer than the credentials in memory.
  #suspicious = false;
  #clockDifference: number | null = null;

  constructor(options: TransportOptions) {
    this.#options = options;
    const { credentials } = this.#options;
    this.#clock = this.#options.clock ?? realClock;
    this.#timeoutMs = this.#options.timeoutMs ?? 30_000;
    this.#pool = createConnectionPool(credentials, this.#options.maxConnections ?? 16);
    this.#agentName = this.#options.userAgent ?? 'zonestead';
    this.#observe = this.#options.observe ?? (() => undefined);
    this.#origin = new URL(credentials.server).origin;
    this.#prefix = new URL(credentials.server).pathname.replace(/\/+$/, '');
  }

  async request(call: KubeCall, signal?: AbortSignal): Promise<unknown> {
    const { credentials } = this.#options;
    let waitedMs = 0;
    let isRefreshed = false;
    let hasReconnected = false;
    for (let resends = 0; ; resends++) {
      const { result, proof } = await this.#once(call, signal);
      if (!('error' in result)) return result.value;
      const { error } = result;
      if (resends >= MAX_RESENDS) throw error;
      if (error.status === 401 && proof !== undefined && !isRefreshed) {
        isRefreshed = true;
        if ((await credentials.read(true)).headers.authorization === proof.headers.authorization) throw error;
        continue;
      }
      if (error.reason === 'Unreachable' && call.method === 'GET' && !hasReconnected) {
        hasReconnected = true;
        continue;
      }
      const wait = waitBeforeResend(error);
      if (wait === undefined || waitedMs + wait > MAX_WAIT_MS) throw error;
      waitedMs += wait;
      await sleep(this.#clock, wait, signal);
    }
  }

  async stream(
    { path, query }: Pick<KubeCall, 'path' | 'query'>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>> {
    const call: KubeCall = { method: 'GET', path, query };
    const start = this.#clock.now();
    let status = 0;
    try {
      const { answer } = await this.#send(call, 'watches', signal);
      status = answer.statusCode;
      if (status < 300) return answer.body;
      throw errorFromAnswer(status, await answer.body.text(), firstHeader(answer.headers['retry-after']));
    } catch (cause) {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof KubeError && cause.status !== 401) throw cause;
      this.#suspicious = true;
      throw cause instanceof KubeError ? cause : networkError(cause, undefined);
    } finally {
      this.#observe('WATCH', status, (this.#clock.now() - start) / 1000);
    }
  }

  clockDifference(): number | null {
    return this.#clockDifference;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #send(call: KubeCall, kind: 'calls' | 'watches', signal: AbortSignal): Promise<Sent> {
    const { credentials } = this.#options;
    const proof = await credentials.read(this.#suspicious);
    this.#suspicious = false;
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const answer = await this.#pool.for(proof.tls)[kind].request({
      origin: this.#origin,
      path: buildPath(this.#prefix, call),
      method: call.method,
      headers: {
        accept: call.accept ?? 'application/json',
        'user-agent': this.#agentName,
        ...(body === null ? {} : { 'content-type': call.contentType ?? 'application/json' }),
        ...proof.headers,
      },
      body,
      signal,
      headersTimeout: this.#timeoutMs,
    });
    const date = Date.parse(firstHeader(answer.headers.date) ?? '');
    if (!Number.isNaN(date)) this.#clockDifference = (this.#options.systemTime ?? Date.now)() - date;
    return { answer, proof };
  }

  async #once(call: KubeCall, signal: AbortSignal | undefined): Promise<{ result: Result; proof?: KubeProof }> {
    const limit = deadline(this.#clock, this.#timeoutMs, signal);
    const start = this.#clock.now();
    let status = 0;
    try {
      const { answer, proof } = await this.#send(call, 'calls', limit.signal);
      status = answer.statusCode;
      const text = await answer.body.text();
      if (status < 300) return { result: { value: text === '' ? undefined : JSON.parse(text) }, proof };
      if (status === 404 && call.absentIsDone) return { result: { value: undefined }, proof };
      return { result: { error: errorFromAnswer(status, text, firstHeader(answer.headers['retry-after'])) }, proof };
    } catch (cause) {
      if (signal?.aborted) throw signal.reason;
      this.#suspicious = true;
      return { result: { error: networkError(cause, limit.expired() ? this.#timeoutMs : undefined) } };
    } finally {
      limit.clear();
      this.#observe(call.method, status, (this.#clock.now() - start) / 1000);
    }
  }
}

interface Sent {
  readonly answer: Dispatcher.ResponseData;
  readonly proof: KubeProof;
}

type Result = { readonly value: unknown } | { readonly error: KubeError };

/** The delay before the same call may be sent again, in ms; undefined when it must not be sent again. Pure. */
export function waitBeforeResend(error: KubeError): number | undefined {
  if (error.status === 429) return error.retryAfterMs ?? DEFAULT_RETRY_MS;
  return error.status >= 500 ? error.retryAfterMs : undefined;
}

/**
 * The error for a call without an answer. It contains only the socket's own text, which never includes headers or
 * bodies.
 */
function networkError(cause: unknown, limitMs: number | undefined): KubeError {
  if (limitMs !== undefined) {
    const message = `No answer from the API server within ${Math.round(limitMs / 1000)} s`;
    return new KubeError({ status: 0, reason: 'Timeout', message });
  }
  if (cause instanceof SyntaxError) {
    return new KubeError({ status: 0, reason: 'Unreadable', message: 'The answer of the API server is not JSON' });
  }
  const text = cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : 'unknown';
  return new KubeError({ status: 0, reason: 'Unreachable', message: `The API server is unreachable: ${text}`, cause });
}

function buildPath(prefix: string, call: Pick<KubeCall, 'path' | 'query'>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.append(name, value);
  const text = query.toString();
  return `${prefix}${call.path}${text === '' ? '' : `?${text}`}`;
}
