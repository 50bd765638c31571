// The price of an import in the write window of its key. Pure.
import { countBulkWrites } from '#base/bulk-writes.ts';

export interface ImportCost {
  /** Writes of records. */
  writes: number;
  /** The writes that the key may make in 60 seconds. */
  limit: number;
}

/**
 * @param requests the changes of each request.
 * @param limit null: the key has no limit
 * @returns null without a limit
 */
export function countImportCost(requests: readonly number[], limit: number | null): ImportCost | null {
  if (limit === null || limit < 1) return null;
  return { writes: requests.reduce((sum, changes) => sum + countBulkWrites(changes, limit), 0), limit };
}

export function costLine({ writes, limit }: ImportCost): string {
  const minutes = Math.ceil(writes / limit) - 1;
  const time = minutes === 0 ? '' : `, so the import takes at least ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  return `It counts as ${writes} record writes, and the key may make ${limit} in 60 seconds${time}.`;
}
