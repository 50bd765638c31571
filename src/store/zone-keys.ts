// The DNSSEC keys of zones. Only the feed for name servers reads private keys (served-zones.ts), and the command that
// encrypts them again (encryption.ts).
import type { Keyring } from '#base/keyring.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import type { SigningKey } from '#dns/dnssec/signing-key.ts';
import { columns, keysWithout, type Plain } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { zoneKeys } from './tables.ts';

/** zone-tables.ts describes the columns. */
export type ZoneKeyRow = Omit<typeof zoneKeys.$inferSelect, 'privateKey'>;

const keyColumns = columns(zoneKeys, keysWithout(zoneKeys, ['privateKey']));

const insertKey = statement<Plain<ZoneKeyRow>>(`
  insert into zone_keys (zone_id, algorithm, public_key, private_key, state, since, look_at, created_at)
  values ($1, $2::integer, $3, $4, $5, $6::timestamptz, $7::timestamptz, $6::timestamptz) returning ${keyColumns.list}`);

/** The owner of a private key in the keyring: a text that was copied to another key does not open. */
export const ownerOfKey = ({ publicKey }: Pick<SigningKey, 'publicKey'>) => `zone key ${publicKey}`;

/**
 * @param keyring encrypts the private key
 * @param lookAt the first look at the servers; null: the key is in no roll
 * @throws with the constraint zone_keys_roll_idx if the zone has a key in a roll
 */
export async function insertZoneKey(
  tx: Tx,
  keyring: Keyring,
  zoneId: string,
  key: SigningKey & { state: KeyState },
  { since, lookAt = null }: { since: Date; lookAt?: Date | null },
): Promise<ZoneKeyRow> {
  const { algorithm, publicKey, state } = key;
  const privateKey = keyring.seal(key.privateKey, ownerOfKey(key));
  const times = [since.toISOString(), lookAt?.toISOString() ?? null];
  const [row] = await insertKey(tx, zoneId, algorithm, publicKey, privateKey, state, ...times);
  return keyColumns.read(row as Plain<ZoneKeyRow>);
}

const selectKeys = statement<Plain<ZoneKeyRow>>(
  `select ${keyColumns.list} from zone_keys where zone_id = $1 order by id`,
);

/** The keys of a zone in the order of their creation, without the private ones. */
export async function listZoneKeys(db: Db | Tx, zoneId: string): Promise<ZoneKeyRow[]> {
  return (await selectKeys(db, zoneId)).map((row) => keyColumns.read(row));
}

const selectSameKey = statement<object>(`
  select 1 from zone_keys where public_key = $1 union all
  select 1 from deleted_zones d join deleted_zone_rows r on r.zone_id = d.id and r.origin = 'zone_keys'
    where d.name <> $2 and r.row ->> 'public_key' = $1 limit 1`);

/**
 * Whether a zone of any owner has the key, or a deleted zone with another name that may come back with it. Name servers
 * keep one file for a key, and delete it with the first zone that goes.
 */
export async function hasZoneWithKey(
  tx: Tx,
  { name, publicKey }: Pick<SigningKey, 'publicKey'> & { name: string },
): Promise<boolean> {
  return (await selectSameKey(tx, publicKey, name)).length > 0;
}

const updateStates = statement(`
  update zone_keys set state = $3, xid = pg_current_xact_id(), since = $4::timestamptz, shown_since = null, hold_s = null,
    waits_for = null, look_at = $5::timestamptz
  where zone_id = $1 and id = $2::bigint`);

/** Gives a key another state. @param lookAt null: the roll has no proof to wait for with this key */
export async function setKeyState(
  tx: Tx,
  { zoneId, id }: Pick<ZoneKeyRow, 'zoneId' | 'id'>,
  state: KeyState,
  { since, lookAt }: { since: Date; lookAt: Date | null },
): Promise<void> {
  await updateStates(tx, zoneId, id, state, since.toISOString(), lookAt?.toISOString() ?? null);
}

