// One call to the REST service: headers, time limit, errors, and the answer checked against its schema. It must not know
// any route. Nothing is resent here: pacing is the dispatcher's and patience is the caller's.
import type { Dispatcher } from 'undici';
import { request } from 'undici';
import type { z } from 'zod';
import type { Clock } from './clock.ts';
import { timeLimit } from './clock.ts';
import { ApiError, ApiUnavailable, errorOfAnswer, parseJson } from './errors.ts';
import { type Rate, rateOf } from './rate.ts';

export interface CallOptions {
  /** Ends the call; its reason is what the call then rejects with. */
  readonly signal?: AbortSignal | undefined;
  /** Sent as `x-request-id`, so that both sides' logs can be joined. (Default: the service picks one.) */
  readonly requestId?: string | undefined;
  /** Those of all changes of a batch; `requestId` is that of the first. */
  readonly requestIds?: readonly string[] | undefined;
  /** Makes a repeated POST happen once; kept for 24 h by the service. */
  readonly idempotencyKey?: string | undefined;
  /** The object that what is written belongs to: `DNSRecord namespace/name`. */
  readonly managedBy?: string | undefined;
  /** The limit of this call in ms. (Default: the client's.) */
  readonly timeoutMs?: number | undefined;
  /** Told what a success says of the key's write limit; null when it says nothing. */
  readonly onRate?: ((rate: Rate | null) => void) | undefined;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the base address, already encoded. */
  readonly path: string;
  /** Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** (Default: application/json.) */
  readonly accept?: string;
  /** Sent as it is, instead of a body. */
  readonly text?: { readonly type: string; readonly content: string };
}

export interface Http {
  /** The parsed answer. @throws {ApiError} {ApiUnavailable}; the signal's reason when it aborts. */
  call<T>(route: Route, answer: z.ZodType<T>, options?: CallOptions): Promise<T>;
  /** The same for an answer that is not JSON, unparsed. */
  callText(route: Route, options?: CallOptions): Promise<string>;
  /** The same for answers without a body. */
  callEmpty(route: Route, options?: CallOptions): Promise<void>;
}

/** Hears of every call; `status` is 0 when there was no answer. */
export type RequestObserver = (method: string, status: number, seconds: number) => void;

/** Called as a call begins: headers that go with it, and who hears how it ended; `status` as for {@link RequestObserver}. */
export type TraceCall = (
  call: { readonly method: string; readonly path: string } & Pick<CallOptions, 'requestId' | 'requestIds'>,
) => { readonly headers: Readonly<Record<string, string>>; end(status: number): void };

export interface HttpSettings {
  readonly baseUrl: URL;
  readonly key: string;
  readonly agent: Dispatcher;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly observe?: RequestObserver | undefined;
  readonly trace?: TraceCall | undefined;
}

export function createHttp(settings: HttpSettings): Http {
  const { agent, baseUrl, clock } = settings;

  const exchange = async (route: Route, options: CallOptions): Promise<string> => {
    const limitMs = options.timeoutMs ?? settings.timeoutMs;
    const limit = timeLimit(clock, limitMs, options.signal);
    const start = clock.now();
    const { requestId, requestIds } = options;
    const traced = settings.trace?.({ method: route.method, path: route.path, requestId, requestIds });
    let status = 0;
    try {
      const answer = await request(addressOf(baseUrl, route), {
        dispatcher: agent,
        method: route.method,
        headers: { ...headersOf(settings, route, options), ...traced?.headers },
        body: route.text?.content ?? (route.body === undefined ? null : JSON.stringify(route.body)),
        signal: limit.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const body = await answer.body.text();
      status = answer.statusCode;
      if (status >= 200 && status < 300) {
        options.onRate?.(rateOf(first(answer.headers.ratelimit), first(answer.headers['ratelimit-policy'])));
        return body;
      }
      const requestId = first(answer.headers['x-request-id']) ?? null;
      throw errorOfAnswer(
        { status, body, retryAfter: first(answer.headers['retry-after']), requestId },
        Date.parse(first(answer.headers.date) ?? '') || clock.now(),
      );
    } catch (cause) {
      if (options.signal?.aborted) throw options.signal.reason;
      if (limit.expired()) throw new ApiUnavailable(`No answer from the API within ${limitMs / 1000} s`);
      if (cause instanceof ApiError) throw cause;
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

function headersOf(settings: HttpSettings, route: Route, options: CallOptions): Record<string, string> {
  return {
    accept: route.accept ?? 'application/json',
    authorization: `Bearer ${settings.key}`,
    'user-agent': settings.userAgent,
    ...(route.body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(route.text === undefined ? {} : { 'content-type': route.text.type }),
    ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
    ...(options.managedBy === undefined ? {} : { 'zonestead-managed-by': options.managedBy }),
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

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}

// An AggregateError (several addresses refused) has an empty message but a code.
function wordsOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'unknown network failure';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return cause.message || code || cause.name;
}
