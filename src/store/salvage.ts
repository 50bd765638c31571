// Zones that only name servers have, on their way back: the request of an administrator, and the parts that nodes send
// for it.
import type { Db, Tx } from './database.ts';
import { LIVING_NODES } from './nodes.ts';
import { statement } from './statement.ts';

const lockSalvage = statement<{ isFree: boolean }>(`select pg_try_advisory_lock(${0x73616c76}) as "isFree"`);

/** One administrator at a time, until the connection ends. @returns false: another one is at work */
export async function lockForSalvage(db: Db): Promise<boolean> {
  return (await lockSalvage(db))[0]?.isFree === true;
}

const dropParts = statement('delete from salvage_parts');
const writeRequest = statement(`
  insert into salvage_requests (token, zones, until, endings, keys_only)
  values ($1, $2::text[], statement_timestamp() + make_interval(secs => $3), $4, $5)
  on conflict (one) do update set token = excluded.token, zones = excluded.zones, until = excluded.until,
    endings = excluded.endings, keys_only = excluded.keys_only`);
const dropRequest = statement('delete from salvage_requests');

interface SalvageRequest {
  token: string;
  zones: readonly string[];
  /** The end of the request. */
  seconds: number;
  /** Whether nodes send the endings that they remember. (Default: false.) */
  endings?: boolean;
  /** Whether they send only private keys, also of zones that the database has. (Default: false.) */
  keysOnly?: boolean;
}

/** Asks all nodes for zones. The parts of an earlier request are deleted. */
export async function openSalvage(db: Db, request: SalvageRequest): Promise<void> {
  const { token, zones, seconds, endings = false, keysOnly = false } = request;
  await db.transaction(async (tx) => {
    await writeRequest(tx, token, zones, seconds, endings, keysOnly);
    await dropParts(tx);
  });
}

/** Ends the request, and deletes its parts. */
export async function closeSalvage(db: Db): Promise<void> {
  await db.transaction(async (tx) => {
    await dropRequest(tx);
    await dropParts(tx);
  });
}

const dropOverdue = statement(`
  with ended as (delete from salvage_requests where until < statement_timestamp() returning 1)
  delete from salvage_parts where exists (select from ended)`);

/** Deletes a request that its command did not end, with the keys that were sent for it. */
export async function dropOverdueSalvage(db: Db): Promise<void> {
  await dropOverdue(db);
}

// The lock keeps the request until the part is written, so that no part stays behind.
const writePart = statement<{ part: number }>(`
  with asked as (select 1 from salvage_requests where token = $1 and until > statement_timestamp() and ($4 = any(zones) or ($4 = '' and endings)) for share),
    sender as (select n.name from (${LIVING_NODES}) n where n.instance = $2 and n.key_id = $3 limit 1)
  insert into salvage_parts (instance, zone, part, node, content)
  select $2, $4, $5::integer, sender.name, $6::jsonb from asked cross join sender
  on conflict (instance, zone, part) do update set content = excluded.content
  returning part`);

export interface SentPart {
  token: string;
  instance: string;
  keyId: string;
  zone: string;
  part: number;
  content: unknown;
}

/** @returns false: no administrator asks for the zone, or no living node has this instance and key */
export async function storeSalvagePart(db: Db, sentPart: SentPart): Promise<boolean> {
  const { token, instance, keyId, zone, part, content } = sentPart;
  return (await writePart(db, token, instance, keyId, zone, part, JSON.stringify(content))).length > 0;
}

const selectSenders = statement<{ name: string; instance: string }>(
  `select n.name, n.instance from (${LIVING_NODES}) n where n.position is not null order by n.name, n.first_at`,
);

/** The living nodes that have applied a list. */
export async function salvageSenders(db: Db): Promise<readonly { name: string; instance: string }[]> {
  return selectSenders(db);
}

/** The last part of a zone. */
export interface SentEnd {
  instance: string;
  node: string;
  zone: string;
  content: unknown;
}

const selectEnds = statement<SentEnd>(
  'select instance, node, zone, content from salvage_parts where part = 0 order by zone, node, instance',
);

export async function sentEnds(db: Db): Promise<readonly SentEnd[]> {
  return selectEnds(db);
}

const countSent = statement<{ count: number }>('select count(*)::integer as count from salvage_parts');

/** The number of all parts that were sent so far. */
export async function countSentParts(db: Db): Promise<number> {
  return (await countSent(db))[0]?.count ?? 0;
}

const selectParts = statement<{ content: unknown }>(
  'select content from salvage_parts where instance = $1 and zone = $2 and part > 0 order by part',
);

/** The parts of a zone with records, in their order. */
export async function sentParts(db: Db | Tx, instance: string, zone: string): Promise<readonly unknown[]> {
  return (await selectParts(db, instance, zone)).map(({ content }) => content);
}

const selectSecret = statement<{ secret: Uint8Array; nameservers: string[] }>(
  'select seal_secret as secret, nameservers from service',
);

/** The secret of seals, and the name servers of all zones; null before the first start of an api. */
export async function readSealSecret(db: Db): Promise<{ secret: Uint8Array; nameservers: string[] } | null> {
  return (await selectSecret(db))[0] ?? null;
}

const dropDeleted = statement('delete from deleted_zones where id = $1');

/** Forgets that a zone was deleted, which is there again under its id. */
export async function forgetDeletion(tx: Tx, id: string): Promise<void> {
  await dropDeleted(tx, id);
}

const selectLastDeletion = statement<{ serial: string | null }>(
  'select max(serial)::text as serial from deleted_zones where name = $1',
);

/** The latest serial with which a zone of this name was deleted; 0: none is known. */
export async function lastDeletedSerial(tx: Tx, name: string): Promise<number> {
  return Number((await selectLastDeletion(tx, name))[0]?.serial ?? 0);
}

const selectKnownId = statement<{ isKnown: boolean }>(`
  select exists (select from zones where id = $1) or exists (select from deleted_zones where id = $1)
    or exists (select from changes where zone_id = $1) as "isKnown"`);

/** Whether a zone has or had this id, as far as the database knows. */
export async function isKnownZoneId(tx: Tx, id: string): Promise<boolean> {
  return (await selectKnownId(tx, id))[0]?.isKnown === true;
}

const selectPerson = statement<{ id: string }>('select id from users where id = $1 and removed_at is null for share');

/** Whether a person with this id may own a zone; the row stays as it is until the transaction ends. */
export async function isPerson(tx: Db | Tx, id: string): Promise<boolean> {
  return (await selectPerson(tx, id)).length > 0;
}
