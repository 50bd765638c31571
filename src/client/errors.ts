// What can go wrong between a client and the REST service, as two types: it answered "no" (ApiError), or nobody knows
// what it did (ApiUnavailable). Callers branch on `status` and `code`, never on text. No error ever holds the key, a
// header or a whole body: errors end up in logs and conditions.
import { errorBody } from '../api/schemas/error.ts';

export interface ApiErrorFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
}

/** The service, or something before it, answered with a status other than 2xx. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** One of the codes of SPEC section 7; `unknown` when the answer did not come from the service. */
  readonly code: string;
  /** How long the caller must wait before it asks again, in ms; null when the answer did not say. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.name = 'ApiError';
    this.status = fields.status;
    this.code = fields.code;
    this.retryAfterMs = fields.retryAfterMs;
    this.requestId = fields.requestId;
  }
}

/**
 * No usable answer: network failure, time limit, or a success whose body is not what the contract says. A write may or
 * may not have happened; repeating it with the same idempotency key is safe.
 */
export class ApiUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ApiUnavailable';
  }
}

/** Too many writes with this key: nothing was written, the whole key has to wait. */
export function isRateLimited(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 429;
}

/** Another change holds this zone: nothing was written, only this zone has to wait. */
export function isBusy(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 503 && error.code === 'busy';
}

/** The zone or record does not exist, or is not visible to this key. */
export function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

/** The same call may succeed later without anybody mending anything. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ApiUnavailable) return true;
  return error instanceof ApiError && (error.status === 429 || error.status >= 500);
}

// A page of HTML from a proxy is no message for people.
const LONGEST_MESSAGE = 2_000;

/** Makes the error of an answer. `now` is the time of its arrival, ms since the epoch. Pure. */
export function errorOfAnswer(
  answer: { status: number; body: string; retryAfter: string | undefined; requestId: string | null },
  now: number,
): ApiError {
  const { status, requestId } = answer;
  const retryAfterMs = parseRetryAfter(answer.retryAfter, now);
  const parsed = errorBody.safeParse(parseJson(answer.body));
  if (parsed.success) {
    const message = parsed.data.message.slice(0, LONGEST_MESSAGE);
    return new ApiError({ status, code: parsed.data.error, message, retryAfterMs, requestId });
  }
  const message = `The answer ${status} did not come from the service; check the base address and what stands before it`;
  return new ApiError({ status, code: 'unknown', message, retryAfterMs, requestId });
}

/** RFC 9110 10.2.3: whole seconds or a date. Null when absent or unreadable. Pure. */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const text = header?.trim();
  if (text === undefined || text === '') return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** The value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
