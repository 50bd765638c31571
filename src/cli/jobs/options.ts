// The options of `zonestead bootstrap`. Pure.
import { z } from 'zod';
import type { DeclaredZone } from '#service/zones/declared-zone.ts';
import { parseOptions } from '../parse-options.ts';
import type { DatabasePlace } from './credentials.ts';
import { type ChartSecondary, chartSecondaries } from './secondaries.ts';
import { type ChartTrust, chartTrusts } from './trusts.ts';

const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'must be the name of a Secret');
/** A Secret, and the names and addresses that its certificate is for. */
const certificate = z
  .string()
  .regex(
    /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?=[a-zA-Z0-9.:-]+(,[a-zA-Z0-9.:-]+)*$/,
    'must be the name of a Secret, = and comma-separated host names and addresses',
  )
  .transform((text) => {
    const at = text.indexOf('=');
    return { secret: text.slice(0, at), hosts: text.slice(at + 1).split(',') };
  });
/** A zone and its team, whose name may contain the sign. */
const zone = z
  .string()
  .regex(/^[^=]{1,255}=.{1,64}$/, 'must be the name of a zone, = and the name of a team')
  .transform((text) => {
    const at = text.indexOf('=');
    return { name: text.slice(0, at), team: text.slice(at + 1) };
  });
const hosts = z.string().transform((text) => text.split(',').filter((part) => part !== ''));
const host = z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'must be host or host:port');
const labels = z
  .string()
  .regex(/^([^=,]+=[^=,]*(,|$))*$/, 'must be key=value,key=value')
  .transform((text) => Object.fromEntries(text.split(',').flatMap((part) => (part === '' ? [] : [part.split('=')]))));

const schema = z.object({
  database: z.enum(['builtin', 'external', 'cnpg'], { error: 'must be builtin, external or cnpg' }),
  databaseSecret: name.optional(),
  databaseHost: host.optional(),
  databaseCertificate: name.optional(),
  databaseName: z.string().min(1),
  givenSecret: name.optional(),
  urlSecret: name.optional(),
  urlKey: z.string().min(1),
  nodeKeySecret: name.optional(),
  sessionSecret: name.optional(),
  encryptionSecret: name.optional(),
  givenEncryptionSecret: name.optional(),
  secondaries: chartSecondaries.optional(),
  secondariesSecret: name.optional(),
  trusts: chartTrusts.optional(),
  trustsOf: z.string().min(1).max(200).optional(),
  certificate: z.array(certificate).optional(),
  zone: z.array(zone).optional(),
  nameservers: hosts.optional(),
  team: z.string().min(1).max(64),
  rotation: z.string().max(253),
  labels,
  timeout: z.coerce.number({ error: 'must be seconds' }).int().min(1),
});

const certificatesSchema = z
  .object({ certificate: z.array(certificate), labels })
  .transform(({ certificate: certificates, labels: marks }) => ({ certificates, labels: marks }));

/** The certificates to keep, and the labels of new Secrets. */
export type CertificatesOptions = z.output<typeof certificatesSchema>;

/** The options of `zonestead certificates`. @throws Error that names each wrong option */
export function certificatesOptions(given: unknown): CertificatesOptions {
  return parseOptions(certificatesSchema, given);
}

export interface BootstrapOptions {
  /** Undefined if the database is not the built-in one. */
  place: DatabasePlace | undefined;
  /** The Secret that the Job creates for the database logins. */
  databaseSecret: string;
  /** The Secret with the passwords to use. */
  givenSecret: string | undefined;
  /** The Secret with the database address for the api, if the Job does not create it. */
  urlSecret: string;
  urlKey: string;
  /** The Secret that the Job creates for the key of the name servers; undefined if they have other keys. */
  nodeKeySecret: string | undefined;
  /** The Secret that the Job creates for the session key of the console; undefined if none is needed. */
  sessionSecret: string | undefined;
  /** The Secret that the Job creates for the keys that encrypt private keys; undefined: they are in the given one. */
  encryptionSecret: string | undefined;
  givenEncryptionSecret: string | undefined;
  /** The secondaries of the chart's values; undefined if the chart manages none. */
  secondaries: readonly ChartSecondary[] | undefined;
  /** The Secret in which the Job remembers their names. */
  secondariesSecret: string | undefined;
  /** The trusts of the chart's values; undefined if the chart manages none. */
  trusts: readonly ChartTrust[] | undefined;
  /** The installation whose trusts they are; no other one at the same database has this text. */
  trustsOf: string;
  certificates: CertificatesOptions['certificates'];
  /** The zones that the installation needs for itself. */
  zones: readonly DeclaredZone[];
  /** The Secret among them whose authorities verify the built-in database; undefined if it has no TLS. */
  databaseCertificate: string | undefined;
  team: string;
  /** A new value gives the name servers a new key. */
  rotation: string;
  /** The labels of every Secret that the Job creates. */
  labels: Record<string, string>;
  /** The time limit in seconds for missing parts. */
  timeout: number;
}

/** @throws Error that names each wrong option */
export function bootstrapOptions(given: unknown): BootstrapOptions {
  const {
    database,
    databaseSecret,
    databaseHost,
    databaseName,
    databaseCertificate,
    certificate: certificates = [],
    zone: zones = [],
    nameservers = [],
    ...rest
  } = parseOptions(schema, given);
  if (databaseCertificate !== undefined && !certificates.some(({ secret }) => secret === databaseCertificate))
    throw new Error(`--database-certificate ${databaseCertificate} needs --certificate ${databaseCertificate}=<hosts>`);
  const missing = (option: string) => new Error(`--${option} is needed with --database ${database}`);
  if (rest.secondaries !== undefined && rest.secondariesSecret === undefined) {
    throw new Error('--secondaries-secret is needed with --secondaries');
  }
  if (rest.trusts !== undefined && rest.trustsOf === undefined) throw new Error('--trusts-of is needed with --trusts');
  if (database !== 'builtin' && rest.urlSecret === undefined) throw missing('url-secret');
  const common = {
    ...rest,
    urlSecret: rest.urlSecret ?? '',
    nodeKeySecret: rest.nodeKeySecret,
    givenSecret: rest.givenSecret,
    sessionSecret: rest.sessionSecret,
    encryptionSecret: rest.encryptionSecret,
    givenEncryptionSecret: rest.givenEncryptionSecret,
    secondaries: rest.secondaries,
    secondariesSecret: rest.secondariesSecret,
    trusts: rest.trusts,
    trustsOf: rest.trustsOf ?? '',
    certificates,
    databaseCertificate,
    zones: zones.map((each) => ({ ...each, nameservers })),
  };
  // CloudNativePG creates the owner of the database, and keeps its login in a Secret of its own.
  if (database !== 'builtin') return { ...common, place: undefined, databaseSecret: '' };
  if (databaseSecret === undefined) throw missing('database-secret');
  if (databaseHost === undefined) throw missing('database-host');
  return { ...common, databaseSecret, place: { host: databaseHost, database: databaseName } };
}
