// The errors of calls to the API server, as types: callers branch on `status` and `reason`, never on text.
//
// Neither headers nor whole bodies become part of an error, because errors end up in logs, conditions and Events.
import { parseRetryAfter } from '#base/retry-after.ts';

/** The useful part of metav1.StatusDetails. */
interface StatusDetails {
  readonly name?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}

interface KubeErrorFields {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: StatusDetails | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

// Server-side apply conflicts and validation failures can be pages long.
const LONGEST_MESSAGE = 2_048;

/**
 * An answer other than 2xx (`status` is the HTTP status and `reason` the metav1.StatusReason), or no answer at all:
 * `status` 0 with reason `Unreachable` (network) or `Timeout` (our own limit).
 */
export class KubeError extends Error {
  readonly status: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;
  /** The delay that the server asked for, in ms; undefined when it named none. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: KubeErrorFields) {
    super(fields.message.slice(0, LONGEST_MESSAGE), fields.cause === undefined ? undefined : { cause: fields.cause });
    this.name = 'KubeError';
    this.status = fields.status;
    this.reason = fields.reason;
    this.details = fields.details;
    this.retryAfterMs = fields.retryAfterMs;
  }
}

/** A failure that no retry fixes: the controller logs and counts it and does not run the key again by itself. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

/**
 * Makes a KubeError from an answer.
 * @param body the text of a metav1.Status or anything else
 * @param retryAfter the header
 * @param now time of the answer, ms since the epoch
 */
export function errorFromAnswer(status: number, body: string, retryAfter?: string, now = Date.now()): KubeError {
  const parsed = parseStatus(body);
  const seconds = parsed?.details?.retryAfterSeconds ?? -1;
  return new KubeError({
    status,
    reason: parsed?.reason || 'Unknown',
    message: parsed?.message || `The API server answered ${status}`,
    details: parsed?.details,
    retryAfterMs: parseRetryAfter(retryAfter, now) ?? (seconds < 0 ? undefined : seconds * 1000),
  });
}

/** Makes a KubeError from the Status object inside a watch's ERROR event. Pure. */
export function errorFromStatus(value: unknown): KubeError {
  const code = typeof value === 'object' && value !== null && 'code' in value ? Number(value.code) : 0;
  return errorFromAnswer(Number.isInteger(code) ? code : 0, JSON.stringify(value ?? null));
}

export function isNotFound(error: unknown): boolean {
  return error instanceof KubeError && error.status === 404;
}

/**
 * Whether the call lost an optimistic-concurrency race, or a server-side apply conflicted; not "already exists" (also
 * 409).
 */
export function isConflict(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
}

export function isAlreadyExists(error: unknown): boolean {
  return error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** Whether the requested resourceVersion is no longer kept (410, reason Expired or Gone). */
export function isExpiredVersion(error: unknown): boolean {
  return error instanceof KubeError && error.status === 410;
}

/**
 * Whether the server has not yet seen the requested resourceVersion (504 with this cause; apiserver storage/errors.go).
 */
export function isTooLargeResourceVersion(error: unknown): boolean {
  if (!(error instanceof KubeError)) return false;
  return error.details?.causes?.some((cause) => cause.reason === 'ResourceVersionTooLarge') ?? false;
}

interface StatusBody {
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly details: StatusDetails | undefined;
}

function parseStatus(body: string): StatusBody | undefined {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== 'Status') return undefined;
    const { reason, message, details } = value as { reason?: unknown; message?: unknown; details?: unknown };
    return {
      reason: typeof reason === 'string' ? reason : undefined,
      message: typeof message === 'string' ? message : undefined,
      details: typeof details === 'object' && details !== null ? (details as StatusDetails) : undefined,
    };
  } catch {
    return undefined;
  }
}
