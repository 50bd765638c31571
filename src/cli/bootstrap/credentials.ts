// What the Secrets of an installation hold, given what they hold already: passwords are made once and kept, addresses follow
// the settings. Pure but for the randomness that is handed in. It must not know how Secrets are read or written.
import type { Secret, SecretTexts } from '../../kube/secrets.ts';
import { keyIdOf, newKeyText } from '../../zones/first-key.ts';

type Random = (bytes: number) => Buffer;

/** Of the Secret with the database's logins. */
export const KEYS = {
  /** Of the superuser of the built-in Postgres. */
  postgres: 'postgres-password',
  /** Of the role that owns the database. */
  service: 'service-password',
  /** Of role pdns; `username` and `password` as CloudNativePG wants them for a role that it manages. */
  nameserver: 'password',
  nameserverUser: 'username',
  /** Addresses with logins: for the api, and for PowerDNS with its companion. */
  uri: 'uri',
  nameserverUri: 'nameserver-uri',
} as const;

/** Of the Secret with the operator's API key: as the Secrets of tenants (spec.credentialsSecretRef). */
export const API_KEY = 'apiKey';
/** Of the Secret that seals the console's cookies. */
export const SESSION_KEY = 'sessionKey';
/** On the operator's Secret: which wish for a new key it has fulfilled. */
export const ROTATION = 'zonestead.dev/rotation';
/** And the id of the key before, so that it is ended even when the run that replaced it did not come so far. */
export const REPLACED = 'zonestead.dev/replaced';

export interface DatabasePlace {
  mode: 'builtin' | 'cnpg';
  /** host:port of Postgres, and of what PowerDNS reads from. */
  host: string;
  nameserverHost: string;
  database: string;
}

/**
 * @param found what the Secret has
 * @param given passwords that somebody else decides; they win
 */
export function databaseTexts(
  place: DatabasePlace,
  found: SecretTexts,
  given: SecretTexts,
  random: Random,
): SecretTexts {
  const password = (key: string) => given[key] || found[key] || random(24).toString('hex');
  const nameserver = password(KEYS.nameserver);
  const texts = {
    [KEYS.nameserverUser]: 'pdns',
    [KEYS.nameserver]: nameserver,
    [KEYS.nameserverUri]: address('pdns', nameserver, place.nameserverHost, place.database),
  };
  // Who owns a CloudNativePG database is that operator's to say, in a Secret of its own.
  if (place.mode === 'cnpg') return texts;
  const service = password(KEYS.service);
  return {
    ...texts,
    [KEYS.postgres]: password(KEYS.postgres),
    [KEYS.service]: service,
    [KEYS.uri]: address('zonestead', service, place.host, place.database),
  };
}

/** The superuser's address of the built-in Postgres. */
export function adminUrl({ host }: Pick<DatabasePlace, 'host'>, texts: SecretTexts): string {
  return address('postgres', texts[KEYS.postgres] ?? '', host, 'postgres');
}

/** Whether a Secret already says all of this. */
export function holds(found: Secret | undefined, texts: SecretTexts): boolean {
  return found !== undefined && Object.entries(texts).every(([key, text]) => found.texts[key] === text);
}

export interface KeyPlan {
  text: string;
  /** Id of the key that this one takes the place of. */
  replaced?: string | undefined;
}

/** The operator's key: the one that is there, unless there is none or another rotation is wished for. */
export function keyPlan(found: Secret | undefined, rotation: string, random: Random): KeyPlan {
  const text = found?.texts[API_KEY]?.trim() ?? '';
  if (found === undefined || text === '') return { text: newKeyText(random) };
  if (rotation !== '' && found.annotations[ROTATION] !== rotation) {
    return { text: newKeyText(random), replaced: keyIdOf(text) };
  }
  return { text, replaced: found.annotations[REPLACED] };
}

function address(user: string, password: string, host: string, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}/${database}`;
}
