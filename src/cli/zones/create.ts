// `zonestead zones create` and `update`: the properties of a zone.
import type { Client } from '#client/client.ts';
import { getAccount } from '#contract/operations/account.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import type { CreatedKey } from '#contract/zone.ts';
import { DENIALS, type Denial } from '#dns/dnssec/denial.ts';
import type { OptionDescription } from '../command.ts';
import { DRY_RUN_OPTION, type DryRunOption } from '../options.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { showEffect } from '../rest/preview.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { DNSSEC_KEY_OPTION, readDnssecKey } from './dnssec-key.ts';
import { printZone } from './list.ts';

interface Properties extends DryRunOption {
  defaultTtl?: number;
  denial?: Denial;
  comment?: string;
}

type CreateOptions = Properties & { owner?: string; newKey?: boolean; dnssecKey?: string };

const DEFAULT_TTL: OptionDescription = {
  flags: '--default-ttl <time>',
  describe: 'TTL of records that have none of their own, in seconds or as 5m, 1h or 1d',
  value: 'seconds',
};
const DENIAL: OptionDescription = {
  flags: '--denial <kind>',
  describe: 'records that prove that a name does not exist',
  choices: DENIALS,
};
const COMMENT = '--comment <text>';

export const create = describeRestCommand({
  name: 'create',
  describe: 'create a zone',
  arguments: [{ usage: '<name>', describe: 'name of the zone' }],
  options: [
    {
      flags: '--owner <owner>',
      describe: 'org:<teamId>, or personal (default: the team or the user of the API key)',
    },
    DEFAULT_TTL,
    DENIAL,
    { flags: COMMENT, describe: 'a comment, which is not in DNS' },
    { flags: '--new-key', describe: 'make a new DNSSEC key, also if a zone of this name was deleted lately' },
    DNSSEC_KEY_OPTION,
    DRY_RUN_OPTION,
  ],
  waits: true,
  examples: [
    'zonestead zones create shop.example',
    "zonestead zones create shop.example --default-ttl 5m --comment 'The shop'",
  ],
  run: (session, [name = ''], options: CreateOptions) => createZone(session, name, options),
});

export const update = describeRestCommand({
  name: 'update',
  describe: 'change the default TTL, the denial of names or the comment of a zone',
  arguments: [ZONE],
  options: [DEFAULT_TTL, DENIAL, { flags: COMMENT, describe: 'new comment; "" removes it' }, DRY_RUN_OPTION],
  waits: true,
  examples: [
    'zonestead zones update shop.example --default-ttl 1h',
    'zonestead zones update shop.example --denial NSEC3',
  ],
  run: (session, [zone = ''], options: Properties) => updateZone(session, zone, options),
});

/** @param options without an owner, the zone belongs to the team or the user of the API key */
async function createZone(session: Session, name: string, options: CreateOptions): Promise<void> {
  const { client, signal, print } = session;
  const owner = options.owner ?? (await newZoneOwner(client, signal));
  const body = { zoneName: name, owner, ...propertiesOf(options), ...(options.newKey ? { newKey: true } : {}) };
  const key = options.dnssecKey === undefined ? null : (await readDnssecKey(options.dnssecKey, signal)).key;
  // The key is not shown.
  if (options.dryRun)
    return showEffect(session, { zone: body }, `would create the zone ${name} for the owner ${owner}`);
  const request = { body: { ...body, ...(key === null ? {} : { key }) } };
  const zone = await client.call(zoneApi.createZone, request, { signal });
  await show(session, zone, () => {
    print(`Created zone ${zone.zoneName}.`);
    if (zone.key !== undefined) print(keySentence(zone.key));
    if (!zone.zoneName.includes('.'))
      print(`${zone.zoneName} is a single label, which the public DNS has as a top-level domain only.`);
    printZone(zone, print);
  });
  await session.served?.(zone.id);
}

/** Says whether DS records at the parent zone stay valid. */
function keySentence({ keyTag, kept, imported, formerKeyTag }: CreatedKey): string {
  if (imported) return `It has the imported DNSSEC key ${keyTag}, so a DS record for this key stays valid.`;
  if (kept) return `It has the DNSSEC key ${keyTag} of the deleted zone, so a DS record for this key stays valid.`;
  if (formerKeyTag === undefined) return `It has the new DNSSEC key ${keyTag}.`;
  return `It has the new DNSSEC key ${keyTag}: replace DS records for the former key ${formerKeyTag} at the parent zone.`;
}

/** @throws Error without any property */
async function updateZone(session: Session, nameOrId: string, options: Properties): Promise<void> {
  const { client, signal, print } = session;
  const changes = propertiesOf(options);
  if (Object.keys(changes).length === 0)
    throw new Error('nothing to change; give --default-ttl, --denial or --comment');
  const { id, zoneName } = await zoneOf(session, nameOrId);
  if (options.dryRun) {
    const words = Object.entries(changes).map(([field, value]) => `${field} to ${JSON.stringify(value)}`);
    return showEffect(session, { changes }, `would set ${words.join(' and ')} of ${zoneName}`);
  }
  const zone = await client.call(zoneApi.updateZone, { params: { id }, body: changes }, { signal });
  await show(session, zone, () => printZone(zone, print));
  await session.served?.(id);
}

function propertiesOf({ defaultTtl, denial, comment }: Properties): Omit<Properties, keyof DryRunOption> {
  return {
    ...(defaultTtl === undefined ? {} : { defaultTtl }),
    ...(denial === undefined ? {} : { denial }),
    ...(comment === undefined ? {} : { comment }),
  };
}

/** The owner of a new zone: the team or the user of the API key. */
export async function newZoneOwner(client: Client, signal: AbortSignal): Promise<string> {
  const { team } = await client.call(getAccount, {}, { signal });
  return team === undefined ? 'personal' : `org:${team.id}`;
}
