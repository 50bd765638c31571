// What `zonestead bootstrap` is told on its command line. Pure.
import { z } from 'zod';
import { parseOptions } from '../keys.ts';
import type { DatabasePlace } from './credentials.ts';

const name = z.string().regex(/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/, 'must be the name of a Secret');
const host = z.string().regex(/^[a-z0-9.-]+(:\d{1,5})?$/, 'must be host or host:port');
const labels = z
  .string()
  .regex(/^([^=,]+=[^=,]*(,|$))*$/, 'must be key=value,key=value')
  .transform((text) => Object.fromEntries(text.split(',').flatMap((part) => (part === '' ? [] : [part.split('=')]))));

const schema = z.object({
  database: z.enum(['builtin', 'external', 'cnpg'], { error: 'must be builtin, external or cnpg' }),
  databaseSecret: name.optional(),
  databaseHost: host.optional(),
  nameserverHost: host.optional(),
  databaseName: z.string().min(1),
  givenSecret: name.optional(),
  urlSecret: name.optional(),
  urlKey: z.string().min(1),
  keySecret: name.optional(),
  sessionSecret: name.optional(),
  team: z.string().min(1).max(64),
  rotation: z.string().max(253),
  labels,
  timeout: z.coerce.number({ error: 'must be seconds' }).int().min(1),
});

export interface BootstrapOptions {
  /** Undefined: the database and its logins are somebody else's. */
  place: DatabasePlace | undefined;
  /** The Secret with the logins, made here. */
  databaseSecret: string;
  /** Passwords that are given. */
  givenSecret: string | undefined;
  /** Where the api's address is, when it is not made here. */
  urlSecret: string;
  urlKey: string;
  /** The Secret with the operator's key; undefined: the operator has one from elsewhere. */
  keySecret: string | undefined;
  /** The Secret that seals the console's cookies; undefined: none is needed. */
  sessionSecret: string | undefined;
  team: string;
  /** Any text; another one than last time gives the operator a new key. */
  rotation: string;
  /** On every Secret made. */
  labels: Record<string, string>;
  /** Seconds to wait for what is missing. */
  timeout: number;
}

/** @throws with each wrong option by name */
export function bootstrapOptions(given: unknown): BootstrapOptions {
  const { database, databaseSecret, databaseHost, nameserverHost, databaseName, ...rest } = parseOptions(schema, given);
  const missing = (option: string) => new Error(`--${option} is needed with --database ${database}`);
  if (database !== 'builtin' && rest.urlSecret === undefined) throw missing('url-secret');
  const common = {
    ...rest,
    urlSecret: rest.urlSecret ?? '',
    keySecret: rest.keySecret,
    givenSecret: rest.givenSecret,
    sessionSecret: rest.sessionSecret,
  };
  if (database === 'external') return { ...common, place: undefined, databaseSecret: '' };
  if (databaseSecret === undefined) throw missing('database-secret');
  if (databaseHost === undefined) throw missing('database-host');
  const place = { mode: database, host: databaseHost, nameserverHost: nameserverHost ?? databaseHost };
  return { ...common, databaseSecret, place: { ...place, database: databaseName } };
}
