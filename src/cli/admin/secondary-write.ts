// `zonestead admin secondaries add`, `change`, `apply`, `zones` and `remove`: an administrator of the service adds
// third-party name servers that transfer zones.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { SecondaryChange } from '#service/secondaries/input.ts';
import type { WrittenSecondary } from '#service/secondaries/write.ts';
import { readInput } from '../input.ts';
import { DRY_RUN_OPTION, type DryRunOption, sayer } from '../options.ts';
import { type Administration, describeAdminCommand } from './command.ts';
import {
  ADDRESS,
  type AddOptions,
  ALGORITHMS,
  inputOf,
  NAME,
  NS,
  OFFERS,
  PIN,
  REQUIRE_TLS,
  type SecondaryOptions,
  TRANSFERS_FROM,
} from './secondary-options.ts';

const load = () => import('#service/secondaries/administration.ts');

type ZonesOptions = DryRunOption & { add?: string[]; remove?: string[] };

export const add = describeAdminCommand({
  name: 'add',
  describe: 'add a secondary',
  arguments: NAME,
  options: [
    { ...ADDRESS, isRequired: true },
    TRANSFERS_FROM,
    NS,
    { flags: '--all-zones', describe: 'it gets all zones (default: only listed ones)' },
    { flags: '--zone <zone>', describe: 'a zone that it gets', value: 'list' },
    ...OFFERS,
    { flags: '--no-catalog', describe: 'it gets no catalog zone' },
    { flags: '--no-notify', describe: 'it gets no NOTIFY and finds changes automatically' },
    REQUIRE_TLS,
    PIN,
    { flags: '--tsig-name <name>', describe: 'name of its TSIG key (default: <name>.zonestead)' },
    {
      flags: '--tsig-algorithm <algorithm>',
      describe: 'algorithm of the key (default: hmac-sha256)',
      choices: ALGORITHMS,
    },
    { flags: '--tsig-secret-file <file>', describe: 'file with the secret in base64 (default: a new secret is made)' },
    DRY_RUN_OPTION,
  ],
  run: (administration, [name = ''], options: AddOptions) => addSecondary(administration, name, options),
});

export const change = describeAdminCommand({
  name: 'change',
  describe: 'change a secondary; everything that no option names stays as it is',
  arguments: NAME,
  options: [
    ADDRESS,
    TRANSFERS_FROM,
    { flags: '--no-transfers-from', describe: 'it transfers only from its addresses' },
    NS,
    { flags: '--no-ns', describe: 'it leaves the NS records of its zones' },
    { flags: '--all-zones', describe: 'it gets all zones' },
    { flags: '--no-all-zones', describe: 'it gets only listed zones' },
    { flags: '--zone <zone>', describe: 'a zone that it gets; the list becomes these zones', value: 'list' },
    ...OFFERS,
    { flags: '--no-offer', describe: 'ends the offer; zones that have it keep it' },
    { flags: '--catalog', describe: 'it gets a catalog zone' },
    { flags: '--no-catalog', describe: 'it gets no catalog zone' },
    { flags: '--notify', describe: 'it gets NOTIFY' },
    { flags: '--no-notify', describe: 'it gets no NOTIFY and finds changes automatically' },
    REQUIRE_TLS,
    { flags: '--no-require-tls', describe: 'it may transfer without TLS too' },
    PIN,
    { flags: '--no-pin', describe: 'it needs no certificate' },
    { flags: '--tsig-name <name>', describe: 'name of its TSIG key' },
    {
      flags: '--tsig-algorithm <algorithm>',
      describe: 'algorithm of the key; another one needs a new secret, which is made without a file',
      choices: ALGORITHMS,
    },
    { flags: '--tsig-secret-file <file>', describe: 'file with the secret in base64' },
    DRY_RUN_OPTION,
  ],
  notes: 'An option that can be repeated replaces the list: name all addresses, hosts, zones or offers.',
  run: (administration, [name = ''], options: SecondaryOptions) => changeSecondary(administration, name, options),
});

export const apply = describeAdminCommand({
  name: 'apply',
  describe: 'make the secondaries of a JSON file what the file says; others stay as they are',
  arguments: [
    {
      usage: '<file>',
      describe:
        'a list of objects with name, addresses, transfersFrom, nameservers, zones, offer, catalog, notify, requireTls, pins, tsig',
    },
  ],
  options: [DRY_RUN_OPTION],
  run: (administration, [path = ''], options: DryRunOption) => applyFile(administration, path, options),
});

