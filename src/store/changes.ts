// The append-only history: who changed what, and in which serial.
import { and, desc, eq, like, lt, sql } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { chunksOf } from './record-batches.ts';
import { statement } from './statement.ts';
import { changes } from './tables.ts';

export type Action =
  | 'zone.create'
  | 'zone.change'
  | 'zone.delete'
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
}

const insert = statement(`
  insert into changes (zone_id, zone_name, team_id, user_id, key_id, action, before, after, serial, request_id)
  values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9, $10)`);

export async function insertChange(tx: Tx, change: Change): Promise<void> {
  const { zoneId, zoneName, teamId, userId, keyId, action, before, after, serial, requestId } = change;
  await insert(tx, zoneId, zoneName, teamId, userId, keyId, action, json(before), json(after), serial, requestId);
}

/** Nothing is null in SQL too. */
function json(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

/** Many changes of one transaction, in their order. */
export async function insertChanges(tx: Tx, entries: Change[]): Promise<void> {
  for (const chunk of chunksOf(entries)) {
    await tx.execute(sql`
      insert into ${changes} (zone_id, zone_name, team_id, user_id, key_id, action, before, after, serial, request_id)
      select "zoneId", "zoneName", "teamId", "userId", "keyId", action, before, after, serial, "requestId"
      from jsonb_to_recordset(${JSON.stringify(chunk)}::text::jsonb) as c("zoneId" text, "zoneName" text, "teamId" text,
        "userId" text, "keyId" text, action text, before jsonb, after jsonb, serial bigint, "requestId" text)`);
  }
}

export interface PastChange {
  id: number;
  action: Action;
  keyId: string;
  before: unknown;
  after: unknown;
  serial: number;
  requestId: string;
  at: Date;
}

/**
 * A zone's history, newest first.
 * @param before only changes older than this one
 * @param zoneOnly only changes of the zone itself, none of its records
 */
export async function listChanges(
  db: Db,
  zoneId: string,
  { before, zoneOnly, limit }: { before?: number | undefined; zoneOnly: boolean; limit: number },
): Promise<PastChange[]> {
  return db
    .select({
      id: changes.id,
      action: sql<Action>`${changes.action}`,
      keyId: changes.keyId,
      before: changes.before,
      after: changes.after,
      serial: changes.serial,
      requestId: changes.requestId,
      at: changes.at,
    })
    .from(changes)
    .where(
      and(
        eq(changes.zoneId, zoneId),
        before === undefined ? undefined : lt(changes.id, before),
        zoneOnly ? like(changes.action, 'zone.%') : undefined,
      ),
    )
    .orderBy(desc(changes.id))
    .limit(limit);
}
