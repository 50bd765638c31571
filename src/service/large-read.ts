// Reads of several pages: each has a permit and a database connection with a snapshot, for as long as its client reads.
// So a client that reads slowly ends its read, earlier if another team waits for the permit.
import type { Limit } from '#base/limit.ts';
import type { Actor } from './accounts/actor.ts';
import type { ServiceContext } from './context.ts';
import { holderOf } from './permits.ts';
import { refusal } from './refusal.ts';

/** A client must read at this rate, and may be behind it by so many ms. */
class Pace {
  readonly #rate: number;
  readonly #graceMs: number;
  #behindMs = 0;

  constructor({ octetsPerSecond, graceMs }: { octetsPerSecond: number; graceMs: number }) {
    [this.#rate, this.#graceMs] = [octetsPerSecond, graceMs];
  }

  /** @param ms the time that the client took for a page */
  count(ms: number, octets: number): void {
    // Octets that went into buffers at the beginning are not a credit for later.
    this.#behindMs = Math.max(0, this.#behindMs + ms - (octets / this.#rate) * 1_000);
  }

  get isExceeded(): boolean {
    return this.#behindMs > this.#graceMs;
  }
}

const ALONE = { octetsPerSecond: 256 * 1024, graceMs: 30_000 };
/** While another team waits for a permit; its request waits 15 s. */
const WANTED = { octetsPerSecond: 1024 * 1024, graceMs: 4_000 };

/**
 * Takes a permit for large reads, and passes on the pages.
 * @param octetsOf about the size of a page in the answer
 * @throws Refusal busy if no permit becomes free, or if the client reads too slowly; the reason of the signal
 */
export async function* readInSlot<Page>(
  { largeReads }: Pick<ServiceContext, 'largeReads'>,
  actor: Pick<Actor, 'teamId' | 'user' | 'keyId'>,
  signal: AbortSignal,
  pages: () => AsyncIterable<Page>,
  octetsOf: (page: Page) => number,
): AsyncGenerator<Page> {
  const release = await largeReads.take(holderOf(actor), signal);
  try {
    yield* atPace(largeReads, pages(), octetsOf);
  } finally {
    release();
  }
}

/** Passes on the pages of a read that has a permit. @throws Refusal busy if the client reads too slowly */
export async function* atPace<Page>(
  reads: Pick<Limit, 'isWanted'>,
  pages: AsyncIterable<Page>,
  octetsOf: (page: Page) => number,
): AsyncGenerator<Page> {
  const [alone, contendedPace] = [new Pace(ALONE), new Pace(WANTED)];
  for await (const page of pages) {
    const since = performance.now();
    yield page;
    for (const pace of [alone, contendedPace]) pace.count(performance.now() - since, octetsOf(page));
    if ((reads.isWanted() ? contendedPace : alone).isExceeded) throw refusal('reader-too-slow');
  }
}

/** Octets of a list entry without its values. */
const ENTRY = 150;

/** About the octets of records or RRsets in an answer. */
export function octetsOfEntries(values: readonly string[]): number {
  return values.reduce((sum, value) => sum + ENTRY + value.length, 0);
}
