// `zonestead diff`: a zone file or manifests, compared with the service. A zone file is compared with the whole zone.
// Manifests are compared at the names and types of their records, because kubectl apply does not touch others.
import { fetchRecords, fetchZones } from '#client/lists.ts';
import type { Zone } from '#contract/zone.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import { describeCommand } from './command.ts';
import { listDifferences, type SetDifference } from './difference.ts';
import { readInput } from './input.ts';
import { OUTPUT_OPTION, type OutputOption, show } from './output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from './rest/access.ts';
import type { WantedZone } from './rest/manifest-files.ts';
import { printDifferences } from './rest/preview.ts';
import type { Session } from './rest/session.ts';
import { parsedRecords } from './rest/stored-records.ts';
import { withRest } from './rest/with-rest.ts';
import { compareFile, isManifest } from './rest/zone-files.ts';

export const command = describeCommand({
  name: 'diff',
  describe: 'compare a zone file, or a file of DNSZone and DNSRecord objects, with the service',
  arguments: [{ usage: '<file>', describe: 'zone file, or YAML of objects; "-" reads standard input' }],
  options: [
    { flags: '--zone <zone>', describe: 'the zone of the file (default: its first $ORIGIN, or its DNSZone)' },
    OUTPUT_OPTION,
    CONTEXT_OPTION,
  ],
  notes: 'The exit code is 0 if the file and the service are equal, 1 if they differ, and 2 after an error.',
  errorCode: 2,
  settings: REST_SETTINGS,
  examples: ['zonestead diff shop.zone', 'zonestead diff dns.yaml'],
  run: async ([file = ''], options: OutputOption & ContextOption & { zone?: string }, context) => {
    const text = await readInput(file, context.signal);
    let isEqual = false;
    await withRest(context, options, async (session) => {
      isEqual = await showDiff(session, text, options.zone);
    });
    return isEqual ? 0 : 1;
  },
});

interface ZoneDifference {
  zoneName: string;
  /** Sentences about the zone itself. */
  zone: string[];
  differences: SetDifference[];
}

/**
 * @returns whether the file and the service are equal
 * @throws Error that names the line or the object that is wrong
 */
async function showDiff(session: Session, text: string, given: string | undefined): Promise<boolean> {
  const zones = isManifest(text)
    ? await compareManifests(session, await wantedBy(text, given))
    : [await compareWhole(session, text, given)];
  await show(session, { zones }, () => {
    for (const { zoneName, zone, differences } of zones) {
      if (zone.length === 0 && differences.length === 0) continue;
      session.print(`${zoneName}:`);
      for (const sentence of zone) session.print(`~ ${sentence}`);
      printDifferences(differences, session.print);
    }
  });
  return zones.every(({ zone, differences }) => zone.length === 0 && differences.length === 0);
}

/** The reader of YAML is a package that a zone file does not need. */
async function wantedBy(text: string, given: string | undefined): Promise<WantedZone[]> {
  const { readManifests } = await import('./rest/manifest-files.ts');
  return readManifests(text, given);
}

async function compareWhole(session: Session, text: string, given: string | undefined): Promise<ZoneDifference> {
  const { zone, differences } = await compareFile(session, text, given);
  return { zoneName: zone.zoneName, zone: [], differences };
}

async function compareManifests(session: Session, wanted: readonly WantedZone[]): Promise<ZoneDifference[]> {
  const { client, signal } = session;
  const compared: ZoneDifference[] = [];
  for (const each of wanted) {
    const [zone] = await fetchZones(client, { zoneName: each.zoneName }, { signal });
    const stored = zone === undefined ? [] : parsedRecords(zone, await fetchRecords(client, zone.id, {}, { signal }));
    const named = new Set(each.records.map(({ name, type }) => `${name} ${type}`));
    const before = stored.filter(({ name, type }) => named.has(`${name} ${type}`));
    const defaultTtl = each.zone?.defaultTtl ?? zone?.defaultTtl ?? DEFAULT_TTL;
    const differences = listDifferences(before, each.records, defaultTtl);
    compared.push({ zoneName: each.zoneName, zone: zoneChanges(zone, each), differences });
  }
  return compared;
}

function zoneChanges(stored: Zone | undefined, { zone: wanted }: WantedZone): string[] {
  if (stored === undefined) return ['the zone does not exist at the service, or this API key cannot see it'];
  if (wanted === undefined) return [];
  const { defaultTtl = stored.defaultTtl, denial = stored.denial, parked } = wanted;
  return [
    ...(defaultTtl === stored.defaultTtl ? [] : [`default TTL ${stored.defaultTtl} becomes ${defaultTtl}`]),
    ...(denial === stored.denial ? [] : [`denial ${stored.denial} becomes ${denial}`]),
    ...(parked === (stored.state === 'parked') ? [] : [parked ? 'the zone becomes parked' : 'the zone becomes active']),
  ];
}
