// `zonestead zones secondaries`: the secondaries of a zone, and the owner's choice among those that are offered.
import { chooseZoneSecondaries, listSecondaries, listZoneSecondaries } from '#contract/operations/secondaries.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

const LISTED_BY = { all: 'all zones', administrator: 'administrator', owner: 'you' };

type ChoiceOptions = DryRunOption & { add?: string[]; remove?: string[] };

export const secondaries = describeRestCommand({
  name: 'secondaries',
  describe: 'show the secondaries of a zone, and choose among those that are offered',
  arguments: [ZONE],
  options: [
    { flags: '--add <secondary>', describe: 'a secondary that is to have the zone', value: 'list' },
    { flags: '--remove <secondary>', describe: 'a secondary that you chose and no longer want', value: 'list' },
    DRY_RUN_OPTION,
  ],
  examples: ['zonestead zones secondaries shop.example --add backup'],
  run: (session, [zone = ''], options: ChoiceOptions) => zoneSecondaries(session, zone, options),
});

/**
 * Changes the choice if a change is given, and shows the secondaries.
 * @throws Error if the API key cannot see the zone
 */
async function zoneSecondaries(
  session: Session,
  nameOrId: string,
  { add = [], remove = [], dryRun }: ChoiceOptions,
): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  let { secondaries } = await client.call(listZoneSecondaries, { params: { id } }, { signal });
  if (add.length > 0 || remove.length > 0) {
    const chosen = secondaries.flatMap(({ name, chosen: isChosen }) => (isChosen ? [name] : []));
    const wanted = [...new Set([...chosen, ...add])].filter((name) => !remove.includes(name));
    if (dryRun) return previewChoice(session, chosen, wanted);
    const body = { secondaries: wanted };
    ({ secondaries } = await client.call(chooseZoneSecondaries, { params: { id }, body }, { signal }));
  }
  const { secondaries: offered } = await client.call(listSecondaries, {}, { signal });
  await show(session, { secondaries, offered }, () => {
    table(['SECONDARY', 'NAME SERVERS', 'LISTED BY', 'STATE', 'SINCE', 'REASON'], secondaries.map(rowOf), print);
    const others = offered.filter(({ name, allZones }) => !allZones && secondaries.every((each) => each.name !== name));
    if (others.length > 0) print(`offered as well: ${others.map(({ name }) => name).join(', ')}`);
  });
}

/** @throws Error if a chosen secondary is not offered */
async function previewChoice(session: Session, before: readonly string[], after: readonly string[]): Promise<void> {
  const { client, signal, print } = session;
  const offered = (await client.call(listSecondaries, {}, { signal })).secondaries.map(({ name }) => name);
  const wrong = after.find((name) => !before.includes(name) && !offered.includes(name));
  if (wrong !== undefined)
    throw new Error(`the secondary ${wrong} is not offered to you. Offered: ${offered.join(', ') || 'none'}`);
  const listOf = (names: readonly string[]) => names.join(', ') || 'none';
  await show(session, { dryRun: true, before, after }, () =>
    print(`would choose ${listOf(after)}; chosen now: ${listOf(before)}`),
  );
}

function rowOf({ name, nameservers, listedBy, chosen, state, since = '-', reason = '' }: ZoneSecondary): string[] {
  const by = chosen && listedBy !== 'owner' ? `${LISTED_BY[listedBy]}, you` : LISTED_BY[listedBy];
  return [name, nameservers.join(' ') || 'hidden', by, state, since, reason];
}
