// The node key of an installation. The installation generates the text and keeps it in a Secret; this module registers
// it in the database. All operations can be repeated.
import { withDatabase } from '#store/admin.ts';
import { ensureNodeKey, expireNodeKey, type NodeKeyState } from './keys.ts';

const AUTHOR = { requestId: 'bootstrap' };

/**
 * Registers the key, unless it is unusable.
 * @param name the name of the key; its nodes report with names of their own
 */
export async function ensureInstallationNodeKey(
  url: string,
  key: { name: string; text: string },
  now: Date,
): Promise<NodeKeyState> {
  return withDatabase(url, (db) => db.transaction((tx) => ensureNodeKey(tx, key, AUTHOR, now)));
}

/** Lets a replaced key expire at `end`, unless it expires earlier. An unknown id has no effect. */
export async function expireInstallationNodeKey(url: string, id: string, end: Date, now: Date): Promise<void> {
  await withDatabase(url, (db) => db.transaction((tx) => expireNodeKey(tx, id, end, AUTHOR, now)));
}
