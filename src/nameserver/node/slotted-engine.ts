// The operations on zones of a node that takes part in zone transfers: each change gets a serial of the node's slot.
import type { TransferEngine } from '../knot/transfer-engine.ts';
import type { TransferApi } from './api.ts';
import type { ZoneEngine } from './engine.ts';
import { type TransferOptions, Transfers } from './transfers.ts';

export interface TransferParts {
  readonly api: TransferApi;
  readonly engine: TransferEngine;
}

type Options = Omit<TransferOptions, 'node' | 'api' | 'engine' | 'transfers'> & {
  readonly name: string;
  readonly transfers?: TransferParts;
};

/** Without `transfers` in the options, the engine is as it was. */
export function withTransfers(
  { name: node, transfers: parts, state, clock, date, random, log, metrics }: Options,
  engine: ZoneEngine,
): { transfers: Transfers | undefined; engine: ZoneEngine } {
  if (parts === undefined) return { transfers: undefined, engine };
  const { api, engine: knot } = parts;
  const transfers = new Transfers({ node, api, engine, transfers: knot, state, clock, date, random, log, metrics });
  const change: ZoneEngine['change'] = (zone, wanted, signal) => {
    const slot = transfers.slot();
    return engine.change(zone, slot === undefined ? wanted : { ...wanted, slot }, signal);
  };
  return { transfers, engine: { ...engine, change } };
}
