// `zonestead admin usage`: the largest teams and people, the sizes of the database, and what the quotas allow.
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { octets } from '#config.ts';
import { formatBytes, percent } from '../bytes.ts';
import { describeCommand } from '../command.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { table } from '../table.ts';

const ORDERS = ['bytes', 'records', 'zones', 'history', 'writes'] as const;
const QUOTAS = [
  'ZONESTEAD_QUOTA_ZONES',
  'ZONESTEAD_QUOTA_RECORDS',
  'ZONESTEAD_QUOTA_BYTES',
  'ZONESTEAD_HISTORY_BYTES',
  'ZONESTEAD_DATABASE_VOLUME',
] as const;

interface UsageOptions extends OutputOption {
  top?: number;
  by?: (typeof ORDERS)[number];
  volume?: string;
}

export const usage = describeCommand({
  name: 'usage',
  describe: 'list the teams and people that use most, the sizes of the database, and what the quotas allow together',
  options: [
    { flags: '--top <number>', describe: 'list this many, at most 1000 (default: 10)', value: 'number' },
    { flags: '--by <kind>', describe: 'order by this use; bytes: of everything', choices: ORDERS, default: 'bytes' },
    { flags: '--volume <bytes>', describe: 'size of the volume of the database, instead of ZONESTEAD_DATABASE_VOLUME' },
    OUTPUT_OPTION,
  ],
  notes: 'The limits are those of the settings where the command runs: run it in a pod of the api.',
  settings: [...DATABASE_SETTINGS, ...QUOTAS],
  run: async (_args, { top = 10, by = 'bytes', volume, output: format }: UsageOptions, { config, print }) => {
    const settings = config();
    const limits = {
      zones: settings.ZONESTEAD_QUOTA_ZONES,
      records: settings.ZONESTEAD_QUOTA_RECORDS,
      bytes: settings.ZONESTEAD_QUOTA_BYTES,
      historyBytes: settings.ZONESTEAD_HISTORY_BYTES,
    };
    const volumeBytes = readVolume(volume) ?? settings.ZONESTEAD_DATABASE_VOLUME;
    const { adminUsage } = await import('#service/accounts/usage.ts');
    const shown = await adminUsage(settings.DATABASE_URL, { order: by, top: Math.min(top, 1_000), limits });
    await show({ format, print }, { ...shown, volumeBytes }, () => {
      const rows = shown.owners.map(({ owner, name, quota, deletedZones, history, writes }) => [
        owner,
        String(quota.zones.used),
        String(quota.records.used),
        formatBytes(quota.bytes.used + deletedZones.bytes.used),
        formatBytes(history.zones.used),
        history.since === null ? '-' : history.since.slice(0, 10),
        String(writes),
        name,
      ]);
      table(['ID', 'ZONES', 'RECORDS', 'BYTES', 'HISTORY', 'SINCE', 'WRITES/MIN', 'NAME'], rows, print);
      print('');
      table(
        ['TABLES', 'ON DISK'],
        Object.entries(shown.tables).map(([group, bytes]) => [group, formatBytes(bytes)]),
        print,
      );
      print('');
      for (const line of commitmentLines(shown, volumeBytes)) print(line);
    });
  },
});

/** @throws Error if it is not a size */
function readVolume(volume: string | undefined): number | null {
  if (volume === undefined) return null;
  const { success, data } = octets.schema.safeParse(volume);
  if (!success) throw new Error(`--volume is "${volume}", and must be a size such as 20Gi`);
  return data;
}

/** Pure. */
export function commitmentLines(
  { tables, committed }: { tables: Record<string, number>; committed: { owners: number; bytes: number } },
  volumeBytes: number,
): string[] {
  const used = Object.values(tables).reduce((sum, bytes) => sum + bytes, 0);
  const allowed = `The quotas of ${committed.owners} owners allow ${formatBytes(committed.bytes)} without indexes.`;
  if (volumeBytes === 0) return [`The tables take ${formatBytes(used)}.`, allowed];
  const isOver = committed.bytes > volumeBytes;
  return [
    `The tables take ${formatBytes(used)} of a volume of ${formatBytes(volumeBytes)} (${percent(used, volumeBytes)}).`,
    isOver
      ? `${allowed} That is more than the volume: lower quotas, enlarge the volume, or watch database_bytes.`
      : allowed,
  ];
}
