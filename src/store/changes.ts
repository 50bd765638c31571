// The append-only history: every change, its actor, and its serial.
import { columns, insertList, type Plain, recordset, valueList } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { historyPages } from './history-pages.ts';
import type { Action } from './history-tables.ts';
import { statement } from './statement.ts';
import { changes } from './tables.ts';

export type { Action } from './history-tables.ts';

export interface NewChange {
  zoneId: string;
  zoneName: string;
  /** The zone's owner, a team or a person. */
  teamId: string | null;
  userId: string | null;
  keyId: string;
  action: Action;
  before: unknown;
  after: unknown;
  serial: number;
  requestId: string;
  /** The ids of the changes that this one undoes. */
  undoes?: readonly number[] | null;
}

const KEYS = [
  'zoneId',
  'zoneName',
  'teamId',
  'userId',
  'keyId',
  'action',
  'before',
  'after',
  'serial',
  'requestId',
  'undoes',
] as const satisfies readonly (keyof NewChange)[];

const insert = statement(`
  insert into changes (${insertList(changes, KEYS)})
  select ${valueList<typeof changes>('c', KEYS)} from json_to_recordset($1::text::json) as c(${recordset(changes, KEYS)})`);

/** Changes of one transaction, in their order. */
export async function insertChanges(tx: Tx, entries: readonly NewChange[]): Promise<void> {
  await insert(tx, JSON.stringify(entries));
}

export interface PastChange {
  id: number;
  action: Action;
  keyId: string;
  before: unknown;
  after: unknown;
  serial: number;
  requestId: string;
  /** The owner that applied or released the record; null: a change without an owner. */
  owner: string | null;
  /** The ids of the changes that this one undid; null: none. */
  undoes: readonly number[] | null;
  /** The time that a restore put the record back to; null: no restore. */
  restoredTo: Date | null;
  at: Date;
}

const pastColumns = columns(
  changes,
  ['id', 'action', 'keyId', 'before', 'after', 'serial', 'requestId', 'owner', 'undoes', 'restoredTo', 'at'],
  // The driver does not know the type of an array of bigint.
  { computed: { undoes: 'to_json(undoes)' } },
);

/** A change as the driver reads it. */
export type FoundChange = Plain<PastChange> & { id: string };

export const CHANGE_COLUMNS = pastColumns.list;
const pageOfAll = historyPages<FoundChange>('changes', CHANGE_COLUMNS, 'c.zone_id = $1');
const pageOfZone = historyPages<FoundChange>('changes', CHANGE_COLUMNS, "c.zone_id = $1 and c.action like 'zone.%'");

/**
 * A page of a zone's history, newest first; see history-pages.ts for its bounds.
 * @param before only changes older than this one
 * @param zoneOnly only changes of the zone itself, none of its records
 */
export async function listPastChanges(
  db: Db,
  zoneId: string,
  { before, zoneOnly, limit }: { before?: number | undefined; zoneOnly: boolean; limit: number },
): Promise<{ changes: PastChange[]; more: boolean }> {
  const { rows, more } = await (zoneOnly ? pageOfZone : pageOfAll)(db, zoneId, limit, before ?? null);
  return {
    changes: rows.map(toPastChange),
    more,
  };
}

export function toPastChange(row: FoundChange): PastChange {
  return pastColumns.read(row);
}
