// Opens the database of the api, and writes the names of the name servers to it.
import { hostText } from '#base/postgres-address.ts';
import type { Config } from '#config.ts';
import { type Database, openDatabase, REASONS } from '#store/database.ts';
import { refreshServiceNames } from '#store/secondaries.ts';
import { setService } from '#store/zones.ts';
import { inSpan } from '#telemetry/tracing.ts';
import manifest from '../../package.json' with { type: 'json' };
import { countDatabaseLosses, watchDatabase } from './metrics.ts';
import type { Telemetry } from './parts.ts';
import type { COMPOSE_SETTINGS } from './settings.ts';

type Settings = Config<(typeof COMPOSE_SETTINGS)[number]>;

/** @throws if the database does not answer; it is closed in that case */
export async function openApiDatabase(config: Settings, telemetry: Telemetry): Promise<Database> {
  const database = openPool(config, telemetry);
  await storeNames(database, config);
  watchDatabase(telemetry.metrics, database, config.ZONESTEAD_DATABASE_CONNECTIONS);
  return database;
}

function openPool(config: Settings, { log, metrics, tracing }: Telemetry): Database {
  const transaction = {
    name: 'transaction',
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
  } as const;
  return openDatabase(config.DATABASE_URL, {
    ...(tracing?.isOn ? { around: (work) => inSpan(tracing, transaction, work) } : {}),
    name: `zonestead-api/${manifest.version}`,
    max: config.ZONESTEAD_DATABASE_CONNECTIONS,
    lockTimeoutMs: config.ZONESTEAD_BUSY_AFTER_MS,
    onLoss: countDatabaseLosses(metrics, REASONS),
    onPrimary: (host, before) =>
      log.info(
        { primary: hostText(host), ...(before === null ? {} : { before: hostText(before) }) },
        'the primary of the database is another server than before',
      ),
  });
}

/** Writes the names of the name servers to the database, which it closes if that fails. */
async function storeNames(database: Database, config: Settings): Promise<void> {
  const nameservers = config.ZONESTEAD_NAMESERVERS;
  const hostmaster = config.ZONESTEAD_HOSTMASTER ?? `hostmaster.${nameservers[0]}`;
  try {
    await setService(database.db, { nameservers, hostmaster });
    await refreshServiceNames(database.db);
  } catch (error) {
    await database.close();
    throw error;
  }
}
