// `zonestead usage`: the usage of the team of the key, or of the person and the teams of a personal key.
import { getUsage } from '#contract/operations/account.ts';
import type { AccountUsage } from '#contract/usage.ts';
import { formatBytes, percent } from './bytes.ts';
import { show } from './output.ts';
import { describeRestCommand } from './rest/command.ts';
import type { Session } from './rest/session.ts';
import { formatMinute, table } from './table.ts';

export const command = describeRestCommand({
  name: 'usage',
  describe: 'show what your team uses: zones, records, history and deleted zones, next to the limits, and your writes',
  examples: ['zonestead usage'],
  run: (session) => showUsage(session),
});

async function showUsage(session: Session): Promise<void> {
  const { client, signal, print } = session;
  const usage = await client.call(getUsage, {}, { signal });
  await show(session, usage, () => {
    for (const owner of usage.owners) {
      print(owner.owner === 'personal' ? 'personal zones' : `team ${owner.name} (${owner.owner})`);
      table(['KIND', 'USED', 'SHARE'], rowsOf(owner), print);
      print('');
    }
    const { zones, records } = usage.writes;
    print(`writes of this key in the last 60 s: ${writes(zones)} of zones, ${writes(records)} of records`);
  });
}

function rowsOf({ quota, deletedZones, history, answers }: AccountUsage['owners'][number]): string[][] {
  const count = (name: string, { used, limit }: { used: number; limit: number }) => [
    name,
    `${used} of ${limit}`,
    percent(used, limit),
  ];
  const bytes = (name: string, share: { used: number; limit: number }) => [
    name,
    `${formatBytes(share.used)} of ${formatBytes(share.limit)}`,
    percent(share.used, share.limit),
  ];
  return [
    count('zones', quota.zones),
    count('records', quota.records),
    bytes('bytes of records', quota.bytes),
    bytes(`${deletedZones.zones} deleted zones`, deletedZones.bytes),
    bytes('history of zones', history.zones),
    ...(history.since === null ? [] : [['history goes back to', formatMinute(history.since), '']]),
    bytes('history of the account', history.account),
    bytes('answers to Idempotency-Keys', answers),
  ];
}

function writes({ used, limit }: { used: number; limit: number | null }): string {
  return limit === null ? `${used}` : `${used} of ${limit}`;
}
