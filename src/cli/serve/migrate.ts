// `zonestead migrate`
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'migrate',
  describe: 'migrate the database to the schema of this version',
  settings: DATABASE_SETTINGS,
  run: async (_args, _options, { config, print }) => {
    const { DATABASE_URL: url } = config();
    const { migrateDatabase } = await import('#service/accounts/bootstrap.ts');
    await migrateDatabase(url);
    print('the database is up to date');
  },
});
