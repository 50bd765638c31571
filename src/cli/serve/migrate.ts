// `zonestead migrate`
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'migrate',
  describe: 'migrate the database to the schema of this version',
  options: [
    { flags: '--plan', describe: 'print the steps, their locks and the indexes to build first, and change nothing' },
    {
      flags: '--max-held <ms>',
      describe: 'undo the migration if it blocks other programs for longer; 0: no limit. (Default: 1500.)',
      value: 'number',
    },
  ],
  settings: DATABASE_SETTINGS,
  run: async (_args, { plan, maxHeld }: { plan?: boolean; maxHeld?: number }, { config, print }) => {
    const { DATABASE_URL: url } = config();
    const { migrateDatabase, planMigration } = await import('#service/accounts/bootstrap.ts');
    if (plan) {
      const { planLines } = await import('./migration-lines.ts');
      const found = await planMigration(url);
      for (const line of planLines(found)) print(line);
      return found.refusal === null ? 0 : 1;
    }
    await migrateDatabase(url, maxHeld === undefined ? {} : { maxHeldMs: maxHeld === 0 ? 2 ** 31 - 1 : maxHeld });
    print('the database is up to date');
    return 0;
  },
});
