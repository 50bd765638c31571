// The history of keys and trusts that have a right again, because a zone was restored.
import { insertAccountChange } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { type ReturnedGrants, readGrants } from '#store/deleted-zones.ts';
import type { ZoneRow } from '#store/zones.ts';
import { accountHistory } from '../accounts/account.ts';
import type { Caller } from '../context.ts';

/** Writes one entry for each key and trust, with its grants before and after. */
export async function recordGrants(
  tx: Tx,
  caller: Caller,
  { id: zoneId, teamId }: Pick<ZoneRow, 'id' | 'teamId'>,
  returnedGrants: ReturnedGrants,
  now: Date,
): Promise<void> {
  for (const [kind, action] of [
    ['keys', 'key.change'],
    ['trusts', 'trust.change'],
  ] as const) {
    const ids = returnedGrants[kind].map(({ id }) => id);
    for (const { id: subject, grants } of await readGrants(tx, kind, ids)) {
      const before = { grants: grants.filter((grant) => grant.zoneId !== zoneId) };
      await insertAccountChange(tx, {
        action,
        subject,
        before,
        after: { grants },
        ...accountHistory(caller, teamId, now),
      });
    }
  }
}
