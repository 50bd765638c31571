// The keys of one source, between two fetches of them.
//
//   age of the keys   a request                                               the fetch
//   none              waits for the fetch, and fails if the fetch fails       at once
//   to 5 minutes      uses the keys                                           only for a token that no key verifies
//   to 10 minutes     uses the keys                                           in the background
//   to 24 hours       waits for the fetch; uses the keys if it fails          the same
//   more              as without keys                                         the same
//
// There is at most one fetch in a minute, also if it fails, and all requests share it. After a failed fetch, no token
// that a known key verifies waits for the next one: an issuer that hangs would delay them all.
//
// A token that no key verifies may be signed with a new key, or forged. It waits if the next fetch is allowed soon, and
// for a fetch that may hang, but only a limited number of requests do, so that forged tokens cannot hold more.
import type { JWK } from 'jose';
import type { Clock } from '#base/clock.ts';
import { endsWithin, sleep } from '#base/wait.ts';
import { FetchProblem } from './fetch-json.ts';
import { type PublicKeys, parseKeys } from './keys.ts';

const MINUTE_MS = 60_000;
const EVERY_MS = MINUTE_MS;
const RENEW_MS = 5 * MINUTE_MS;
const WAIT_MS = 10 * MINUTE_MS;
const FORGET_MS = 24 * 60 * MINUTE_MS;
/** The longest wait of a token that no key verifies for the moment of the next fetch, and for a fetch that may hang. */
const SOON_MS = 5_000;
/** The tokens that wait so at once. Others are refused, and may come again. */
const MAX_WAITING = 200;

export interface KeptKeys {
  /** @throws KeysProblem */
  current(): Promise<PublicKeys>;
  /**
   * Other keys than these, after a fetch if one is allowed now or in a few seconds; null: there are none. `isLatest`
   * says whether the issuer answered during this call; otherwise a later call may have another result.
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

export function createKeptKeys(options: KeptOptions): KeptKeys {
  return new RefreshedKeys(options);
}

class RefreshedKeys implements KeptKeys {
  readonly #options: KeptOptions;
  #held: { keys: PublicKeys; at: number } | null = null;
  #triedAt = Number.NEGATIVE_INFINITY;
  #failure: KeysProblem | null = null;
  #pending: Promise<void> | null = null;
  #waiting = 0;

  constructor(options: KeptOptions) {
    this.#options = options;
  }

  async current(): Promise<PublicKeys> {
    const { clock } = this.#options;
    const keys = this.#usable();
    const age = this.#held === null ? 0 : clock.now() - this.#held.at;
    if (keys !== null && age < RENEW_MS) return keys;
    const fetching = this.#refresh();
    if (keys === null || (age >= WAIT_MS && this.#failure === null)) await fetching;
    const now = this.#usable();
    if (now === null) throw this.#failure ?? new KeysProblem('issuer-down', 'they were not fetched yet');
    return now;
  }

  async newer(than: PublicKeys): Promise<{ keys: PublicKeys | null; isLatest: boolean }> {
    const { clock } = this.#options;
    const before = this.#held?.at;
    if (this.#pending === null && this.#untilNextMs() > 0 && this.#untilNextMs() <= SOON_MS)
      await this.#limited(() => sleep(clock, this.#untilNextMs()));
    const fetching = this.#refresh();
    if (fetching !== null && this.#failure !== null) await this.#limited(() => endsWithin(clock, SOON_MS, fetching));
    else await fetching;
    const keys = this.#usable();
    return { keys: keys === than ? null : keys, isLatest: this.#held?.at !== before };
  }

  waitS(): number {
    return Math.max(1, Math.ceil((this.#pending === null ? this.#untilNextMs() : SOON_MS) / 1000));
  }

  isFailing(): boolean {
    return this.#failure !== null;
  }

  async #attempt(): Promise<void> {
    const { fetch, clock, fetched } = this.#options;
    const before = this.#failure;
    try {
      const keys = await load(fetch, this.#held?.keys.jwks);
      this.#failure = null;
      // The same keys stay the same object, and proofs of tokens remain valid.
      this.#held = {
        keys: this.#held !== null && sameKeys(this.#held.keys, keys) ? this.#held.keys : keys,
        at: clock.now(),
      };
    } catch (error) {
      this.#failure = error as KeysProblem;
    }
    this.#pending = null;
    fetched(this.#failure, (before === null) !== (this.#failure === null));
  }

  /** Null: no fetch is allowed now. */
  #refresh(): Promise<void> | null {
    const { clock } = this.#options;
    if (this.#pending === null && clock.now() - this.#triedAt >= EVERY_MS) {
      this.#triedAt = clock.now();
      this.#pending = this.#attempt();
    }
    return this.#pending;
  }

  #untilNextMs() {
    const { clock } = this.#options;
    return this.#triedAt + EVERY_MS - clock.now();
  }

  /** Nothing if too many wait. */
  async #limited(work: () => Promise<unknown>): Promise<void> {
    if (this.#waiting >= MAX_WAITING) return;
    this.#waiting += 1;
    try {
      await work();
    } finally {
      this.#waiting -= 1;
    }
  }

  #usable(): PublicKeys | null {
    const { clock } = this.#options;
    return this.#held !== null && clock.now() - this.#held.at < FORGET_MS ? this.#held.keys : null;
  }
}

/** @throws KeysProblem */
async function load(fetch: KeptOptions['fetch'], knownKeys: readonly JWK[] | undefined): Promise<PublicKeys> {
  let document: unknown;
  try {
    document = await fetch();
  } catch (cause) {
    // The process has no other errors here than those of the network.
    const message = cause instanceof FetchProblem ? cause.message : 'an unexpected failure';
    throw new KeysProblem('issuer-down', message, cause);
  }
  const keys = parseKeys(document, knownKeys);
  if (typeof keys === 'string') throw new KeysProblem('issuer-keys', `it ${keys}`);
  return keys;
}

function sameKeys(one: PublicKeys, other: PublicKeys): boolean {
  return JSON.stringify(one.jwks) === JSON.stringify(other.jwks);
}
