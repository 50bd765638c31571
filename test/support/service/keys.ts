// API keys for tests, with any restrictions, written to the database.
import { randomBytes } from 'node:crypto';
import { ensureTeam, mintKey } from '#service/keys/keys.ts';
import { type Db, openDatabase } from '#store/database.ts';
import { eq } from '#store/drizzle.ts';
import { apiKeys, keyZoneGrants } from '#store/tables.ts';

export type Level = 'none' | 'read' | 'write';

export interface KeyOptions {
  /** Name of the team, which is created if it does not exist. (Default: first.) */
  team?: string;
  /** (Default: write.) */
  records?: Level;
  /** (Default: write.) */
  manageZones?: Level;
  /** (Default: write.) */
  clusters?: 'none' | 'write';
  /** Checks that it may send signals for. */
  signals?: string[];
  /** Levels by zone id. */
  grants?: Record<string, Level>;
  /** (Default: the service's.) */
  zoneWrites?: number;
  recordWrites?: number;
  onlyNames?: string[];
  onlyTypes?: string[];
  networks?: string[];
  expiresAt?: Date;
  revokedAt?: Date;
}

export interface TestKey {
  id: string;
  /** The token for `Bearer`. */
  text: string;
  /** The id of the team. */
  team: string;
}

export async function mintTestKey(url: string, options: KeyOptions): Promise<TestKey> {
  const { db, close } = openDatabase(url, { max: 1, name: 'test-keys' });
  try {
    return await mintKeyIn(db, options);
  } finally {
    await close();
  }
}

/** The same with a connection that is open: a new one takes more processor time than all else. */
export async function mintKeyIn(db: Db, options: KeyOptions): Promise<TestKey> {
  const {
    team: name = 'first',
    records = 'write',
    manageZones = 'write',
    clusters = 'write',
    grants = {},
    ...rest
  } = options;
  const { zoneWrites = null, recordWrites = null, ...restrictions } = rest;
  const { id: teamId } = await ensureTeam(db, name, randomBytes);
  const key = { teamId, name: 'test', records, manageZones, clusters, zoneWrites, recordWrites };
  const { id, text } = await mintKey(db, key, randomBytes);
  if (Object.keys(restrictions).length > 0) await db.build.update(apiKeys).set(restrictions).where(eq(apiKeys.id, id));
  for (const [zoneId, level] of Object.entries(grants)) {
    await db.build.insert(keyZoneGrants).values({ keyId: id, zoneId, records: level });
  }
  return { id, text, team: teamId };
}
