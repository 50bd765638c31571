// `zonestead admin keys …`: an administrator of the service creates, lists and revokes API keys in the database.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { judgeLifetime } from '#base/lifetime.ts';
import { keyBody } from '#contract/app-key.ts';
import { DEFAULT_TSIG_KEY_ALGORITHM } from '#dns/tsig/key.ts';
import type { ListedKey } from '#service/credentials/administration.ts';
import type { CommandGroup } from '../command.ts';
import { keyIdOf, printMinted } from '../keys/minted.ts';
import { KEY_ID, keyFields, type MintGiven, TSIG_OPTIONS } from '../keys/options.ts';
import { CREATE_TEAM_OPTION, DRY_RUN_OPTION, type DryRunOption, sayer } from '../options.ts';
import { OUTPUT_OPTION, type OutputOption, show } from '../output.ts';
import { flagOf, parseOptions } from '../parse-options.ts';
import { formatMinute, table } from '../table.ts';
import { parseTerms, RIGHTS_OPTIONS, sendTerms } from '../terms.ts';
import { type Administration, describeAdminCommand, outputOf } from './command.ts';

const load = () => import('#service/credentials/administration.ts');

type MintOptions = MintGiven & { team?: string; createTeam?: boolean; node?: string };

const mint = describeAdminCommand({
  name: 'mint',
  describe: 'create an API key for a team, or for a name server, and print it once',
  options: [
    { flags: '--team <team>', describe: 'team by name or by id ("admin teams list")' },
    CREATE_TEAM_OPTION,
    { flags: '--name <name>', describe: 'purpose of the key' },
    {
      flags: '--node <name>',
      describe:
        'name of a name server, instead of --team and --name: the key can only read the feed, with the private keys of all zones, and report',
    },
    ...RIGHTS_OPTIONS,
    ...TSIG_OPTIONS,
  ],
  notes: 'Give --team and --name, or --node. With --node, only --network and --expires restrict the key.',
  run: (administration, _args, options: MintOptions) =>
    'node' in options ? mintNodeKey(administration, options) : mintKey(administration, options),
});

const list = describeAdminCommand({
  name: 'list',
  describe: 'list API keys, without their secrets',
  options: [{ flags: '--team <name>', describe: 'list only the keys of this team' }, OUTPUT_OPTION],
  run: (administration, _args, options: OutputOption & { team?: string }) => listKeys(administration, options),
});

const revoke = describeAdminCommand({
  name: 'revoke',
  describe: 'revoke an API key permanently',
  arguments: [{ ...KEY_ID, describe: 'id of the key, as "admin keys list" prints it' }],
  options: [DRY_RUN_OPTION],
  run: (administration, [keyId = ''], options: DryRunOption) => revokeKey(administration, keyIdOf(keyId), options),
});

export const keys: CommandGroup = {
  name: 'keys',
  describe: 'manage the API keys of all teams and of name servers',
  commands: [mint, list, revoke],
};

/** @throws Error if an option is wrong */
async function mintKey({ url, print }: Administration, options: MintOptions): Promise<void> {
  const { team, createTeam, ...given } = options;
  const missing = ['team', 'name'].filter((name) => !(name in options)).map(flagOf);
  if (team === undefined || missing.length > 0) {
    const verb = missing.length === 1 ? 'is' : 'are';
    throw new Error(`${missing.join(' and ')} ${verb} missing; give --team and --name, or --node`);
  }
  const { tsig, ...terms } = parseTerms(keyBody, keyFields(given));
  const algorithm = tsig ? (tsig.algorithm ?? DEFAULT_TSIG_KEY_ALGORITHM) : undefined;
  const { adminMintKey } = await load();
  const minted = await sendTerms(() =>
    adminMintKey(url, { team, createTeam }, { ...terms, tsig: algorithm }, randomBytes, new Date()),
  );
  printMinted(minted, { name: team, id: minted.teamId }, print);
}

/** The options of a key that may be combined with --node. Two more have a default. */
const nodeOptions = z.strictObject(
  {
    node: z.string(),
    network: z.array(z.string()).optional(),
    expires: z.string().optional(),
    records: z.literal('write', { error: 'does not apply to a node key' }),
    manageZones: z.literal('none', { error: 'does not apply to a node key' }),
    clusters: z.literal('none', { error: 'does not apply to a node key' }),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? `a node key has no ${issue.keys.map(flagOf).join(', ')}` : undefined,
  },
);

async function mintNodeKey({ url, print }: Administration, given: object): Promise<void> {
  const { node, network, expires } = parseOptions(nodeOptions, given);
  const terms = { networks: network, expiresAt: expires };
  const { adminMintNodeKey } = await import('#service/nodes/administration.ts');
  const minted = await adminMintNodeKey(url, node, terms, randomBytes, new Date());
  print(`key ${minted.keyId} of name server ${node}, shown only once:`);
  print(minted.text);
}

/** Lists the keys of the team with this name, or all keys. */
async function listKeys(
  administration: Administration,
  { team, ...options }: OutputOption & { team?: string },
): Promise<void> {
  const now = new Date();
  const { adminListKeys } = await load();
  const listed = await adminListKeys(administration.url, team ?? null);
  const shown = listed.filter((key) => !isEndedSession(key, now));
  const rows = shown.map((key) => [
    key.id,
    key.kind === 'node' ? '(name server)' : key.holder,
    key.name,
    key.records,
    key.manageZones,
    key.clusters,
    judgeLifetime(key, now),
    formatMinute(key.lastUsedAt?.toISOString() ?? null),
  ]);
  await show(outputOf(administration, options), { keys: shown }, () =>
    table(['ID', 'HOLDER', 'NAME', 'RECORDS', 'ZONES', 'CLUSTERS', 'STATE', 'LAST USE'], rows, administration.print),
  );
}

/** @throws Error if the key does not exist */
async function revokeKey({ url, print }: Administration, keyId: string, options: DryRunOption): Promise<void> {
  const { adminRevokeKey } = await load();
  await adminRevokeKey(url, keyId, new Date(), options);
  sayer(print, options)(`key ${keyId} is revoked`);
}

/**
 * Sessions of the console are the only keys of people that expire. Expired ones stay in the database for the history.
 */
function isEndedSession(key: ListedKey, now: Date): boolean {
  return key.kind === 'person' && key.expiresAt !== null && judgeLifetime(key, now) !== 'valid';
}
