// `zonestead knot-conf`
import { KNOT_CONF_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'knot-conf',
  describe: 'make or update the configuration database of knotd, before knotd starts',
  options: [{ flags: '--start', describe: 'become knotd afterwards, in the same process' }],
  settings: KNOT_CONF_SETTINGS,
  notes:
    'The database is in the folder confdb of ZONESTEAD_KNOT_FOLDER, for knotd -C. Zones and secondaries that are in it stay. ' +
    'A socket and a PID file that a killed knotd left are removed. A damaged database is kept as data.mdb.damaged, ' +
    'and the node gets its contents from the api again.',
  run: async (_args, { start }: { start?: boolean }, { config, print, signal }) => {
    const { prepareKnot } = await import('#nameserver/knot/prepare.ts');
    const { knotSettings } = await import('#nameserver/knot/from-config.ts');
    const values = config();
    const settings = knotSettings(values);
    const { confdb } = settings.folder;
    const result = await prepareKnot({ knotc: values.ZONESTEAD_KNOTC, settings, signal, warn: print });
    if (!start) print(`${result === 'made' ? 'Made' : 'Updated'} the configuration database ${confdb}.`);
    else {
      const { KNOTD_ENVIRONMENT } = await import('#nameserver/knot/environment.ts');
      const { environmentWith } = await import('#config.ts');
      const environment = environmentWith(KNOTD_ENVIRONMENT);
      process.execve?.(values.ZONESTEAD_KNOTD, [values.ZONESTEAD_KNOTD, '-C', confdb], environment);
    }
  },
});
