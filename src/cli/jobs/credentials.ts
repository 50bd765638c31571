// The contents of the Secrets of an installation, as a function of their current contents. Passwords are generated once
// and kept, and addresses follow the options. Pure except for the random source, which is a parameter.
import type { Secret, SecretTexts } from '#kube/objects/secrets.ts';
import { newNodeKeyText, parseNodeKeyId } from '#service/nodes/keys.ts';

type Random = (bytes: number) => Buffer;

/** The keys of the Secret with the database logins. */
export const KEYS = {
  /** The password of the superuser of the built-in Postgres. */
  postgres: 'postgres-password',
  /** The password of the role that owns the database. */
  service: 'service-password',
  /** The address with this login. */
  uri: 'uri',
} as const;

/** A key that the Job makes for a part of the installation. */
export interface KeyKind {
  /** The key of its Secret. */
  readonly field: string;
  newText(random: Random): string;
  /** The id in the text of a key; undefined for any other text. */
  idOf(text: string): string | undefined;
}

/** The key that all name servers of the release share. */
export const NODE_KEY: KeyKind = { field: 'nodeKey', newText: newNodeKeyText, idOf: parseNodeKeyId };
/** The key of the Secret with the session key of the console. */
export const SESSION_KEY = 'sessionKey';
/** The key of the Secret with the keys that encrypt private keys in the database. */
export const ENCRYPTION_KEYS = 'encryptionKeys';
/** Annotation of the Secret of a key: the value of --rotation for which the Job created the current key. */
export const ROTATION = 'zonestead.dev/rotation';
/**
 * Annotation with the ids of the previous keys, so that a later run lets them expire if the run that replaced them
 * failed.
 */
export const REPLACED = 'zonestead.dev/replaced';
/** As many rotations may fail in a row. */
const MAX_REPLACED = 8;

/** The built-in database. */
export interface DatabasePlace {
  /** host:port of Postgres. */
  host: string;
  database: string;
}

/**
 * @param found the current contents of the Secret
 * @param given passwords that the user set; they have precedence
 */
export function databaseTexts(
  place: DatabasePlace,
  found: SecretTexts,
  given: SecretTexts,
  random: Random,
): SecretTexts {
  const password = (key: string) => given[key] || found[key] || random(24).toString('hex');
  const service = password(KEYS.service);
  return {
    [KEYS.postgres]: password(KEYS.postgres),
    [KEYS.service]: service,
    [KEYS.uri]: address('zonestead', service, place.host, place.database),
  };
}

/** The address of the built-in Postgres with the superuser. */
export function adminUrl({ host }: Pick<DatabasePlace, 'host'>, texts: SecretTexts): string {
  return address('postgres', texts[KEYS.postgres] ?? '', host, 'postgres');
}

/** Whether a Secret contains all of these texts. */
export function holds(found: Secret | undefined, texts: SecretTexts): boolean {
  return found !== undefined && Object.entries(texts).every(([key, text]) => found.texts[key] === text);
}

export interface KeyPlan {
  text: string;
  /** The ids of the keys that this one replaces. */
  replaced: readonly string[];
}

/**
 * The key of a Secret: the existing one, unless there is none or the value of --rotation is new.
 * @param unusable a text that can never become valid
 */
export function keyPlan(
  kind: KeyKind,
  found: Secret | undefined,
  rotation: string,
  random: Random,
  unusable?: string,
): KeyPlan {
  const text = found?.texts[kind.field]?.trim() ?? '';
  const earlier = found?.annotations[REPLACED]?.split(',').filter((id) => id !== '') ?? [];
  if (found === undefined || text === '' || text === unusable) return { text: kind.newText(random), replaced: earlier };
  if (rotation === '' || found.annotations[ROTATION] === rotation) return { text, replaced: earlier };
  const id = kind.idOf(text);
  const replaced = [...earlier, ...(id === undefined ? [] : [id])].slice(-MAX_REPLACED);
  return { text: kind.newText(random), replaced };
}

function address(user: string, password: string, host: string, database: string): string {
  return `postgres://${user}:${encodeURIComponent(password)}@${host}/${database}`;
}
