// Names of deleted zones, which for some time only their former owner can use again.
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';

interface NameOwner {
  teamId: string | null;
  userId: string | null;
}

/**
 * Names that one owner keeps in quarantine at most, the newest. It bounds how many names an owner can hold by making
 * zones and deleting them.
 */
const NAMES_OF_OWNER = 1_000;

const insertName = statement(`
  insert into quarantined_names (name, tree, team_id, user_id, until) values ($1, $2, $3, $4, $5)
  on conflict (name) do update set team_id = excluded.team_id, user_id = excluded.user_id, until = excluded.until`);
const dropOldest = statement(`
  delete from quarantined_names where name in (select name from quarantined_names
    where team_id is not distinct from $1 and user_id is not distinct from $2 order by until desc offset ${NAMES_OF_OWNER})`);

/** @param tree the name in its tree form */
export async function quarantineName(
  tx: Tx,
  { name, tree }: { name: string; tree: string },
  { teamId, userId }: NameOwner,
  until: Date,
): Promise<void> {
  await insertName(tx, name, tree, teamId, userId, until.toISOString());
  await dropOldest(tx, teamId, userId);
}

const selectForeign = statement<{ until: string }>(`
  select until from (
    select until, team_id, user_id from quarantined_names where name = any($1::text[])
    union all
    select until, team_id, user_id from quarantined_names where tree > $2 and tree < $3) names
  where until > $4::timestamptz and (team_id is distinct from $5 or user_id is distinct from $6)
  order by until desc limit 1`);

/** Until when a name is kept for another owner, because it is, or lies above or below, such a name; null: it is not. */
export async function keptForOthers(
  tx: Tx,
  { suffixes, tree }: { suffixes: string[]; tree: string },
  { teamId, userId }: NameOwner,
  now: Date,
): Promise<Date | null> {
  const [row] = await selectForeign(tx, suffixes, `${tree} `, `${tree}!`, now.toISOString(), teamId, userId);
  return row ? new Date(row.until) : null;
}

const deleteName = statement<{ teamId: string | null }>(
  'delete from quarantined_names where name = $1 returning team_id as "teamId"',
);

/** @returns the team that the name was kept for (null: a person), or undefined when it was not in quarantine */
export async function releaseQuarantinedName(db: Db | Tx, name: string): Promise<string | null | undefined> {
  return (await deleteName(db, name))[0]?.teamId;
}

const deleteEnded = statement<{ name: string }>(`
  delete from quarantined_names where name in (select name from quarantined_names where until < $1 order by until limit $2)
  returning name`);

/** @returns how many names were deleted, at most `limit` */
export async function dropEndedNames(db: Db | Tx, now: Date, limit: number): Promise<number> {
  return (await deleteEnded(db, now.toISOString(), limit)).length;
}
