// The state of an installation before an upgrade, for an administrator, over the database.
import { withDatabase } from '#store/admin.ts';
import { readUpgrade, type UpgradeRow } from '#store/upgrade.ts';

export type { UpgradeRow };

/** @throws if the database does not answer, or was never migrated */
export function adminReadUpgrade(url: string): Promise<UpgradeRow> {
  return withDatabase(url, readUpgrade);
}
