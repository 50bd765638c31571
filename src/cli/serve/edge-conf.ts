// `zonestead edge-conf`
import { EDGE_SETTINGS } from '#nameserver/settings.ts';
import { describeCommand } from '../command.ts';

interface EdgeOptions {
  start?: boolean;
  check?: boolean;
  zones?: boolean;
}

export const command = describeCommand({
  name: 'edge-conf',
  describe: 'write the configuration of an edge: a knotd that follows your nodes as a secondary',
  options: [
    { flags: '--start', describe: 'become knotd afterwards, in the same process' },
    {
      flags: '--check',
      describe: 'check that the knotd answers, and renew its configuration if addresses or the key changed',
    },
    { flags: '--zones', describe: 'check that the knotd has all zones of its catalog' },
  ],
  settings: EDGE_SETTINGS,
  notes:
    'The configuration is knot.conf in ZONESTEAD_KNOT_FOLDER, for knotd -c. An edge needs neither the database nor the api. ' +
    'Probes of the kubelet call --check and --zones, which exit with 1 and the reason.',
  run: async (_args, { start, check, zones }: EdgeOptions, { config, print, signal }) => {
    const { checkEdge, checkZones, edgeFile, prepareEdge } = await import('#nameserver/edge/edge.ts');
    const settings = config();
    if (check) return checkEdge(settings, print, signal);
    if (zones) return checkZones(settings, print, signal);
    await prepareEdge(settings, print, signal);
    const { ZONESTEAD_KNOTD: knotd } = settings;
    if (start) process.execve?.(knotd, [knotd, '-c', edgeFile(settings)]);
    else print(`Wrote ${edgeFile(settings)}.`);
  },
});
