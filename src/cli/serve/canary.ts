// `zonestead canary`
import { CANARY_SETTINGS } from '#canary/settings.ts';
import { describeCommand } from '../command.ts';
import { untilSecretsChange } from '../secrets.ts';
import { printOnce } from './once-report.ts';

export const command = describeCommand({
  name: 'canary',
  describe: 'measure DNS from outside: write a record over REST, and ask every address of the name servers for it',
  options: [
    {
      flags: '--once',
      describe: 'measure once, print a table, and exit with 1 if an answer is not right or comes late',
    },
  ],
  settings: CANARY_SETTINGS,
  notes:
    'The key needs the right to write the records of ZONESTEAD_CANARY_ZONE, and no other: zonestead keys mint --name canary --records none --grant <id of the zone>=write --only-name "canary*" --only-type TXT. ' +
    'With --once, the record has the name of ZONESTEAD_CANARY_NAME with -once, so that it does not disturb a canary that runs.',
  run: async (_args, { once = false }: { once?: boolean }, context) => {
    const { runCanary, runCanaryOnce } = await import('#canary/main.ts');
    const config = context.config();
    if (once) return printOnce(await runCanaryOnce(config, context.signal), context.print);
    await untilSecretsChange(context, () => runCanary(config, context.signal));
    return 0;
  },
});
