// The answers of the aggregated API server as data: metav1.Status for every answer but that of a challenge.

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The metav1.StatusReason of each HTTP status that this server returns. */
const REASONS = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  500: 'InternalError',
  503: 'ServiceUnavailable',
} as const;

type FailureCode = keyof typeof REASONS;

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/**
 * A refusal of the request itself; a failed challenge is a ChallengePayload with success=false instead. It never has a
 * Retry-After: client-go would block a worker of cert-manager and resend by itself (client-go rest/with_retry.go).
 */
export function failure(
  code: FailureCode,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpAnswer {
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' };
  return json(code, { ...status, message, reason: REASONS[code], code }, headers);
}

export function plain(status: number, body: string): HttpAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}
