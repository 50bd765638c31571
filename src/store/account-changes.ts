// The append-only history of teams, members and keys. Never holds a secret or its hash.
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Db, Tx } from './database.ts';
import { accountChanges } from './tables.ts';

export type AccountAction =
  | 'user.create'
  | 'team.create'
  | 'team.rename'
  | 'member.add'
  | 'member.change'
  | 'member.remove'
  | 'key.mint'
  | 'key.change'
  | 'key.revoke';

export interface AccountChange {
  /** Null where no team is concerned. */
  teamId: string | null;
  /** The key that did it; null: the command line. */
  keyId: string | null;
  action: AccountAction;
  /** Id of the team, person or key that was changed. */
  subject: string;
  before: unknown;
  after: unknown;
  requestId: string;
  at: Date;
}

export async function insertAccountChange(tx: Db | Tx, change: AccountChange): Promise<void> {
  await tx.insert(accountChanges).values(change);
}

/** A team's history, the newest first. @param before only entries older than the one of this id */
export async function accountChangesOf(db: Db, teamId: string, limit: number, before: number | null) {
  return db
    .select()
    .from(accountChanges)
    .where(and(eq(accountChanges.teamId, teamId), before === null ? undefined : lt(accountChanges.id, before)))
    .orderBy(desc(accountChanges.id))
    .limit(limit);
}
