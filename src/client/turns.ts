// The reads of a client wait for the turn of their group, each page of a list as well: a long list must not occupy a
// place. Writes have their turns in the dispatcher.
import type { Operation } from '#contract/operation.ts';
import { getAccount } from '#contract/operations/account.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import type { Client } from './client.ts';
import type { CallOptions } from './http.ts';

/** Does the work when the turn of the call has come. @throws the signal's reason when it aborts first */
type ReadTurn = <T>(options: CallOptions, work: () => Promise<T>) => Promise<T>;

/** The questions for nodes have turns of their own, and the account shows whether the service answers at all. */
const AT_ONCE: readonly Operation[] = [listZoneNodes, getAccount];

export function readsInTurns(client: Client, turn: ReadTurn): Client {
  return {
    ...client,
    call: (operation, input, options = {}) => {
      const work = () => client.call(operation, input, options);
      return operation.method !== 'GET' || AT_ONCE.includes(operation) ? work() : turn(options, work);
    },
  };
}
