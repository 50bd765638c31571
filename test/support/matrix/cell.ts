// One cell of the fault matrix: a namespace and a zone name of its own, the three kinds of work that continue while
// something breaks, and the wait until everything is consistent again.
import type { DnsRecord } from '#client/client.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import type { Chain } from './chain.ts';
import { untilNone } from './until.ts';
import { creations, inconsistencies, leftovers, objectsOf, type World } from './world.ts';

export interface Cell extends World {
  readonly foreign: DnsRecord[];
  made: string | undefined;
}

let cells = 0;

export async function newCell(chain: Chain): Promise<Cell> {
  cells += 1;
  const cell: Cell = { namespace: `cell-${cells}`, zoneName: `cell${cells}.example`, foreign: [], made: undefined };
  await chain.namespace(cell.namespace);
  return cell;
}

/** @returns the duration in ms @throws with sentences about what is wrong, when that is still so after 40 s */
export function consistent(chain: Chain, world: World, when = 'the work is done'): Promise<number> {
  return untilNone(when, () => inconsistencies(chain, world));
}

/**
 * Deletes all remaining objects of the cell. Afterwards nothing may exist anywhere, and nothing may have been created
 * since.
 */
export async function cleanUp(chain: Chain, cell: Cell): Promise<void> {
  const { namespace, zoneName, foreign, made } = cell;
  const { records } = await objectsOf(chain, { namespace });
  await Promise.all(records.map(({ metadata }) => chain.remove(DNS_RECORD, metadata.name, namespace)));
  const [found] = await chain.client.zones.list({ zoneName });
  for (const { id } of foreign) await chain.client.records.delete(found?.id ?? '', id);
  await chain.remove(DNS_ZONE, 'zone', namespace);
  await untilNone('all is deleted', () => leftovers(chain, cell));
  // A second creation that comes late is no longer there, but the history has it.
  const ever = await creations(chain, zoneName);
  if (made !== undefined && ever !== made) throw new Error(`in the end ${ever} were made instead of ${made}`);
}

/** Somebody else's value in the RRset of the cell's record. */
export async function putForeign(chain: Chain, { zoneName, foreign }: Cell): Promise<void> {
  const [found] = await chain.client.zones.list({ zoneName });
  const body = { name: 'www', type: 'A', content: '192.0.2.99', ttl: 300 } as const;
  foreign.push(await chain.client.records.create(found?.id ?? '', body));
}

const values = (...last: number[]) => last.map((each) => ({ content: `192.0.2.${each}` }));
const www = (chain: Chain, { namespace }: Cell, ...last: number[]) =>
  chain.record('www', 'zone', { name: 'www', type: 'A', ttl: 300, values: values(...last) }, namespace);

export interface Work {
  readonly title: string;
  /** The objects that exist, and are Ready, before the fault. */
  given(chain: Chain, cell: Cell): Promise<void>;
  act(chain: Chain, cell: Cell): Promise<void>;
  /** All that may ever have been created in the cell. */
  readonly made: string;
}

/** Zone and record with a value of another owner, as far as there can be one before the zone exists. */
async function both(chain: Chain, cell: Cell): Promise<void> {
  const { zoneName, namespace } = cell;
  await chain.zone('zone', { zoneName }, namespace);
  await www(chain, cell, 1, 2);
}

async function bothAndForeign(chain: Chain, cell: Cell): Promise<void> {
  await both(chain, cell);
  await consistent(chain, cell, 'given');
  await putForeign(chain, cell);
}

export const CREATING: Work = {
  title: 'a zone and a record are created',
  given: () => Promise.resolve(),
  act: both,
  made: '1 zone(s) and 2 record(s)',
};

export const CHANGING: Work = {
  title: 'a record is changed',
  given: bothAndForeign,
  // One value stays, one is changed, one is new.
  act: (chain, cell) => www(chain, cell, 2, 3, 4),
  made: '1 zone(s) and 4 record(s)',
};

export const DELETING: Work = {
  title: 'a record is deleted',
  given: bothAndForeign,
  act: (chain, { namespace }) => chain.remove(DNS_RECORD, 'www', namespace),
  made: '1 zone(s) and 3 record(s)',
};

export const WORKS: readonly Work[] = [CREATING, CHANGING, DELETING];
