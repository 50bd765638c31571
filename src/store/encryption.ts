// The private keys of zones as they are stored, for their encryption: those of zones, and those of deleted zones.
import { SEALED_PATTERN } from '#base/keyring.ts';
import type { Db } from './database.ts';
import { statement } from './statement.ts';

/** A stored private key. Its zone and public key identify it. */
export interface StoredKey {
  readonly zoneId: string;
  /** Base64. */
  readonly publicKey: string;
  /** In clear or encrypted. Secret. */
  readonly text: string;
}

export type KeyPlace = 'zones' | 'deleted zones';
export const KEY_PLACES: readonly KeyPlace[] = ['zones', 'deleted zones'];

// The rows of deleted zones are found by their zones, because most of them are records.
const DELETED = `select r.zone_id, r.row ->> 'public_key' as public_key, r.row ->> 'private_key' as private_key
  from deleted_zones z join deleted_zone_rows r on r.zone_id = z.id and r.origin = 'zone_keys'`;
const LIVE = 'select zone_id, public_key, private_key from zone_keys';

const countTexts = statement<{ name: string | null; count: number }>(`
  select substring(private_key from '${SEALED_PATTERN}') as name, count(*)::integer as count
  from (${LIVE} union all ${DELETED}) stored group by 1 order by 1 nulls first`);

/** The number of private keys by the name of the key that encrypts them; null: in clear. It reads all of them. */
export function countStoredKeys(db: Db): Promise<readonly { name: string | null; count: number }[]> {
  return countTexts(db);
}

const pageOf = (rows: string) =>
  statement<StoredKey>(`
  select zone_id as "zoneId", public_key as "publicKey", private_key as text from (${rows}) stored
  where (zone_id, public_key) > ($1, $2) and ($3::text is null or not starts_with(private_key, $3)) order by zone_id, public_key limit $4`);

const NEW_TEXTS = 'unnest($1::text[], $2::text[], $3::text[], $4::text[]) n(zone_id, public_key, old, new)';

const PLACES = {
  zones: {
    page: pageOf(LIVE),
    update: statement(`
      update zone_keys k set private_key = n.new from ${NEW_TEXTS}
      where k.zone_id = n.zone_id and k.public_key = n.public_key and k.private_key = n.old returning 1 as one`),
  },
  'deleted zones': {
    page: pageOf(DELETED),
    update: statement(`
      update deleted_zone_rows r set row = jsonb_set(r.row, '{private_key}', to_jsonb(n.new)) from ${NEW_TEXTS}
      where r.zone_id = n.zone_id and r.origin = 'zone_keys' and r.row ->> 'public_key' = n.public_key
        and r.row ->> 'private_key' = n.old returning 1 as one`),
  },
} as const;

const PAGE = 500;

/**
 * The keys of a place, 500 at a time.
 * @param currentPrefix keys whose text begins with it are omitted; null: none is
 * @throws the reason of the signal
 */
export async function* storedKeyPages(
  db: Db,
  place: KeyPlace,
  currentPrefix: string | null,
  signal: AbortSignal,
): AsyncGenerator<readonly StoredKey[]> {
  for (let after: StoredKey | undefined; ; ) {
    signal.throwIfAborted();
    const ids = [after?.zoneId ?? '', after?.publicKey ?? ''];
    const page: readonly StoredKey[] = await PLACES[place].page(db, ...ids, currentPrefix, PAGE);
    yield page;
    after = page.at(-1);
    if (page.length < PAGE) return;
  }
}

/** Replaces the texts that have not changed since they were read. @returns the number of replaced texts */
export async function replaceStoredKeys(
  db: Db,
  place: KeyPlace,
  changes: readonly { key: StoredKey; text: string }[],
): Promise<number> {
  const rows = await PLACES[place].update(
    db,
    changes.map(({ key }) => key.zoneId),
    changes.map(({ key }) => key.publicKey),
    changes.map(({ key }) => key.text),
    changes.map(({ text }) => text),
  );
  return rows.length;
}

const selectNames = statement<{ id: string; name: string }>('select id, name from zones where id = any($1::text[])');

export async function namesOfZones(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  return new Map((await selectNames(db, ids)).map(({ id, name }) => [id, name]));
}
