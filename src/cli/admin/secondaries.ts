// `zonestead secondaries …`: an administrator of the service adds name servers of others that transfer zones.

import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { bindConfig } from '#dns/secondaries/bind-config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { nsdConfig } from '#dns/secondaries/nsd-config.ts';
import { endpointText } from '#dns/secondaries/secondary.ts';
import {
  adminAddSecondary,
  adminChangeSecondary,
  adminListSecondaries,
  adminListZones,
  adminPutSecondary,
  adminRemoveSecondary,
  adminShowSecondary,
  type ShownSecondary,
  secondaryOf,
} from '#service/secondaries/administration.ts';
import { endpointOf, type SecondaryChange } from '#service/secondaries/input.ts';
import type { WrittenSecondary } from '#service/secondaries/write.ts';
import { readInput } from '../input.ts';
import { type DryRunOption, sayer } from '../options.ts';
import { type Output, show } from '../output.ts';
import { table } from '../table.ts';

type Print = (line: string) => void;
type Config = { DATABASE_URL: string };

export interface AddOptions extends DryRunOption {
  address?: string[];
  transfersFrom?: string[];
  ns?: string[];
  allZones?: boolean;
  zone?: string[];
  catalog?: boolean;
  notify?: boolean;
  offerToAll?: boolean;
  offerToTeam?: string[];
  offerToNamespace?: string[];
  tsigName?: string;
  tsigAlgorithm?: string;
  tsigSecretFile?: string;
}

/** `false` empties a list. */
export type SecondaryOptions = Omit<AddOptions, 'transfersFrom' | 'ns'> & {
  transfersFrom?: string[] | false;
  ns?: string[] | false;
  offer?: false;
};

const KINDS = { bind: bindConfig, knot: knotConfig, nsd: nsdConfig };
const KIND_NAMES = ['bind', 'knot', 'nsd'] as const;

export async function runSecondariesAdd(
  config: Config,
  name: string,
  given: AddOptions,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const input = { ...(await inputOf(given, signal)), name, addresses: given.address ?? [] };
  const written = await adminAddSecondary(config.DATABASE_URL, input, randomBytes, new Date(), given);
  printWritten(`secondary ${name} is added`, written, given, print);
}

/** Changes the given values. @throws Error also if none is given */
export async function runSecondariesChange(
  config: Config,
  name: string,
  { transfersFrom, ns, offer, ...given }: SecondaryOptions,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const options = { ...given, transfersFrom: transfersFrom || [], ns: ns || [] };
  const change: SecondaryChange = { ...(await inputOf(options, signal)) };
  if (transfersFrom === undefined) change.transfersFrom = undefined;
  if (ns === undefined) change.nameservers = undefined;
  if (given.allZones === false) change.zones = given.zone ?? 'listed';
  if (offer === false) change.offer = { ...change.offer };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new Error(`nothing to change; "zonestead secondaries change --help" lists the options`);
  }
  const written = await adminChangeSecondary(config.DATABASE_URL, name, change, randomBytes, new Date(), given);
  printWritten(`secondary ${name} is changed`, written, given, print);
}

/** Absent options are undefined. */
async function inputOf(given: AddOptions, signal: AbortSignal) {
  if (given.allZones && given.zone) throw new Error('--all-zones and --zone exclude each other');
  const { offerToAll: all, offerToTeam: teams, offerToNamespace: namespaces } = given;
  const { tsigName, tsigAlgorithm, tsigSecretFile: file } = given;
  const isOffer = (all ?? teams ?? namespaces) !== undefined;
  const isKey = (tsigName ?? tsigAlgorithm ?? file) !== undefined;
  const secret = file === undefined ? undefined : (await readInput(file, signal)).trim();
  return {
    addresses: given.address,
    transfersFrom: given.transfersFrom,
    nameservers: given.ns,
    zones: given.allZones ? ('all' as const) : given.zone,
    catalog: given.catalog,
    notify: given.notify,
    offer: isOffer ? { all, teams, namespaces } : undefined,
    tsig: isKey ? { name: tsigName, algorithm: tsigAlgorithm, secret } : undefined,
  };
}

function printWritten(what: string, { made, key }: WrittenSecondary, options: DryRunOption, print: Print): void {
  sayer(print, options)(`${what}; its TSIG key is ${key.name} (${key.algorithm})`);
  // The secret of a dry run belongs to no key.
  if (!made || options.dryRun) return;
  print('the secret of the key, which "secondaries config" prints as well:');
  print(key.secret);
}

