// The options of the rights of keys and trusts, and the terms that they ask for. Commands over the REST API and over
// the database have the same options, and contract/terms.ts judges both.
import type { z } from 'zod';
import { ApiError } from '#client/errors.ts';
import type { OptionDescription } from './command.ts';
import { flagOf, parseFields } from './parse-options.ts';

/** The options as commander gives them. `false` stands for --no-…, which removes a restriction. */
export interface RightsGiven {
  records?: string;
  manageZones?: string;
  clusters?: string;
  signal?: readonly string[] | false;
  grant?: readonly string[] | false;
  onlyName?: readonly string[] | false;
  onlyType?: readonly string[] | false;
  network?: readonly string[] | false;
  expires?: string | false;
  zoneWrites?: string | false;
  recordWrites?: string | false;
}

const LEVELS: readonly OptionDescription[] = [
  {
    flags: '--records <level>',
    describe: 'access to the records of all zones: none, read or write',
    default: 'write',
  },
  { flags: '--manage-zones <level>', describe: 'access to zones: none, read or write', default: 'none' },
  {
    flags: '--clusters <level>',
    describe: 'heartbeats of clusters, for a key of the operator: none or write',
    default: 'none',
  },
];

const RESTRICTIONS: readonly (OptionDescription & { without: string })[] = [
  {
    flags: '--signal <check>',
    describe: 'allow signals for this check, or for the checks that match, such as web-*',
    value: 'list',
    without: 'allow no signals',
  },
  {
    flags: '--grant <zoneId=level>',
    describe: 'access to the records of one zone; overrides --records',
    value: 'list',
    without: 'no zone has access of its own',
  },
  {
    flags: '--only-name <pattern>',
    describe: 'allow only names that match, for instance _acme-challenge.*',
    value: 'list',
    without: 'allow all names',
  },
  {
    flags: '--only-type <type>',
    describe: 'allow only records of this type',
    value: 'list',
    without: 'allow all types',
  },
  {
    flags: '--network <cidr>',
    describe: 'accept requests only from this network',
    value: 'list',
    without: 'accept requests from anywhere',
  },
  {
    flags: '--expires <time>',
    describe: 'end in ISO 8601, for instance 2027-01-31T00:00:00Z',
    without: 'no end',
  },
  {
    flags: '--zone-writes <number>',
    describe: 'zone writes a minute, instead of the limit of the service',
    without: 'the limit of the service',
  },
  {
    flags: '--record-writes <number>',
    describe: 'record writes a minute, instead of the limit of the service',
    without: 'the limit of the service',
  },
];

/** The rights of a new key or trust. */
export const RIGHTS_OPTIONS: readonly OptionDescription[] = [
  ...LEVELS,
  ...RESTRICTIONS.map(({ without: _, ...option }) => option),
];

/** Changes of the rights: an option that is not given leaves its right as it is. */
export const RIGHTS_CHANGE_OPTIONS: readonly OptionDescription[] = [
  ...LEVELS.map(({ default: _, ...option }) => option),
  ...RESTRICTIONS.flatMap(({ without, ...option }) => [
    option,
    { flags: option.flags.replace(/^--([\w-]+).*$/, '--no-$1'), describe: without },
  ]),
];

/** The fields of the contract that these options set. */
export function rightsOf(given: RightsGiven) {
  const { records, manageZones, clusters, signal, grant } = given;
  const { onlyName, onlyType, network, expires, zoneWrites, recordWrites } = given;
  return withoutUndefined({
    records,
    manageZones,
    clusters,
    signals: signal === false ? [] : signal,
    grants: grant === false ? [] : grant?.map(grantOf),
    onlyNames: nullFor(onlyName),
    onlyTypes: nullFor(onlyType),
    networks: nullFor(network),
    expiresAt: nullFor(expires),
    zoneWrites: numberOf(zoneWrites),
    recordWrites: numberOf(recordWrites),
  });
}

/** The fields that have a value. */
export function withoutUndefined(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function nullFor<T>(value: T | false): T | null {
  return value === false ? null : value;
}

function numberOf(text: string | false | undefined): number | null | undefined {
  return text === false || text === undefined ? nullFor(text) : Number(text);
}

function grantOf(text: string): { zoneId: string; records: string } {
  const [, zoneId, records] = /^([^=]+)=([^=]+)$/.exec(text) ?? [];
  if (zoneId !== undefined && records !== undefined) return { zoneId, records };
  throw new Error('--grant must be <zoneId>=none, =read or =write');
}

/** The options whose names are not those of their fields. */
const OPTIONS: Readonly<Record<string, string>> = {
  signals: '--signal',
  grants: '--grant',
  onlyNames: '--only-name',
  onlyTypes: '--only-type',
  networks: '--network',
  expiresAt: '--expires',
  tsig: '--tsig-algorithm',
  keySource: '--jwks-url or --jwks-file',
};

function optionOf(field: string): string {
  return OPTIONS[field] ?? flagOf(field);
}

/**
 * @param fields as in a request
 * @throws Error that names each wrong option
 */
export function parseTerms<T>(schema: z.ZodType<T>, fields: object): T {
  try {
    return parseFields(schema, fields, optionOf);
  } catch (error) {
    // The null of a request is --no-… here.
    throw new Error((error as Error).message.replaceAll(/, or null(?: for [^;]+)?(?=;|$)/g, ''));
  }
}

/** Sends terms. @throws Error of the service, with the option in the place of the field */
export async function sendTerms<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!namesField(error)) throw error;
    const [root = ''] = error.field.split('.');
    const message = error.message.replace(`${error.field}: `, () => `${optionOf(root)}: `);
    if (!(error instanceof ApiError)) throw new Error(message, { cause: error });
    error.message = message;
    throw error;
  }
}

/** Whether it is an ApiError or a Refusal about one field. Its message begins with the path of the field. */
function namesField(error: unknown): error is Error & { field: string } {
  return error instanceof Error && 'field' in error && typeof error.field === 'string';
}
