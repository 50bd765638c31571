// `zonestead knot-conf`
import { KNOT_CONF_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';

export const command = describeCommand({
  name: 'knot-conf',
  describe: 'make or update the configuration database of knotd, before knotd starts',
  settings: KNOT_CONF_SETTINGS,
  notes:
    'The database is in the folder confdb of ZONESTEAD_KNOT_FOLDER, for knotd -C. Zones and secondaries that are in it stay.',
  run: async (_args, _options, { config, print, signal }) => {
    const { prepareKnot } = await import('#nameserver/knot/prepare.ts');
    const { knotSettings } = await import('#nameserver/knot/from-config.ts');
    const values = config();
    const settings = knotSettings(values);
    const result = await prepareKnot({ knotc: values.ZONESTEAD_KNOTC, settings, signal });
    print(`${result === 'made' ? 'Made' : 'Updated'} the configuration database ${settings.folder.confdb}.`);
  },
});
