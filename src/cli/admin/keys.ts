// `zonestead keys …`: an administrator of the service creates, lists and revokes API keys in the database.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { judgeLifetime } from '#base/lifetime.ts';
import { DEFAULT_TSIG_KEY_ALGORITHM, TSIG_KEY_ALGORITHMS } from '#dns/tsig/key.ts';
import { adminListKeys, adminMintKey, adminRevokeKey, type ListedKey } from '#service/credentials/administration.ts';

import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { type DryRunOption, sayer } from '../options.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };

const level = z.enum(['none', 'read', 'write'], { error: 'must be none, read or write' });
const right = z.enum(['none', 'write'], { error: 'must be none or write' });
const writes = z.coerce.number({ error: 'must be a number' }).int().min(1).optional();
const grant = z
  .string()
  .regex(/^[^=]+=(none|read|write)$/, { error: 'must be <zoneId>=none, =read or =write' })
  .transform((text) => {
    const [zoneId = '', records] = text.split('=');
    return { zoneId, records: level.parse(records) };
  });
/** The options of the rights of keys and of trusts. */
export const rightsOptions = {
  records: level,
  manageZones: level,
  clusters: right,
  grant: z.array(grant).optional(),
  onlyName: z.array(z.string()).optional(),
  onlyType: z.array(z.string()).optional(),
  network: z.array(z.string()).optional(),
  expires: z.string().optional(),
  zoneWrites: writes,
  recordWrites: writes,
};
const mintOptions = z.object({
  ...rightsOptions,
  team: z.string().min(1),
  name: z.string().min(1),
  createTeam: z.boolean().optional(),
  tsig: z.boolean().optional(),
  tsigAlgorithm: z.enum(TSIG_KEY_ALGORITHMS, { error: `must be one of ${TSIG_KEY_ALGORITHMS.join(', ')}` }).optional(),
});

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

/**
 * Prints a line with the owner of the key, and the key itself on the next line; then the TSIG key as a file, if it has
 * one. @throws Error if an option is wrong
 */
export async function runKeysMint(config: Config, given: object, print: Print): Promise<void> {
  if ('node' in given) return mintNodeKey(config, given, print);
  const missing = ['team', 'name'].filter((name) => !(name in given)).map(flagOf);
  if (missing.length > 0)
    throw new Error(
      `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing; give --team and --name, or --node`,
    );
  const options = parseOptions(mintOptions, given);
  const { team, createTeam, name, tsig, tsigAlgorithm } = options;
  const algorithm = tsigAlgorithm ?? (tsig ? DEFAULT_TSIG_KEY_ALGORITHM : undefined);
  const terms = { name, tsig: algorithm, ...rightsOf(options) };
  const minted = await adminMintKey(config.DATABASE_URL, { team, createTeam }, terms, randomBytes, new Date());
  print(`key ${minted.id} of team ${team} (${minted.teamId}), shown only once:`);
  print(minted.text);
  if (minted.tsig === null) return;
  print('');
  print('# its TSIG key for nsupdate and other clients, shown only once');
  print(minted.tsig.keyFile.trimEnd());
}

/** The terms that the options of rights ask for. */
export function rightsOf(options: z.output<z.ZodObject<typeof rightsOptions>>) {
  const { records, manageZones, clusters, grant, onlyName, onlyType, network, expires, zoneWrites, recordWrites } =
    options;
  const restrictions = { grants: grant, onlyNames: onlyName, onlyTypes: onlyType, networks: network };
  return { records, manageZones, clusters, ...restrictions, zoneWrites, recordWrites, expiresAt: expires };
}

async function mintNodeKey(config: Config, given: object, print: Print): Promise<void> {
  const { node, network, expires } = parseOptions(nodeOptions, given);
  const terms = { networks: network, expiresAt: expires };
  const minted = await adminMintNodeKey(config.DATABASE_URL, node, terms, randomBytes, new Date());
  print(`key ${minted.keyId} of name server ${node}, shown only once:`);
  print(minted.text);
}

/** @param team the name of the team whose keys are listed; undefined: all keys */
export async function runKeysList(config: Config, team: string | undefined, output: Output): Promise<void> {
  const now = new Date();
  const keys = (await adminListKeys(config.DATABASE_URL, team ?? null)).filter((key) => !isEndedSession(key, now));
  const rows = keys.map((key) => [
    key.id,
    key.kind === 'node' ? '(name server)' : key.holder,
    key.name,
    key.records,
    key.manageZones,
    key.clusters,
    judgeLifetime(key, now),
    key.lastUsedAt?.toISOString().slice(0, 16) ?? 'never',
  ]);
  await show(output, { keys }, () =>
    table(['ID', 'HOLDER', 'NAME', 'RECORDS', 'ZONES', 'CLUSTERS', 'STATE', 'LAST USE'], rows, output.print),
  );
}

/** @throws Error if the key does not exist */
export async function runKeysRevoke(config: Config, id: string, options: DryRunOption, print: Print): Promise<void> {
  // People often paste the whole key instead of its id.
  const keyId = /^y[kun]_([a-z0-9]+)/.exec(id)?.[1] ?? id;
  await adminRevokeKey(config.DATABASE_URL, keyId, new Date(), options);
  sayer(print, options)(`key ${keyId} is revoked`);
}

/**
 * Sessions of the console are the only keys of people that expire. Expired ones stay in the database for the history.
 */
function isEndedSession(key: ListedKey, now: Date): boolean {
  return key.kind === 'person' && key.expiresAt !== null && judgeLifetime(key, now) !== 'valid';
}

/** @throws Error that names each wrong option as people type it */
export function parseOptions<T>(schema: z.ZodType<T>, given: unknown): T {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const problemOf = ({ path, message }: { path: PropertyKey[]; message: string }) =>
    path.length === 0 ? message : `${flagOf(path[0])} ${message}`;
  throw new Error(parsed.error.issues.map(problemOf).join('; '));
}

/** The option as people type it. */
function flagOf(name: PropertyKey | undefined): string {
  return `--${String(name).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
