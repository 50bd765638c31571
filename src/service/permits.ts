// Limits expensive work in one process. Teams share the permits: a free one goes to the waiting team with the fewest.
// The number of waiting requests and their time are limited (base/limit.ts).
import { Limit } from '#base/limit.ts';
import { refusal } from './refusal.ts';

export interface WorkLimitOptions {
  /** The number of permits in the process. */
  total: number;
  /** The number of permits that one team or person may have at the same time. */
  share: number;
  /** The number of requests that may wait. */
  waiting: number;
  /** How long a request waits for a permit, in ms. */
  waitMs: number;
  /** The kind of work, for the message of the refusal: `imports of zone files`. */
  work: string;
}

/** The time after which a refused client should try again, in ms. */
const RETRY_MS = 2_000;

/** The groups of the limit are teams and people: see holderOf. Its waits end with Refusal busy. */
export function limitWork({ total, share, waiting, waitMs, work }: WorkLimitOptions): Limit {
  const refuse = () => refusal('service-busy', { work }, { retryAfterMs: RETRY_MS });
  return new Limit({
    permits: total,
    share,
    rank: (_holder, usedCount) => usedCount,
    queue: { max: waiting, waitMs, refuse },
  });
}

/** The team or person whose share of the permits the key uses. */
export function holderOf(actor: { teamId: string | null; user: { id: string } | null; keyId: string }): string {
  return actor.teamId ?? actor.user?.id ?? actor.keyId;
}
