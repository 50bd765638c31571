// The append-only history of teams, members and keys. Never holds a secret or its hash.
import type { Db, Tx } from './database.ts';
import { historyPages } from './history-pages.ts';
import { accountChanges } from './tables.ts';

type AccountAction =
  | 'user.create'
  | 'user.change'
  | 'user.link'
  | 'user.suspend'
  | 'user.resume'
  | 'user.remove'
  | 'team.create'
  | 'team.rename'
  | 'team.bind'
  | 'team.quota'
  | 'name.release'
  | 'cluster.drain'
  | 'cluster.restore'
  | 'cluster.release'
  | 'cluster.remove'
  | 'invitation.create'
  | 'invitation.revoke'
  | 'invitation.decline'
  | 'member.add'
  | 'member.change'
  | 'member.remove'
  | 'key.mint'
  | 'key.change'
  | 'key.revoke'
  | 'trust.create'
  | 'trust.change'
  | 'trust.revoke'
  | 'trust.accept';

export interface AccountChange {
  /** Null where no team is concerned. */
  teamId: string | null;
  /** The key that did it; null: the command line. */
  keyId: string | null;
  action: AccountAction;
  /** Id of the team, person, invitation, key or trust that was changed. */
  subject: string;
  before: unknown;
  after: unknown;
  requestId: string;
  at: Date;
}

export async function insertAccountChange(tx: Db | Tx, change: AccountChange): Promise<void> {
  await tx.insert(accountChanges).values(change);
}

type Found = Omit<AccountChange, 'at'> & { id: string; at: string };

const pageOf = historyPages<Found>(
  'account_changes',
  'id, team_id as "teamId", key_id as "keyId", action, subject, before, after, request_id as "requestId", at',
  'c.team_id = $1',
);

/** A page of a team's history, the newest first; see history-pages.ts for its bounds. @param before only entries older than this one */
export async function accountChangesOf(
  db: Db,
  teamId: string,
  limit: number,
  before: number | null,
): Promise<{ entries: (Omit<Found, 'at'> & { at: Date })[]; more: boolean }> {
  const { rows, more } = await pageOf(db, teamId, limit, before);
  return { entries: rows.map((row) => ({ ...row, at: new Date(row.at) })), more };
}
