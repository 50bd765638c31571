// One moment of the database, read a page at a time for as long as the caller takes the pages.

import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { inOneSnapshot } from './zones.ts';

/** The connection may wait so long for the next page to be asked for. The reader's own limit should be shorter. */
const IDLE = '30s';
const setIdleTimeout = statement(`select set_config('idle_in_transaction_session_timeout', $1, true)`);

/**
 * All pages belong to one moment. The transaction begins with the first page and ends with the last one, or when the
 * caller leaves the loop: a reader that is slow holds a connection.
 */
export async function* snapshotPages<Page>(db: Db, read: (tx: Tx) => AsyncIterable<Page>): AsyncGenerator<Page> {
  const handoff = new Handoff<Page>();
  const reading = inOneSnapshot(db, async (tx) => {
    await setIdleTimeout(tx, IDLE);
    for await (const page of read(tx)) if (!(await handoff.offer(page))) return;
  });
  reading.then(
    () => handoff.end(null),
    (error: unknown) => handoff.end({ error }),
  );
  try {
    for (;;) {
      const next = await handoff.next();
      if (next === null) return;
      yield next.page;
    }
  } finally {
    handoff.leave();
    await reading.catch(() => undefined);
  }
}

/**
 * Hands pages from one loop to another, one at a time. The giver waits in `offer` until the taker asks for the next
 * page, so that nothing is read ahead.
 */
class Handoff<Page> {
  #offered: { page: Page } | null = null;
  #ended: { error?: unknown } | null = null;
  #hasLeft = false;
  #wakeTaker: () => void = () => undefined;
  #wakeGiver: () => void = () => undefined;

  /** False when the caller takes no more pages. */
  async offer(page: Page): Promise<boolean> {
    if (this.#hasLeft) return false;
    const pickup = new Promise<void>((resolve) => {
      this.#wakeGiver = resolve;
    });
    this.#offered = { page };
    this.#wakeTaker();
    await pickup;
    return !this.#hasLeft;
  }

  /** @param failure null when all pages were given */
  end(failure: { error: unknown } | null): void {
    this.#ended = failure ?? {};
    this.#wakeTaker();
  }

  /** The next page, null after the last. @throws the failure of the giver */
  async next(): Promise<{ page: Page } | null> {
    this.#wakeGiver();
    while (this.#offered === null && this.#ended === null) {
      await new Promise<void>((resolve) => {
        this.#wakeTaker = resolve;
      });
    }
    const offeredPage = this.#offered;
    this.#offered = null;
    if (offeredPage !== null) return offeredPage;
    if (this.#ended !== null && 'error' in this.#ended) throw this.#ended.error;
    return null;
  }

  leave(): void {
    this.#hasLeft = true;
    this.#wakeGiver();
  }
}
