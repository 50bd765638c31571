// The refusals of both protocols. They have the form of the REST API, and `busy` reaches a client only after retries.
import { setTimeout as sleep } from 'node:timers/promises';
import { errorAnswers } from '#http/error-codes.ts';
import { Refusal } from '#service/refusal.ts';

/** The error answers that the OpenAPI document lists. */
export const ERRORS = errorAnswers(
  'bad_request',
  'forbidden',
  'not_found',
  'no_zone',
  'conflict',
  'rate_limited',
  'busy',
);

/** How long a request is retried while the zone is busy. */
const RETRY_MS = 20_000;

/**
 * Retries while the zone is busy: these protocols have no Retry-After, and the client would abandon its certificate.
 * @throws Refusal busy if the zone is still busy at the end
 */
export async function withRetries<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + RETRY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const busy = error instanceof Refusal && error.code === 'busy';
      if (!busy || performance.now() >= until) throw error;
      await sleep(error.retryAfterMs ?? 1_000);
    }
  }
}
