// `zonestead delegation`
import { describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { REST_SETTINGS, withRest } from './rest.ts';

export const command = describeCommand({
  name: 'delegation',
  describe: 'look at the parent of a zone, and print the next step of its move to this service, with DNSSEC',
  arguments: [{ usage: '<zone>', describe: 'name or id of the zone' }],
  options: [OUTPUT_OPTION],
  settings: [...REST_SETTINGS, 'ZONESTEAD_RESOLVER'],
  run: ([zone = ''], options: OutputOption, context) =>
    withRest(context, options, async (session) => {
      const { showDelegation } = await import('../delegation/delegation.ts');
      await showDelegation(session, zone, { resolvers: context.config().ZONESTEAD_RESOLVER });
    }),
});
