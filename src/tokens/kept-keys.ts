// The keys of one source, between two fetches of them.
//
//   age of the keys   a request                                               the fetch
//   none              waits for the fetch, and fails if the fetch fails       at once
//   to 5 minutes      uses the keys                                           only for a token that no key verifies
//   to 10 minutes     uses the keys                                           in the background
//   to 24 hours       waits for the fetch; uses the keys if it fails          the same
//   more              as without keys                                         the same
//
// There is at most one fetch in a minute, also if it fails, and all requests share it. After a failed
// fetch, no token that a known key verifies waits for the next one: an issuer that hangs would delay them all.
//
// A token that no key verifies may be signed with a new key, or forged. It waits if the next fetch is allowed soon, and
// for a fetch that may hang, but only a limited number of requests do, so that forged tokens cannot hold more.
import type { JWK } from 'jose';
import type { Clock } from '#base/clock.ts';
import { endsWithin, sleep } from '#base/wait.ts';
import { FetchProblem } from './fetch-json.ts';
import { type PublicKeys, readKeys } from './keys.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = MINUTE_MS;
const RENEW_MS = 5 * MINUTE_MS;
const WAIT_MS = 10 * MINUTE_MS;
const FORGET_MS = 24 * 60 * MINUTE_MS;
/** The longest wait of a token that no key verifies for the moment of the next fetch, and for a fetch that may hang. */
const SOON_MS = 5_000;
/** The tokens that wait so at once. Others are refused, and may come again. */
const MOST_WAITING = 200;

export interface KeptKeys {
  /** @throws KeysProblem */
  current(): Promise<PublicKeys>;
  /**
   * Other keys than these, after a fetch if one is allowed now or in a few seconds; null: there are none. `isLatest` says whether
   * the issuer answered during this call; otherwise a later call may have another result.
   */
  newer(than: PublicKeys): Promise<{ keys: PublicKeys | null; isLatest: boolean }>;
  /** Seconds until a fetch that runs now has ended, or until the next one is allowed. */
  waitS(): number;
  /** Whether the last fetch failed. */
  isFailing(): boolean;
}

export class KeysProblem extends Error {
  override readonly name = 'KeysProblem';
  /** `issuer-keys`: there was an answer, but without keys that can be used. */
  readonly code: 'issuer-down' | 'issuer-keys';
  constructor(code: KeysProblem['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

interface KeptOptions {
  /** @throws FetchProblem */
  fetch(): Promise<unknown>;
  readonly clock: Clock;
  /** Called after each fetch. `changed` says that fetches fail since then, or succeed again. */
  fetched(problem: KeysProblem | null, changed: boolean): void;
}

export function createKeptKeys({ fetch, clock, fetched }: KeptOptions): KeptKeys {
  let held: { keys: PublicKeys; at: number } | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  let failure: KeysProblem | null = null;
  let pending: Promise<void> | null = null;
  let waiting = 0;

  const attempt = async (): Promise<void> => {
    const before = failure;
    try {
      const keys = await load(fetch, held?.keys.jwks);
      failure = null;
      // The same keys stay the same object, and proofs of tokens remain valid.
      held = { keys: held !== null && sameKeys(held.keys, keys) ? held.keys : keys, at: clock.now() };
    } catch (error) {
      failure = error as KeysProblem;
    }
    pending = null;
    fetched(failure, (before === null) !== (failure === null));
  };
  /** Null: no fetch is allowed now. */
  const refresh = (): Promise<void> | null => {
    if (pending === null && clock.now() - triedAt >= EVERY_MS) {
      triedAt = clock.now();
      pending = attempt();
    }
    return pending;
  };
  const untilNextMs = () => triedAt + EVERY_MS - clock.now();
  /** Nothing if too many wait. */
  const limited = async (work: () => Promise<unknown>): Promise<void> => {
    if (waiting >= MOST_WAITING) return;
    waiting += 1;
    try {
      await work();
    } finally {
      waiting -= 1;
    }
  };
  const usable = (): PublicKeys | null => (held !== null && clock.now() - held.at < FORGET_MS ? held.keys : null);

  return {
    current: async () => {
      const keys = usable();
      const age = held === null ? 0 : clock.now() - held.at;
      if (keys !== null && age < RENEW_MS) return keys;
      const fetching = refresh();
      if (keys === null || (age >= WAIT_MS && failure === null)) await fetching;
      const now = usable();
      if (now === null) throw failure ?? new KeysProblem('issuer-down', 'they were not fetched yet');
      return now;
    },
    newer: async (than) => {
      const before = held?.at;
      if (pending === null && untilNextMs() > 0 && untilNextMs() <= SOON_MS)
        await limited(() => sleep(clock, untilNextMs()));
      const fetching = refresh();
      if (fetching !== null && failure !== null) await limited(() => endsWithin(clock, SOON_MS, fetching));
      else await fetching;
      const keys = usable();
      return { keys: keys === than ? null : keys, isLatest: held?.at !== before };
    },
    waitS: () => Math.max(1, Math.ceil((pending === null ? untilNextMs() : SOON_MS) / 1000)),
    isFailing: () => failure !== null,
  };
}

/** @throws KeysProblem */
async function load(fetch: KeptOptions['fetch'], held: readonly JWK[] | undefined): Promise<PublicKeys> {
  let document: unknown;
  try {
    document = await fetch();
  } catch (cause) {
    // The process has no other errors here than those of the network.
    const message = cause instanceof FetchProblem ? cause.message : 'an unexpected failure';
    throw new KeysProblem('issuer-down', message, cause);
  }
  const keys = readKeys(document, held);
  if (typeof keys === 'string') throw new KeysProblem('issuer-keys', `it ${keys}`);
  return keys;
}

function sameKeys(one: PublicKeys, other: PublicKeys): boolean {
  return JSON.stringify(one.jwks) === JSON.stringify(other.jwks);
}
