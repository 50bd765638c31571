// The append-only history: every change, its actor, and its serial.
import { insertList, recordset, valueList } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { historyPages } from './history-pages.ts';
import { statement } from './statement.ts';
import { changes } from './tables.ts';

export type Action =
  | 'zone.create'
  | 'zone.change'
  | 'zone.delete'
  | 'zone.restore'
  | 'zone.park'
  | 'zone.unpark'
  | 'record.create'
  | 'record.update'
  | 'record.delete';

export interface Change {
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
  /** The ids of the changes that this one undoes. (Default: none.) */
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
] as const satisfies readonly (keyof Change)[];

const insert = statement(`
  insert into changes (${insertList(changes, KEYS)})
  select ${valueList<typeof changes>('c', KEYS)} from json_to_recordset($1::text::json) as c(${recordset(changes, KEYS)})`);

/** Changes of one transaction, in their order. */
export async function insertChanges(tx: Tx, entries: readonly Change[]): Promise<void> {
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

/** A change as the driver reads it. */
export type FoundChange = Omit<PastChange, 'id' | 'serial' | 'at' | 'restoredTo'> & {
  id: string;
  serial: string;
  at: string;
  restoredTo: string | null;
};

export const CHANGE_COLUMNS = `id, action, key_id as "keyId", before, after, serial, request_id as "requestId", owner, to_json(undoes) as undoes,
  restored_to as "restoredTo", at`;
const pageOfAll = historyPages<FoundChange>('changes', CHANGE_COLUMNS, 'c.zone_id = $1');
const pageOfZone = historyPages<FoundChange>('changes', CHANGE_COLUMNS, "c.zone_id = $1 and c.action like 'zone.%'");

/**
 * A page of a zone's history, newest first; see history-pages.ts for its bounds.
 * @param before only changes older than this one
 * @param zoneOnly only changes of the zone itself, none of its records
 */
export async function listChanges(
  db: Db,
  zoneId: string,
  { before, zoneOnly, limit }: { before?: number | undefined; zoneOnly: boolean; limit: number },
): Promise<{ changes: PastChange[]; more: boolean }> {
  const { rows, more } = await (zoneOnly ? pageOfZone : pageOfAll)(db, zoneId, limit, before ?? null);
  return {
    changes: rows.map(changeOf),
    more,
  };
}

export function changeOf({ restoredTo, ...row }: FoundChange): PastChange {
  return {
    ...row,
    id: Number(row.id),
    serial: Number(row.serial),
    restoredTo: restoredTo === null ? null : new Date(restoredTo),
    at: new Date(row.at),
  };
}
