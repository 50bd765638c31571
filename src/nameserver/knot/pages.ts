// A loop over pages that some work gives one at a time. The work waits until the loop asks for the next page, and is
// stopped when the loop is left.

/**
 * @param work calls `give` with each page, and waits for it; it ends when `stop` aborts
 */
export async function* streamPages<Page>(
  work: (give: (page: Page) => Promise<void>, stop: AbortSignal) => Promise<void>,
): AsyncGenerator<Page, void, undefined> {
  const stop = new AbortController();
  let wake = () => {};
  let page: { value: Page; taken: () => void } | undefined;
  let isOver = false;
  const give = (value: Page) =>
    new Promise<void>((resolve) => {
      page = { value, taken: resolve };
      wake();
    });
  const workEnd = work(give, stop.signal).finally(() => {
    isOver = true;
    wake();
  });
  workEnd.catch(() => {}); // It is thrown at the end of the loop.
  try {
    while (true) {
      while (page === undefined && !isOver) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (page === undefined) break;
      const { value, taken } = page;
      page = undefined;
      yield value;
      taken();
    }
    await workEnd;
  } finally {
    stop.abort(new Error('the pages are not needed any more'));
  }
}
