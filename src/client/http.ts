// Makes one call to the REST service: headers, time limit, errors, and the check of the answer against its schema.
// Only a call whose key was replaced, or is to be judged again, is repeated here: the dispatcher sets the pace, and the caller decides
// how long to wait.

import type { Dispatcher } from 'undici';
import { request } from 'undici';
import type { z } from 'zod';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { firstHeader } from '#base/first-header.ts';
import { sleep } from '#base/wait.ts';
import { AnswerTooLong, ApiError, ApiUnavailable, errorOfAnswer, isKeyNotRead, parseJson } from './errors.ts';
import { type ClientKey, createKeyText } from './key.ts';
import { type Rate, rateOf } from './pace/rate.ts';

export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as `x-request-id`, so that the logs of both sides can be joined. (Default: the service picks one.) */
  readonly requestId?: string | undefined;
  /** The ids of all changes of a batch; `requestId` is the id of the first one. */
  readonly requestIds?: readonly string[] | undefined;
  /** Lets the service execute a repeated POST only once; it remembers the key for 24 h. */
  readonly idempotencyKey?: string | undefined;
  /** The object that a new zone is made for: `DNSZone namespace/name`. */
  readonly managedBy?: string | undefined;
  /** The ETag that the state must have, with its quotation marks, for a change; otherwise the error has the status 412. (Default: any.) */
  readonly ifMatch?: string | undefined;
  /** Called with the ETag of a successful answer; null if it has none. */
  readonly onEtag?: ((etag: string | null) => void) | undefined;
  /** The limit of this call in ms. (Default: the client's.) */
  readonly timeoutMs?: number | undefined;
  /** Called with the key's write limit that a successful answer states; null when it states none. */
  readonly onRate?: ((rate: Rate | null | undefined) => void) | undefined;
}

interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, already encoded. */
  readonly path: string;
  /** Undefined values are omitted. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** (Default: application/json.) */
  readonly accept?: string;
  /** Sent unchanged, instead of a body. */
  readonly text?: { readonly type: string; readonly content: string };
}

interface Http {
  /** The parsed answer. @throws {ApiError} {ApiUnavailable}; the signal's reason when it aborts. */
  call<T>(route: Route, answer: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /** The same for an answer that is not JSON, unparsed. */
  callText(route: Route, options?: CallOptions): Promise<string>;
  /** The same for answers without a body. */
  callEmpty(route: Route, options?: CallOptions): Promise<void>;
}

/** Called for every call; `status` is 0 when there was no answer. */
export type RequestObserver = (method: string, status: number, seconds: number) => void;

/**
 * Called when a call begins: returns headers for it, and a function that is called with its `status` as in {@link
 * RequestObserver}.
 */
export type TraceCall = (
  call: { readonly method: string; readonly path: string } & Pick<CallOptions, 'requestId' | 'requestIds'>,
) => { readonly headers: Readonly<Record<string, string>>; end(status: number): void };

interface HttpSettings {
  readonly baseUrl: URL;
  readonly key: ClientKey;
  readonly agent: Dispatcher;
  readonly userAgent: string;
  readonly timeoutMs: number;
  /** See ClientOptions. (Default: 0.) */
  readonly keyWaitMs?: number | undefined;
  readonly maxAnswerBytes: number;
  readonly clock: Clock;
  readonly observe?: RequestObserver | undefined;
  readonly trace?: TraceCall | undefined;
}

export function createHttp(settings: HttpSettings): Http {
  const { agent, baseUrl, clock } = settings;
  const keyText = createKeyText(settings.key, clock);

  /**
   * One more attempt if the file of the key holds another one than the service refused, or if the service reads the keys of the issuer
   * of a token again soon enough. The service did nothing for a refused key, so every call may be repeated.
   */
  const exchange = async (route: Route, options: CallOptions): Promise<string> => {
    const key = await keyText.current();
    try {
      return await attempt(route, options, key);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const newer = await keyText.after(key);
      if (newer === null && (!isKeyNotRead(error) || error.retryAfterMs > (settings.keyWaitMs ?? 0))) throw error;
      if (newer === null) await sleep(clock, error.retryAfterMs ?? 0, options.signal);
      return await attempt(route, options, newer ?? key);
    }
  };

  const attempt = async (route: Route, options: CallOptions, key: string): Promise<string> => {
    const limitMs = options.timeoutMs ?? settings.timeoutMs;
    const limit = deadline(clock, limitMs, options.signal);
    const start = clock.now();
    const { requestId, requestIds } = options;
    const traced = settings.trace?.({ method: route.method, path: route.path, requestId, requestIds });
    let status = 0;
    try {
      const answer = await request(addressOf(baseUrl, route), {
        dispatcher: agent,
        method: route.method,
        headers: { ...headersOf(settings, route, options, key), ...traced?.headers },
        body: route.text?.content ?? (route.body === undefined ? null : JSON.stringify(route.body)),
        signal: limit.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const body = await textOf(answer.body, settings.maxAnswerBytes);
      status = answer.statusCode;
      if (status >= 200 && status < 300) {
        options.onEtag?.(firstHeader(answer.headers.etag) ?? null);
        options.onRate?.(
          rateOf(firstHeader(answer.headers.ratelimit), firstHeader(answer.headers['ratelimit-policy'])),
        );
        return body;
      }
      const requestId = firstHeader(answer.headers['x-request-id']) ?? null;
      throw errorOfAnswer(
        { status, body, retryAfter: firstHeader(answer.headers['retry-after']), requestId },
        Date.parse(firstHeader(answer.headers.date) ?? '') || clock.now(),
      );
    } catch (cause) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (limit.expired()) throw new ApiUnavailable(`No answer from the API within ${limitMs / 1000} s`);
      if (cause instanceof ApiError || cause instanceof ApiUnavailable) throw cause;
      throw new ApiUnavailable(`The API is unreachable: ${wordsOf(cause)}`, cause);
    } finally {
      limit.clear();
      settings.observe?.(route.method, status, (clock.now() - start) / 1000);
      traced?.end(status);
    }
  };

  return {
    call: async (route, schema, options = {}) => {
      const parsed = schema.safeParse(parseJson(await exchange(route, options)));
      if (parsed.success) return parsed.data;
      const where = parsed.error.issues[0]?.path.join('.') || 'body';
      throw new ApiUnavailable(`The API's answer to ${route.method} ${route.path} breaks the contract at ${where}`);
    },
    callText: (route, options = {}) => exchange(route, options),
    callEmpty: async (route, options = {}) => {
      await exchange(route, options);
    },
  };
}

/** Stops reading a body that is too long, which ends its connection. @throws AnswerTooLong */
async function textOf(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headersOf(settings: HttpSettings, route: Route, options: CallOptions, key: string): Record<string, string> {
  return {
    accept: route.accept ?? 'application/json',
    authorization: `Bearer ${key}`,
    'user-agent': settings.userAgent,
    ...(route.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(route.text === undefined ? {} : { 'content-type': route.text.type }),
    ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
    ...(options.managedBy === undefined ? {} : { 'zonestead-managed-by': options.managedBy }),
    ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
  };
}

/** The base address may have a path of its own (an ingress prefix). */
function addressOf(baseUrl: URL, route: Route): URL {
  const url = new URL(`${baseUrl.pathname.replace(/\/+$/, '')}${route.path}`, baseUrl.origin);
  for (const [name, value] of Object.entries(route.query ?? {})) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return url;
}

// An AggregateError (several addresses refused) has an empty message but a code.
function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown network failure';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return cause.message || code || cause.name;
}