const updateCancelled = statement(
  `update zone_keys set roll_cancelled_at = $2::timestamptz where zone_id = $1 and state = 'active'`,
);

/** Notes at the keys that a roll would have replaced that it was cancelled. */
export async function noteCancelledRoll(tx: Tx, zoneId: string, now: Date): Promise<void> {
  await updateCancelled(tx, zoneId, now.toISOString());
}

const deleteKey = statement('delete from zone_keys where zone_id = $1 and id = $2::bigint');

export async function deleteZoneKey(tx: Tx, { zoneId, id }: Pick<ZoneKeyRow, 'zoneId' | 'id'>): Promise<void> {
  await deleteKey(tx, zoneId, id);
}

const takeLooks = statement<{ zoneId: string }>(`
  update zone_keys k set look_at = $1::timestamptz + interval '60 s'
  where k.id in (select id from zone_keys where id in (
      select due.id from (
        select d.id, d.look_at, row_number() over (partition by coalesce(z.team_id, z.user_id) order by d.look_at) as turn
        from zone_keys d join zones z on z.id = d.zone_id where d.look_at <= $1::timestamptz) due
      order by due.turn, due.look_at limit $2) for update skip locked)
  returning k.zone_id as "zoneId"`);

/**
 * The zones whose roll is due for a look, for this process: another one gets them again after a minute, if this one
 * does not say what it saw. Owners take turns, so that one with many rolls does not hold up those of others.
 */
export async function takeDueRolls(db: Db, now: Date, limit: number): Promise<string[]> {
  return (await takeLooks(db, now.toISOString(), limit)).map(({ zoneId }) => zoneId);
}

const updateLook = statement(`
  update zone_keys set shown_since = $3::timestamptz, hold_s = $4::integer, waits_for = $5, look_at = $6::timestamptz
  where zone_id = $1 and id = $2::bigint and look_at is not null and xid = $7::xid8`);

/** The result of a look at the servers. */
export interface KeyLook {
  shownSince: Date | null;
  holdS: number | null;
  waitsFor: string;
  lookAt: Date;
}

/** Keeps the look, unless the key is in another step meanwhile. */
export async function saveKeyLook(
  db: Db | Tx,
  key: Pick<ZoneKeyRow, 'zoneId' | 'id' | 'xid'>,
  look: KeyLook,
): Promise<void> {
  const { shownSince, holdS, waitsFor, lookAt } = look;
  await updateLook(
    db,
    key.zoneId,
    key.id,
    shownSince?.toISOString() ?? null,
    holdS,
    waitsFor,
    lookAt.toISOString(),
    key.xid,
  );
}

const selectOldest = statement<{ since: string | null; rolls: number }>(
  'select min(since) as since, count(*)::integer as rolls from zone_keys where look_at is not null',
);

/** The rolls that are under way, and since when the one waits that waits longest. */
export async function oldestRollStep(db: Db): Promise<{ rolls: number; since: Date | null }> {
  const [row] = await selectOldest(db);
  return { rolls: row?.rolls ?? 0, since: row?.since == null ? null : new Date(row.since) };
}

// A record that has another TTL now, or that is gone, is in caches for the rest of its former TTL.
const selectDataTtl = statement<{ ttl: number }>(`
  select greatest(z.default_ttl, (select max(r.ttl) from records r where r.zone_no = z.no), (
      select max(extract(epoch from c.at - $2::timestamptz)
        + coalesce((c.before ->> 'ttl')::integer, (c.before ->> 'defaultTtl')::integer))
      from changes c where c.zone_id = z.id and c.at > $2::timestamptz - interval '1 day'
    ))::integer as ttl
  from zones z where z.id = $1`);

/**
 * How long resolvers may keep records of a zone, in seconds: the longest TTL, or the rest of one that was longer before
 * a change. It reads all records, and the history of a day, which is the longest TTL of a record.
 */
export async function longestTtl(db: Db, zoneId: string, now: Date): Promise<number> {
  return (await selectDataTtl(db, zoneId, now.toISOString()))[0]?.ttl ?? 0;
}
