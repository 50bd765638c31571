// The reads of a client wait for the turn of their group. Writes have their turns in the dispatcher.
import type { Client } from './client.ts';
import type { CallOptions } from './http.ts';

/** Does the work when the turn of the call has come. @throws the signal's reason when it aborts first */
type ReadTurn = <T>(call: CallOptions, work: () => Promise<T>) => Promise<T>;

/** The same client; the questions for nodes and for the account do not wait. */
export function readsInTurns(client: Client, turn: ReadTurn): Client {
  const { zones, records, owners } = client;
  return {
    ...client,
    zones: {
      ...zones,
      list: (filter, call = {}) => turn(call, () => zones.list(filter, call)),
      find: (suffixOf, call = {}) => turn(call, () => zones.find(suffixOf, call)),
      get: (id, call = {}) => turn(call, () => zones.get(id, call)),
      secondaries: (id, call = {}) => turn(call, () => zones.secondaries(id, call)),
      offeredSecondaries: (call = {}) => turn(call, () => zones.offeredSecondaries(call)),
    },
    records: {
      ...records,
      list: (zoneId, filter, call = {}) => turn(call, () => records.list(zoneId, filter, call)),
      pages: (zoneId, filter, limit, call = {}) => eachInTurn(records.pages(zoneId, filter, limit, call), call, turn),
    },
    owners: {
      ...owners,
      pages: (zoneId, filter, call = {}) => eachInTurn(owners.pages(zoneId, filter, call), call, turn),
    },
  };
}

/** Each page is a turn: a long list must not occupy a place. */
async function* eachInTurn<T>(all: AsyncIterable<T>, call: CallOptions, turn: ReadTurn): AsyncGenerator<T> {
  const pages = all[Symbol.asyncIterator]();
  try {
    for (;;) {
      const page = await turn(call, () => pages.next());
      if (page.done === true) return;
      yield page.value;
    }
  } finally {
    await pages.return?.(undefined);
  }
}
