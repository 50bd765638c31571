// The append-only history of teams, members and keys. Never holds a secret or its hash.
import { columns, type Plain } from './column-lists.ts';
import type { Db, Tx } from './database.ts';
import { historyPages } from './history-pages.ts';
import type { AccountAction } from './history-tables.ts';
import { accountChanges } from './tables.ts';

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
  await tx.build.insert(accountChanges).values(change);
}

const pastColumns = columns(accountChanges, [
  'id',
  'teamId',
  'keyId',
  'action',
  'subject',
  'before',
  'after',
  'requestId',
  'at',
]);

type PastAccountChange = AccountChange & { id: string };

const readPage = historyPages<Plain<AccountChange> & { id: string }>(
  'account_changes',
  pastColumns.list,
  'c.team_id = $1',
);

/**
 * A page of a team's history, the newest first; see history-pages.ts for its bounds.
 * @param before only entries older than this one
 */
export async function listAccountChanges(
  db: Db,
  teamId: string,
  limit: number,
  before: number | null,
): Promise<{ entries: PastAccountChange[]; more: boolean }> {
  const { rows, more } = await readPage(db, teamId, limit, before);
  return { entries: rows.map((row) => ({ ...pastColumns.read(row), id: row.id })), more };
}