export const zones = describeAdminCommand({
  name: 'zones',
  describe: 'change the list of the zones that a secondary gets',
  arguments: NAME,
  options: [
    { flags: '--add <zone>', describe: 'a zone that it gets from now on', value: 'list' },
    { flags: '--remove <zone>', describe: 'a zone that it no longer gets', value: 'list' },
    DRY_RUN_OPTION,
  ],
  run: (administration, [name = ''], options: ZonesOptions) => changeZones(administration, name, options),
});

export const remove = describeAdminCommand({
  name: 'remove',
  describe: 'remove a secondary',
  arguments: NAME,
  options: [DRY_RUN_OPTION],
  run: (administration, [name = ''], options: DryRunOption) => removeSecondary(administration, name, options),
});

async function addSecondary({ url, print, signal }: Administration, name: string, given: AddOptions): Promise<void> {
  const input = { ...(await inputOf(given, signal)), name, addresses: given.address ?? [] };
  const { adminAddSecondary } = await load();
  const written = await adminAddSecondary(url, input, randomBytes, new Date(), given);
  printWritten(`secondary ${name} is added`, written, given, print);
}

/** Changes the given values. @throws Error also if none is given */
async function changeSecondary(
  { url, print, signal }: Administration,
  name: string,
  { transfersFrom, ns, pin, offer, ...given }: SecondaryOptions,
): Promise<void> {
  const options = { ...given, transfersFrom: transfersFrom || [], ns: ns || [], pin: pin || [] };
  const change: SecondaryChange = { ...(await inputOf(options, signal)) };
  if (transfersFrom === undefined) change.transfersFrom = undefined;
  if (ns === undefined) change.nameservers = undefined;
  if (pin === undefined) change.pins = undefined;
  if (given.allZones === false) change.zones = given.zone ?? 'listed';
  if (offer === false) change.offer = { ...change.offer };
  if (Object.values(change).every((value) => value === undefined)) {
    throw new Error(`nothing to change; "zonestead admin secondaries change --help" lists the options`);
  }
  const { adminChangeSecondary } = await load();
  const written = await adminChangeSecondary(url, name, change, randomBytes, new Date(), given);
  printWritten(`secondary ${name} is changed`, written, given, print);
}

function printWritten(
  what: string,
  { made, key }: WrittenSecondary,
  options: DryRunOption,
  print: Administration['print'],
): void {
  sayer(print, options)(`${what}; its TSIG key is ${key.name} (${key.algorithm})`);
  // The secret of a dry run belongs to no key.
  if (!made || options.dryRun) return;
  print('the secret of the key, which "admin secondaries config" prints as well:');
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
    requireTls: z.boolean().optional(),
    pins: z.array(z.string()).optional(),
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
async function applyFile({ url, print, signal }: Administration, path: string, options: DryRunOption): Promise<void> {
  const parsed = file.safeParse(jsonOf(path, await readInput(path, signal)));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Error(`${path}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { adminPutSecondary } = await load();
  for (const { tsig = {}, offer = {}, ...each } of parsed.data) {
    const { secretFile, ...key } = tsig;
    const secret = secretFile === undefined ? key.secret : (await readInput(secretFile, signal)).trim();
    const input = { ...each, offer, tsig: { ...key, secret } };
    const { isNew } = await adminPutSecondary(url, input, randomBytes, new Date(), options);
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

async function removeSecondary({ url, print }: Administration, name: string, options: DryRunOption): Promise<void> {
  const { adminRemoveSecondary } = await load();
  await adminRemoveSecondary(url, name, new Date(), options);
  sayer(
    print,
    options,
  )(`secondary ${name} is removed: it may transfer nothing any more, and its names leave the NS records`);
}

async function changeZones(
  { url, print }: Administration,
  name: string,
  { add: more = [], remove: gone = [], ...options }: ZonesOptions,
): Promise<void> {
  const { adminChangeListedZones } = await load();
  await adminChangeListedZones(url, name, { add: more, remove: gone }, new Date(), options);
  sayer(print, options)(`secondary ${name}: ${more.length} zones are added to its list, ${gone.length} are taken out`);
}
