// Settings that clients of other protocols keep at a zone. Their meaning is the client's.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

type Settings = Readonly<Record<string, unknown>>;

const select = statement<{ zoneId: string; settings: Settings }>(
  'select zone_id as "zoneId", settings from zone_client_settings where zone_id = any($1::text[])',
);

/** The settings of some zones, by id; a zone without settings is absent. */
export async function clientSettings(db: Db | Tx, zoneIds: readonly string[]): Promise<ReadonlyMap<string, Settings>> {
  if (zoneIds.length === 0) return new Map();
  return new Map((await select(db, zoneIds)).map(({ zoneId, settings }) => [zoneId, settings]));
}

// Nothing is written for a zone that was deleted meanwhile.
const merge = statement(`
  insert into zone_client_settings (zone_id, settings) select id, $2::text::jsonb from zones where id = $1
  on conflict (zone_id) do update set settings = zone_client_settings.settings || excluded.settings`);

/** Sets some settings of a zone; the others stay. */
export async function mergeClientSettings(db: Db | Tx, zoneId: string, settings: Settings): Promise<void> {
  await merge(db, zoneId, JSON.stringify(settings));
}
