// `zonestead diff`
import { describeCommand } from '../command.ts';
import { REST_SETTINGS, withRest } from '../commands/rest.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';

export const command = describeCommand({
  name: 'diff',
  describe: 'compare a zone file, or a file of DNSZone and DNSRecord objects, with the service',
  arguments: [{ usage: '<file>', describe: 'zone file, or YAML of objects; "-" reads standard input' }],
  options: [
    { flags: '--zone <zone>', describe: 'the zone of the file (default: its first $ORIGIN, or its DNSZone)' },
    OUTPUT_OPTION,
  ],
  notes: 'The exit code is 0 if the file and the service are equal, 1 if they differ, and 2 after an error.',
  errorCode: 2,
  settings: REST_SETTINGS,
  run: async ([file = ''], options: OutputOption & { zone?: string }, context) => {
    const { readInput } = await import('../input.ts');
    const text = await readInput(file, context.signal);
    let isEqual = false;
    await withRest(context, options, async (session) => {
      isEqual = await (await import('./diff.ts')).showDiff(session, text, options.zone);
    });
    return isEqual ? 0 : 1;
  },
});
