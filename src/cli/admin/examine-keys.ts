// Whether the database has private keys in clear, for `zonestead doctor`.
import { Keyring } from '#base/keyring.ts';
import { checkEncryption } from '#diagnosis/encryption-check.ts';
import type { Finding } from '#diagnosis/finding.ts';
import { adminReadStoredKeys } from '#service/encryption/encrypt.ts';

/** @param url DATABASE_URL @throws if the database does not answer */
export async function examineStoredKeys(url: string): Promise<Finding> {
  const { clear } = await adminReadStoredKeys(url, new Keyring([]));
  return checkEncryption(clear);
}
