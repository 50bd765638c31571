// The errors of calls to the REST service, as two types: the service refused (ApiError), or the outcome is unknown
// (ApiUnavailable). Callers branch on `status` and `code`, never on text.
//
// No error contains the key, a header or a whole body, because errors end up in logs and conditions.
import { parseRetryAfter } from '#base/retry-after.ts';
import { errorBody } from '#contract/error.ts';

interface ApiErrorFields {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** The path of the field at fault. */
  readonly field?: string | undefined;
  /** Ids of the records that conflict with the request. */
  readonly records?: readonly string[] | undefined;
  /** The owner of those records. */
  readonly owner?: string | undefined;
  /** The value that exists already. */
  readonly value?: string | undefined;
  /** Whether that owner shares that value. */
  readonly shared?: boolean | undefined;
  /** The ETag of the present state. */
  readonly etag?: string | undefined;
}

/** The service, or a proxy before it, answered with a status other than 2xx. */
export class ApiError extends Error {
  /** HTTP status. */
  readonly status: number;
  /** A code of the API's error catalogue; `unknown` when the answer did not come from the service. */
  readonly code: string;
  /** How long the caller must wait before it retries, in ms; null when the answer did not say. */
  readonly retryAfterMs: number | null;
  readonly requestId: string | null;
  /** The path of the field at fault, if the service names one. */
  readonly field: string | null;
  /** Ids of the records that conflict with the request. */
  readonly records: readonly string[];
  /** The owner of those records at the service, if it is the reason. */
  readonly owner: string | null;
  /**
   * The value of the set that exists already: it belongs to `owner`, or has no owner if that is null. Null: another
   * reason.
   */
  readonly value: string | null;
  /** Whether that owner shares that value. */
  readonly isShared: boolean;
  /** The ETag of the present state, if `ifMatch` did not match it. */
  readonly etag: string | null;

  constructor(fields: ApiErrorFields) {
    super(fields.message);
    this.name = 'ApiError';
    this.status = fields.status;
    this.code = fields.code;
    this.retryAfterMs = fields.retryAfterMs;
    this.requestId = fields.requestId;
    this.field = fields.field ?? null;
    this.records = fields.records ?? [];
    this.owner = fields.owner ?? null;
    this.value = fields.value ?? null;
    this.isShared = fields.shared ?? false;
    this.etag = fields.etag ?? null;
  }
}

/**
 * There is no usable answer: network failure, time limit, or a success whose body breaks the contract. A write may or
 * may not have happened; repeating it with the same idempotency key is safe.
 */
export class ApiUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ApiUnavailable';
  }
}

/** The answer is longer than the client reads. The caller may read a shorter page of a list. */
export class AnswerTooLong extends ApiUnavailable {
  constructor(maxBytes: number) {
    super(`The API's answer is longer than ${maxBytes} bytes; the rest of it was not read`);
    this.name = 'AnswerTooLong';
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

/**
 * No key that the service has read verifies the token, and the service reads the keys of the issuer again after
 * `retryAfterMs`. Nothing was done; the same token may be accepted then.
 */
export function isKeyNotRead(error: unknown): error is ApiError & { readonly retryAfterMs: number } {
  return error instanceof ApiError && error.status === 401 && error.retryAfterMs !== null;
}

/** The zone or record does not exist, or is not visible to this key. */
export function isAbsent(error: unknown): error is ApiError {
  return error instanceof ApiError && error.status === 404;
}

// A page of HTML from a proxy is not a message for people.
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
    const { error: code, field, records, owner, value, shared, etag } = parsed.data;
    return new ApiError({ status, code, message, retryAfterMs, requestId, field, records, owner, value, shared, etag });
  }
  const message = `The answer ${status} did not come from the service; check the base address and the proxies before it`;
  return new ApiError({ status, code: 'unknown', message, retryAfterMs, requestId });
}

/** The value, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
