// Calls the operations of the REST service: address, headers, time limit, errors, and the check of the answer against
// its schema. Only a call whose key was replaced, or is to be judged again, is repeated here: the dispatcher sets the
// pace, and the caller decides how long to wait.

import { type Dispatcher, request } from 'undici';
import type { z } from 'zod';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { firstHeader } from '#base/first-header.ts';
import { explainTls, type TlsPeer } from '#base/tls-fault.ts';
import { sleep } from '#base/wait.ts';
import type { Input, Operation, OperationAnswer } from '#contract/operation.ts';
import { buildUrl, fillPath, type PathParams, type Query } from './address.ts';
import { AnswerTooLong, ApiError, ApiUnavailable, errorOfAnswer, isKeyNotRead, parseJson } from './errors.ts';
import { type ClientKey, createKeyText } from './key.ts';
import { parseRate, type Rate } from './pace/rate.ts';

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
  /**
   * The ETag that the state must have, with its quotation marks, for a change; otherwise the error has the status 412.
   * Absent: any.
   */
  readonly ifMatch?: string | undefined;
  /** Called with the ETag of a successful answer; null if it has none. */
  readonly onEtag?: ((etag: string | null) => void) | undefined;
  /** The limit of this call in ms. (Default: the client's.) */
  readonly timeoutMs?: number | undefined;
  /** Called with the key's write limit that a successful answer states; null when it states none. */
  readonly onRate?: ((rate: Rate | null | undefined) => void) | undefined;
}

/**
 * Calls an operation of the contract with the parts that it has, and returns its answer, which was checked against its
 * schema.
 * @throws {ApiError} when the service refuses; {ApiUnavailable} without a usable answer within the time limit; the
 * signal's reason
 */
export type Call = <O extends Operation>(
  operation: O,
  input: Input<O>,
  options?: CallOptions,
) => Promise<OperationAnswer<O>>;

/** A request to the service. */
interface Outgoing {
  readonly operation: Operation;
  readonly path: string;
  readonly query: Query | undefined;
  readonly body: unknown;
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

interface CallSettings {
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

export function createCall(settings: CallSettings): Call {
  const { agent, baseUrl, clock } = settings;
  const keyText = createKeyText(settings.key, clock);

  /**
   * One more attempt if the file of the key holds another one than the service refused, or if the service reads the
   * keys of the issuer of a token again soon enough. The service did nothing for a refused key, so every call may be
   * repeated.
   */
  const exchange = async (outgoing: Outgoing, options: CallOptions): Promise<Received> => {
    const key = await keyText.current();
    try {
      return await attempt(outgoing, options, key);
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      const newer = await keyText.after(key);
      if (newer === null && (!isKeyNotRead(error) || error.retryAfterMs > (settings.keyWaitMs ?? 0))) throw error;
      if (newer === null) await sleep(clock, error.retryAfterMs ?? 0, options.signal);
      return await attempt(outgoing, options, newer ?? key);
    }
  };

  const attempt = async (outgoing: Outgoing, options: CallOptions, key: string): Promise<Received> => {
    const { operation, path, query } = outgoing;
    const { method } = operation;
    const limitMs = options.timeoutMs ?? settings.timeoutMs;
    const limit = deadline(clock, limitMs, options.signal);
    const start = clock.now();
    const { requestId, requestIds } = options;
    const traced = settings.trace?.({ method, path, requestId, requestIds });
    let status = 0;
    try {
      const answer = await request(buildUrl(baseUrl, path, query), {
        dispatcher: agent,
        method,
        headers: { ...buildHeaders(settings, outgoing, options, key), ...traced?.headers },
        body: encodeBody(outgoing),
        signal: limit.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      const body = await readText(answer.body, settings.maxAnswerBytes);
      status = answer.statusCode;
      if (status >= 200 && status < 300) {
        options.onEtag?.(firstHeader(answer.headers.etag) ?? null);
        options.onRate?.(
          parseRate(firstHeader(answer.headers.ratelimit), firstHeader(answer.headers['ratelimit-policy'])),
        );
        return { status, body };
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
      throw new ApiUnavailable(`The API is unreachable: ${describeCause(cause)}`, cause);
    } finally {
      limit.clear();
      settings.observe?.(method, status, (clock.now() - start) / 1000);
      traced?.end(status);
    }
  };

  return async (operation, { params, query, body }, options = {}) => {
    const path = fillPath(operation, params as PathParams | undefined);
    const response = await exchange({ operation, path, query: query as Query | undefined, body }, options);
    const [first, ...others] = Object.keys(operation.answers).map(Number);
    const status = others.includes(response.status) ? response.status : (first ?? 200);
    const schema = operation.answers[status];
    if (schema === undefined || status === 204) return null as never;
    const value = operation.produces === undefined ? parseJson(response.body) : response.body;
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data as never;
    const where = findIssuePath(parsed.error.issues[0]).join('.') || 'body';
    throw new ApiUnavailable(`The API's answer to ${operation.method} ${path} breaks the contract at ${where}`);
  };
}

interface Received {
  readonly status: number;
  readonly body: string;
}

/**
 * The place of the fault. That of a union is in its last member, which is a list where the first one is a single
 * object.
 */
function findIssuePath(issue: z.core.$ZodIssue | undefined): PropertyKey[] {
  if (issue?.code !== 'invalid_union') return issue?.path ?? [];
  return [...issue.path, ...findIssuePath(issue.errors.at(-1)?.[0])];
}

/** Text for an operation that takes another type than JSON. */
function encodeBody({ operation, body }: Outgoing): string | null {
  if (body === undefined) return null;
  return operation.consumes === undefined ? JSON.stringify(body) : String(body);
}

/** Stops reading a body that is too long, which ends its connection. @throws AnswerTooLong */
async function readText(body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new AnswerTooLong(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function buildHeaders(
  settings: CallSettings,
  { operation, body }: Outgoing,
  options: CallOptions,
  key: string,
): Record<string, string> {
  const [type = 'application/json'] = operation.consumes ?? [];
  return {
    accept: operation.produces?.[0] ?? 'application/json',
    authorization: `Bearer ${key}`,
    'user-agent': settings.userAgent,
    ...(body === undefined ? {} : { 'content-type': type }),
    ...(options.requestId === undefined ? {} : { 'x-request-id': options.requestId }),
    ...(options.managedBy === undefined ? {} : { 'zonestead-managed-by': options.managedBy }),
    ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
  };
}

const SERVICE: TlsPeer = { server: 'the api', authorities: 'ZONESTEAD_URL_CA', address: 'ZONESTEAD_URL' };

// An AggregateError (several addresses refused) has an empty message but a code.
function describeCause(cause: unknown): string {
  const explanation = explainTls(cause, SERVICE);
  if (explanation !== null) return explanation;
  if (!(cause instanceof Error)) return 'unknown network failure';
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
  return cause.message || code || cause.name;
}