const file = z.array(
  z.strictObject({
    name: z.string(),
    addresses: z.array(z.string()).min(1),
    transfersFrom: z.array(z.string()).optional(),
    nameservers: z.array(z.string()).optional(),
    zones: z.union([z.literal('all'), z.array(z.string())]).optional(),
    catalog: z.boolean().optional(),
    notify: z.boolean().optional(),
    offer: z
      .strictObject({
        all: z.boolean().optional(),
        teams: z.array(z.string()).optional(),
        namespaces: z.array(z.string()).optional(),
      })
      .optional(),
    tsig: z
      .strictObject({
        name: z.string().optional(),
        algorithm: z.string().optional(),
        secret: z.string().optional(),
        secretFile: z.string().optional(),
      })
      .optional(),
  }),
);

/**
 * Makes each secondary of a JSON file what the file says; others stay. Without `offer` a secondary is not offered;
 * without `zones` its list stays, and without `tsig` its key.
 */
export async function runSecondariesApply(
  config: Config,
  path: string,
  options: DryRunOption,
  print: Print,
  signal: AbortSignal,
): Promise<void> {
  const parsed = file.safeParse(jsonOf(path, await readInput(path, signal)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${path}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  for (const { tsig = {}, offer = {}, ...each } of parsed.data) {
    const { secretFile, ...key } = tsig;
    const secret = secretFile === undefined ? key.secret : (await readInput(secretFile, signal)).trim();
    const input = { ...each, offer, tsig: { ...key, secret } };
    const { isNew } = await adminPutSecondary(config.DATABASE_URL, input, randomBytes, new Date(), options);
    sayer(print, options)(`secondary ${each.name} is ${isNew ? 'added' : 'as the file says'}`);
  }
}

function jsonOf(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}`);
  }
}

export async function runSecondariesList(config: Config, output: Output): Promise<void> {
  const all = await adminListSecondaries(config.DATABASE_URL);
  const rows = all.map((each) => [
    each.name,
    each.addresses.map(endpointText).join(' '),
    each.nameservers.join(' '),
    each.allZones ? 'all' : String(each.zones.length),
    offerOf(each),
    stateOf(each),
  ]);
  await show(output, { secondaries: all.map(withoutSecret) }, () =>
    table(['NAME', 'ADDRESSES', 'NAME SERVERS', 'ZONES', 'OFFERED TO', 'STATE'], rows, output.print),
  );
}

export async function runSecondariesShow(config: Config, name: string, output: Output): Promise<void> {
  const found = await adminShowSecondary(config.DATABASE_URL, name);
  const secondary = { ...withoutSecret(found), catalogZone: catalogName(name) };
  await show(output, secondary, () => output.print(JSON.stringify(secondary, null, 2)));
}

export async function runSecondariesRemove(
  config: Config,
  name: string,
  options: DryRunOption,
  print: Print,
): Promise<void> {
  await adminRemoveSecondary(config.DATABASE_URL, name, new Date(), options);
  sayer(
    print,
    options,
  )(`secondary ${name} is removed: it may transfer nothing any more, and its names leave the NS records`);
}

export async function runSecondariesZones(
  config: Config,
  name: string,
  { add = [], remove = [], ...options }: DryRunOption & { add?: string[]; remove?: string[] },
  print: Print,
): Promise<void> {
  await adminListZones(config.DATABASE_URL, name, { add, remove }, new Date(), options);
  sayer(print, options)(`secondary ${name}: ${add.length} zones are added to its list, ${remove.length} are taken out`);
}

export interface ConfigOptions {
  for: (typeof KIND_NAMES)[number];
  primary?: string[];
  listen?: string[];
  folder: string;
  catalog?: boolean;
}

/** Prints the configuration, with the secret of the key. @throws Error if the zones would be missing */
export async function runSecondariesConfig(
  config: Config,
  name: string,
  options: ConfigOptions,
  print: Print,
): Promise<void> {
  const found = await adminShowSecondary(config.DATABASE_URL, name);
  const { key, zones } = secondaryOf(found, found.zones);
  const byCatalog = found.catalog && options.for !== 'nsd';
  if (!byCatalog && zones === 'all') {
    throw new Error(
      `${options.for} needs the names of the zones: list them (secondaries zones ${name} --add …), or use knot or bind`,
    );
  }
  const view = {
    primaries: (options.primary ?? []).map(endpointOf),
    key,
    zones: byCatalog ? null : (zones as readonly string[]),
    catalog: catalogName(name),
  };
  const listen = (options.listen ?? found.addresses.map(endpointText)).map(endpointOf);
  print(KINDS[options.for](view, { listen, folder: options.folder }));
}

function withoutSecret({ tsigSecret: _, ...rest }: ShownSecondary) {
  return rest;
}

function offerOf({ offer: { all, teams, namespaces } }: ShownSecondary): string {
  return all ? 'all teams' : [...teams, ...namespaces].join(', ') || 'none';
}

function stateOf({ report }: ShownSecondary): string {
  if (report === null) return 'not asked yet';
  if (report.silent !== null) return `silent: ${report.silent}`;
  return report.current === report.zones ? `current (${report.zones})` : `${report.current} of ${report.zones} current`;
}
