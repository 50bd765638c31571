// One cell of the fault matrix: a namespace and a zone name of its own, the three kinds of work that continue while
// something breaks, and the wait until everything is consistent again.
import { setTimeout as sleep } from 'node:timers/promises';
import { fetchZones } from '#client/lists.ts';
import { createRecord, deleteRecord } from '#contract/operations/records.ts';
import type { DnsRecord } from '#contract/record.ts';
import { DNS_RECORD } from '#resources/dnsrecord.ts';
import { DNS_ZONE } from '#resources/dnszone.ts';
import { untilNone } from '../time/until.ts';
import type { Chain } from './chain.ts';
import { inconsistencies, leftovers, listObjects, listTransitions, readHistoryText, type World } from './invariants.ts';

export interface Cell extends World {
  readonly foreign: DnsRecord[];
  history: string | RegExp | undefined;
}

let cells = 0;
/** Each cell of this file after its clean-up, with all that had been done for it. */
const ended: { readonly cell: Cell; readonly history: string }[] = [];
/** How long the works of the cells of this file took without a fault, in ms: from nothing to a consistent world. */
export const calm: number[] = [];

export async function newCell(chain: Chain): Promise<Cell> {
  cells += 1;
  const cell: Cell = { namespace: `cell-${cells}`, zoneName: `cell${cells}.example`, foreign: [], history: undefined };
  await chain.namespace(cell.namespace);
  return cell;
}

/** @returns the duration in ms @throws with sentences about what is wrong, when that is still so after 150 s */
export function consistent(chain: Chain, world: World, when = 'the work is done'): Promise<number> {
  return untilNone(when, () => inconsistencies(chain, world));
}

/** Long enough for work that is under way, and short in comparison with a cell, which takes seconds. */
const ONCE_MORE_MS = 300;

/**
 * Waits until the cell is consistent after a fault, and looks once more a moment later: nothing may flap.
 * @returns the duration until it was consistent, in ms
 */
export async function healed(chain: Chain, cell: Cell, when: string): Promise<number> {
  const began = performance.now();
  await consistent(chain, cell, when);
  let took = performance.now() - began;
  // An operator may notice at this moment that its last request failed, and on a busy machine the next one may fail
  // too.
  for (const isLast of [false, false, true]) {
    const before = await listTransitions(chain, cell);
    await sleep(ONCE_MORE_MS);
    const after = await listTransitions(chain, cell);
    const problems = [...(await inconsistencies(chain, cell)), ...after.filter((each) => !before.includes(each))];
    if (problems.length === 0) break;
    if (isLast) throw new Error(`${when}, and not any more a moment later:\n${problems.join('\n')}`);
    await consistent(chain, cell, `${when}, once more`);
    took = performance.now() - began;
  }
  return took;
}

/**
 * Deletes all remaining objects of the cell. Afterwards nothing may exist anywhere, and the clean-up has only deleted.
 */
export async function cleanUp(chain: Chain, cell: Cell): Promise<void> {
  const { namespace, zoneName, foreign } = cell;
  const before = await readHistoryText(chain, zoneName);
  const { records } = await listObjects(chain, { namespace });
  await Promise.all(records.map(({ metadata }) => chain.remove(DNS_RECORD, metadata.name, namespace)));
  const [found] = await fetchZones(chain.client, { zoneName });
  for (const { id } of foreign)
    await chain.client.call(deleteRecord, { params: { id: found?.id ?? '', recordId: id } });
  await chain.remove(DNS_ZONE, 'zone', namespace);
  await untilNone('all is deleted', () => leftovers(chain, cell));
  const history = await readHistoryText(chain, zoneName);
  if (withoutDeletions(history) !== withoutDeletions(before))
    throw new Error(`the clean-up left the history [${history}] after [${before}]`);
  ended.push({ cell, history });
}

const withoutDeletions = (history: string) =>
  history
    .split(', ')
    .filter((each) => !/^(record|zone)\.delete /.test(each))
    .join(', ');

/**
 * Looks at all ended cells of the file once more, for changes after their clean-up. @returns sentences about them, and
 * one if no cell ended
 */
export async function lateChanges(chain: Chain): Promise<string[]> {
  if (ended.length === 0) return ['no cell ended'];
  const found: string[] = [];
  for (const { cell, history } of ended) {
    const now = await readHistoryText(chain, cell.zoneName);
    if (now !== history)
      found.push(`${cell.zoneName} has the history [${now}], and had [${history}] after its clean-up`);
    found.push(...(await leftovers(chain, cell)).map((each) => `${cell.zoneName}: ${each}`));
  }
  return found;
}

/** The value of another client in the RRset of the cell's record. */
export async function putForeign(chain: Chain, { zoneName, foreign }: Cell): Promise<void> {
  const [found] = await fetchZones(chain.client, { zoneName });
  const body = { name: 'www', type: 'A', content: '192.0.2.99', ttl: 300 } as const;
  foreign.push(await chain.client.call(createRecord, { params: { id: found?.id ?? '' }, body }));
}

const values = (...last: number[]) => last.map((each) => ({ content: `192.0.2.${each}` }));
const www = (chain: Chain, { namespace }: Cell, ...last: number[]) =>
  chain.record('www', 'zone', { name: 'www', type: 'A', ttl: 300, values: values(...last) }, namespace);

export interface Work {
  readonly title: string;
  /** The objects that exist, and are Ready, before the fault. */
  given(chain: Chain, cell: Cell): Promise<void>;
  act(chain: Chain, cell: Cell): Promise<void>;
  /** All changes at the service, from the beginning of the cell. */
  readonly history: string;
}

/** Zone and record with a value of another owner, as far as there can be one before the zone exists. */
async function both(chain: Chain, cell: Cell): Promise<void> {
  const { zoneName, namespace } = cell;
  await chain.zone('zone', { zoneName }, namespace);
  await www(chain, cell, 1, 2);
}

async function bothAndForeign(chain: Chain, cell: Cell): Promise<void> {
  await both(chain, cell);
  calm.push(await consistent(chain, cell, 'given'));
  await putForeign(chain, cell);
}

export const CREATING: Work = {
  title: 'a zone and a record are created',
  given: () => Promise.resolve(),
  act: both,
  history: 'record.create 2, zone.create 1',
};

export const CHANGING: Work = {
  title: 'a record is changed',
  given: bothAndForeign,
  // One value stays, one is changed, one is new.
  act: (chain, cell) => www(chain, cell, 2, 3, 4),
  history: 'record.create 4, record.update 1, zone.create 1',
};

export const DELETING: Work = {
  title: 'a record is deleted',
  given: bothAndForeign,
  act: (chain, { namespace }) => chain.remove(DNS_RECORD, 'www', namespace),
  history: 'record.create 3, record.delete 2, zone.create 1',
};

export const WORKS: readonly Work[] = [CREATING, CHANGING, DELETING];
