// `zonestead import`
import { type CommandContext, describeCommand } from '../command.ts';
import { FORCE_OPTION } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption } from '../output.ts';
import { CONTEXT_OPTION, type ContextOption, REST_SETTINGS } from '../rest/access.ts';
import { withRest } from '../rest/with-rest.ts';
import { DNSSEC_KEY_FLAG } from '../zones/dnssec-key.ts';
import type { DnssecKeyOptions } from './dnssec-keys.ts';
import type { ImportOptions } from './import.ts';
import type { ManifestOptions } from './manifests.ts';
import type { SourceOptions } from './sources/open.ts';

type Options = OutputOption &
  ContextOption &
  ImportOptions &
  SourceOptions &
  ManifestOptions &
  DnssecKeyOptions & { manifests?: boolean };

/** The exit code of a shell for a program that Ctrl-C ended. */
const INTERRUPTED = 130;

const NOTES = `A source is a zone file (an export of Cloudflare is one), a CSV file with --zone, a file or a folder of octoDNS, a zone
transfer such as axfr://ns1.example.net:53/example.com, or the API of PowerDNS, such as
powerdns+https://pdns.example.net:8081/example.com, without a zone for all zones. With --format, - is standard input.

Every line of a source is created, unchanged, skipped or refused, and is named with the reason. While a line is refused,
nothing of its zone is imported. The import deletes nothing, and you can repeat it: the same command continues one that was
interrupted. If the write limit of the key is reached, it waits and continues automatically.`;

export const command = describeCommand({
  name: 'import',
  describe: 'import zones from files and from other DNS servers (over the REST API)',
  arguments: [{ usage: '<sources...>', describe: 'files, folders or addresses' }],
  options: [
    { flags: '--zone <name>', describe: 'name of the zone (default: as the source names it)' },
    { flags: '--format <format>', describe: 'format of files', choices: ['zonefile', 'csv', 'octodns'] },
    { flags: '--dry-run', describe: 'show the plan and change nothing' },
    { flags: '--create', describe: 'create the zones that do not exist' },
    { flags: '--owner <owner>', describe: 'owner of created zones: org:<teamId>, or personal' },
    { flags: '--skip-unsupported', describe: 'omit types and names that the service cannot hold' },
    { flags: '--skip-refused', describe: 'omit every refused record' },
    FORCE_OPTION,
    { flags: '--column <column=name>', describe: 'name of a column of a CSV file', value: 'list' },
    { flags: '--tsig-key <file>', describe: 'file with the TSIG key for a zone transfer' },
    { flags: '--powerdns-key <file>', describe: 'file with the key of the API of PowerDNS' },
    {
      flags: DNSSEC_KEY_FLAG,
      describe: 'file with the DNSSEC key of a new zone (BIND, PowerDNS, PEM), which the zone keeps',
      value: 'list',
    },
    { flags: '--external-dns', describe: 'turn the TXT registry of external-dns into owners' },
    { flags: '--txt-prefix <text>', describe: 'the option of external-dns' },
    { flags: '--txt-suffix <text>', describe: 'the option of external-dns' },
    { flags: '--txt-wildcard-replacement <text>', describe: 'the option of external-dns' },
    {
      flags: '--manifests',
      describe: 'print a DNSZone and DNSRecords instead, as YAML or with -o json; needs no API key',
    },
    { flags: '-n, --namespace <namespace>', describe: 'namespace of the objects' },
    OUTPUT_OPTION,
    CONTEXT_OPTION,
  ],
  notes: NOTES,
  settings: REST_SETTINGS,
  examples: [
    'zonestead import shop.zone --create --dry-run',
    'zonestead import axfr://ns1.example.net:53/shop.example --create',
    'zonestead import shop.zone --create --dnssec-key Kshop.example.+013+20326.private',
    'zonestead import shop.zone --manifests -n team-a',
  ],
  run: async (sources, options: Options, context: CommandContext<(typeof REST_SETTINGS)[number]>) => {
    const { checkSources, openSources } = await import('./sources/open.ts');
    await checkSources(sources);
    const zones = openSources(sources, options, context.signal);
    let complete = true;
    if (options.manifests) {
      if (options.dnssecKey !== undefined)
        throw new Error('--dnssec-key does not work with --manifests: objects hold no keys');
      const { printManifests } = await import('./manifests.ts');
      complete = await printManifests(zones, options, context);
    } else {
      const { importZones } = await import('./import.ts');
      try {
        await withRest(context, options, async (session) => {
          complete = await importZones(session, zones, options);
        });
      } catch (error) {
        // A script must not continue as if the import had ended.
        if (context.signal.aborted) return INTERRUPTED;
        throw error;
      }
    }
    return complete ? 0 : 1;
  },
});
