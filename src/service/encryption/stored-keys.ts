// How the private keys in the database are encrypted. Pure.
import type { Keyring } from '#base/keyring.ts';

/** Numbers of private keys, those of deleted zones included. */
export interface StoredKeys {
  /** With the first key of the keyring. */
  readonly current: number;
  /** With another key of the keyring. */
  readonly former: number;
  readonly clear: number;
  /** With a key that the keyring lacks: no name server gets them. */
  readonly missing: number;
  /** The names of the keys that it lacks. */
  readonly missingNames: readonly string[];
}

/** @param counts by the name of the key; null: in clear */
export function judgeStoredKeys(
  counts: readonly { name: string | null; count: number }[],
  keyring: Keyring,
): StoredKeys {
  const sum = (kind: (name: string | null) => boolean) =>
    counts.filter(({ name }) => kind(name)).reduce((total, { count }) => total + count, 0);
  const isMissing = (name: string | null) => name !== null && !keyring.has(name);
  return {
    current: sum((name) => name !== null && name === keyring.currentName),
    former: sum((name) => name !== null && name !== keyring.currentName && keyring.has(name)),
    clear: sum((name) => name === null),
    missing: sum(isMissing),
    missingNames: counts.flatMap(({ name }) => (name !== null && isMissing(name) ? [name] : [])),
  };
}

/** @throws Error if a command has fewer keys than the api, and would write private keys in another way */
export function mustEncryptAs({ missingNames }: StoredKeys): void {
  if (missingNames.length === 0) return;
  const keys = `the ${missingNames.length === 1 ? 'key' : 'keys'} ${missingNames.join(', ')}`;
  throw new Error(
    `private keys in the database are encrypted with ${keys}: set ZONESTEAD_ENCRYPTION_KEYS as the api has it, or run the command in a pod of the api`,
  );
}

/** The name of the key that encrypts. @throws Error if the keyring is empty */
export function mustHaveKey({ currentName }: Keyring): string {
  if (currentName !== null) return currentName;
  throw new Error('set ZONESTEAD_ENCRYPTION_KEYS, or run the command in a pod of the api, which has it');
}
