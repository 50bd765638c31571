// `zonestead zones export`: prints a zone file, or the manifests that take over a live zone. It changes nothing.
import { shownText } from '#base/printable.ts';
import { fetchRecords } from '#client/lists.ts';
import * as zoneFileApi from '#contract/operations/zone-files.ts';
import { planManifests } from '#resources/manifests.ts';
import type { ManifestFormat, ManifestOutput } from '#resources/render-manifests.ts';
import { describeCommand } from '../command.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from '../rest/access.ts';
import { readDefinitions } from '../rest/check-definitions.ts';
import { ZONE } from '../rest/command.ts';
import { parseNamespace } from '../rest/namespace.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { withRest } from '../rest/with-rest.ts';

interface ExportOptions extends ContextOption {
  format: 'zonefile' | 'manifests';
  namespace?: string;
  output?: ManifestFormat;
}

export const exportZone = describeCommand({
  name: 'export',
  describe: 'print a zone as a zone file, or as the DNSZone and the DNSRecords that take it over',
  arguments: [ZONE],
  options: [
    {
      flags: '--format <format>',
      describe: 'format of the file',
      choices: ['zonefile', 'manifests'],
      default: 'zonefile',
    },
    { flags: '-n, --namespace <namespace>', describe: 'namespace of the objects, for manifests' },
    {
      flags: '-o, --output <format>',
      describe: 'for manifests: YAML documents, or a List in JSON (default: yaml)',
      choices: ['yaml', 'json'],
    },
    CONTEXT_OPTION,
  ],
  settings: REST_SETTINGS,
  examples: ['zonestead zones export shop.example', 'zonestead zones export shop.example --format manifests -n team-a'],
  run: ([zone = ''], { format, namespace, output, ...access }: ExportOptions, context) => {
    if (format === 'zonefile' && output !== undefined) {
      throw new Error('--output is for --format manifests; a zone file has one form');
    }
    return withRest(context, { output: 'table', ...access }, (session) =>
      format === 'zonefile'
        ? exportZoneFile(session, zone)
        : exportManifests(session, zone, { format: output ?? 'yaml', namespace }),
    );
  },
});

/** Prints the zone file of the service. */
async function exportZoneFile(session: Session, nameOrId: string): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  print((await client.call(zoneFileApi.exportZoneFile, { params: { id } }, { signal })).trimEnd());
}

/** The characters of a sentence about an omitted record. */
const MAX_REASON = 300;

/** @throws Error after the output if records were omitted, so that a pipe into kubectl does not hide it */
async function exportManifests(session: Session, nameOrId: string, output: ManifestOutput): Promise<void> {
  const { client, signal, print, warn } = session;
  // The writer of YAML is a package that other commands need not load.
  const { LIVE_ZONE, renderManifests } = await import('#resources/render-manifests.ts');
  const namespace = parseNamespace(output.namespace);
  const zone = await zoneOf(session, nameOrId);
  const records = await fetchRecords(client, zone.id, {}, { signal });
  const definitions = await readDefinitions(session, zone.owner, records);
  const { objects, leftOut } = planManifests(zone, records, namespace, definitions);
  print(renderManifests(objects, output, LIVE_ZONE));
  for (const { name, type, why } of leftOut) {
    warn(shownText(`Omitted and unchanged: ${name} ${type}: ${why}`, MAX_REASON));
  }
  if (leftOut.length > 0) throw new Error(`${leftOut.length} record(s) cannot be a DNSRecord and stay unchanged`);
}
