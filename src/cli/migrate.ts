// `zonestead migrate`. Goes through zones/, like everything on the command line that touches the database.
import { migrateDatabase } from '../zones/bootstrap.ts';

export async function runMigrate(config: { DATABASE_URL: string }, print: (line: string) => void): Promise<void> {
  await migrateDatabase(config.DATABASE_URL);
  print('the database is up to date');
}
