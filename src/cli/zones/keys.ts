// `zonestead zones keys …`: the DNSSEC keys of a zone, and the roll to another key.
import * as api from '#contract/operations/zone-keys.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { ZoneKeys } from '#contract/zone-keys.ts';
import { algorithmName } from '#dns/dnssec/algorithms.ts';
import type { CommandGroup } from '../command.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

type NewAlgorithm = 13 | 14 | 15;

const status = describeRestCommand({
  name: 'status',
  describe: 'show the DNSSEC keys of a zone, and what a key roll waits for',
  arguments: [ZONE],
  examples: ['zonestead zones keys status shop.example'],
  run: async (session, [zone = '']) => {
    const { client, signal } = session;
    const { id } = await zoneOf(session, zone);
    const params = { id };
    const [found, keys] = await Promise.all([
      client.call(getZone, { params }, { signal }),
      client.call(api.getZoneKeys, { params }, { signal }),
    ]);
    await show(session, keys, () => printKeys(session, keys, found.ds));
  },
});

interface RollOptions {
  algorithm?: `${NewAlgorithm}`;
}

const roll = describeRestCommand({
  name: 'roll',
  describe: 'replace the DNSSEC key of a zone, step by step',
  arguments: [ZONE],
  options: [
    {
      flags: '--algorithm <number>',
      describe: 'algorithm of the new key: 13 is ECDSA P-256, 14 is ECDSA P-384, 15 is Ed25519 (default: 13)',
      choices: ['13', '14', '15'],
    },
  ],
  examples: ['zonestead zones keys roll shop.example', 'zonestead zones keys roll shop.example --algorithm 15'],
  notes:
    'Each step waits until all servers show the one before, and resolvers have forgotten what was there before it. At the step "ready", the parent must get the DS records of the new key and no others: "keys status" prints them.',
  run: (session, [zone = ''], { algorithm }: RollOptions) => {
    const body = algorithm === undefined ? {} : { algorithm: Number(algorithm) as NewAlgorithm };
    return change(session, zone, (params, options) => session.client.call(api.beginKeyRoll, { params, body }, options));
  },
});

const cancel = describeRestCommand({
  name: 'cancel',
  describe: 'cancel the key roll of a zone, as long as the earlier key signs',
  arguments: [ZONE],
  examples: ['zonestead zones keys cancel shop.example'],
  notes:
    'If the parent may have the DS records of the new key, this key stays in the zone until the parent has none of them.',
  run: (session, [zone = '']) =>
    change(session, zone, (params, options) => session.client.call(api.cancelKeyRoll, { params }, options)),
});

const confirmDs = describeRestCommand({
  name: 'confirm-ds',
  describe: 'say that the parent has the DS records that the key roll waits for, where the service cannot ask it',
  arguments: [ZONE],
  options: [{ flags: '--ds-ttl <time>', describe: 'TTL of the earlier DS records (default: 1d)', value: 'seconds' }],
  examples: ['zonestead zones keys confirm-ds corp.internal --ds-ttl 1h'],
  notes: 'A service that can ask the name servers of the parent believes them alone.',
  run: (session, [zone = ''], { dsTtl }: { dsTtl?: number }) => {
    const body = dsTtl === undefined ? {} : { dsTtl };
    return change(session, zone, (params, options) =>
      session.client.call(api.confirmKeyRollDs, { params, body }, options),
    );
  },
});

export const keys: CommandGroup = {
  name: 'keys',
  describe: 'DNSSEC keys of a zone',
  examples: ['zonestead zones keys status shop.example', 'zonestead zones keys roll shop.example'],
  commands: [status, roll, cancel, confirmDs],
};

async function change(
  session: Session,
  nameOrId: string,
  call: (params: { id: string }, options: { signal: AbortSignal }) => Promise<ZoneKeys>,
): Promise<void> {
  const { client, signal } = session;
  const { id } = await zoneOf(session, nameOrId);
  const answer = await call({ id }, { signal });
  const { ds } = await client.call(getZone, { params: { id } }, { signal });
  await show(session, answer, () => printKeys(session, answer, ds));
}

function printKeys(
  { print }: Session,
  { keys: all, roll: current }: ZoneKeys,
  ds: readonly { record: string }[],
): void {
  const rows = all.map(({ keyTag, algorithm, state, since }) => [
    String(keyTag),
    `${algorithm} ${algorithmName(algorithm)}`,
    state,
    since,
  ]);
  table(['KEY', 'ALGORITHM', 'STATE', 'SINCE'], rows, print);
  print('');
  if (current === null) print('no key roll is under way');
  else {
    print(`the roll of the key ${current.keyTag} waits for ${current.waitsFor}`);
    if (current.nextStepAt !== null) print(`next step: ${current.nextStepAt}`);
  }
  print('');
  print('the parent should have these DS records and no others:');
  for (const { record } of ds) print(record);
}
