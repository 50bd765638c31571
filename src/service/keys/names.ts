// The names of keys by id, for people who read the history. They do not include the rights of a key.
import { type KeyName, keyNames } from '#store/key-names.ts';
import type { ServiceContext } from '../context.ts';

export type { KeyName } from '#store/key-names.ts';

/** The names of the keys that exist, by id. */
export function readKeyNames(context: ServiceContext, ids: readonly string[]): Promise<Map<string, KeyName>> {
  return keyNames(context.db, [...new Set(ids)]);
}
