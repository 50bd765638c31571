// Endings: revoked keys and trusts, removed members, suspended people, drained clusters. Name servers remember it by
// ids and times, so that a database that is restored to an earlier time can learn which it lost.
import type { Db } from './database.ts';
import { EPOCH } from './feed-changes.ts';
import { statement } from './statement.ts';

export const ENDING_ACTIONS = [
  'key.revoke',
  'trust.revoke',
  'member.remove',
  'user.suspend',
  'user.remove',
  'cluster.drain',
  'cluster.restore',
] as const;
export type EndingAction = (typeof ENDING_ACTIONS)[number];

export interface Ending {
  action: EndingAction;
  /** The id of the key, trust or person, or the name of the cluster. */
  subject: string;
  team: string | null;
  /** ISO 8601 with microseconds, as the database wrote it. */
  at: string;
}

/** Literals, so that the planner can use the index. */
const IS_ENDING = `action in (${ENDING_ACTIONS.map((action) => `'${action}'`).join(', ')})`;
const AT = `to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The version of the endings: it changes with each of them, and with the database. */
export const ENDINGS_VERSION = `(select ${EPOCH} || '/' || coalesce((select max(id) from account_changes where ${IS_ENDING}), 0))`;

const selectEndings = statement<Ending & { id: string }>(`
  select id, action, subject, team_id as team, ${AT} as at from account_changes
  where ${IS_ENDING} and id > $1::bigint and at > statement_timestamp() - interval '35 days' order by id limit $2`);

/** The endings of the last 35 days with a later number. */
export async function endingsAfter(db: Db, id: number, limit: number): Promise<readonly (Ending & { id: string })[]> {
  return selectEndings(db, id, limit);
}

// An ending counts as undone if the history lacks it and its subject is as it was before.
const selectUndone = statement<Ending & { name: string | null; kind: 'key' | 'node key' | null }>(`
  with told as (
    select * from jsonb_to_recordset($1::jsonb) as t(action text, subject text, team text, at text)
  ), lost as (
    select t.* from told t where not exists (select from account_changes c
      where c.action = t.action and c.subject = t.subject and c.at = t.at::timestamptz)
  )
  select l.action, l.subject, l.team, l.at, coalesce(k.name, n.name, r.name, u.email, l.subject) as name,
    case when k.id is not null then 'key' when n.id is not null then 'node key' end as kind
  from lost l
  left join api_keys k on l.action = 'key.revoke' and k.id = l.subject and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > statement_timestamp())
  left join node_keys n on l.action = 'key.revoke' and n.id = l.subject and n.revoked_at is null
    and (n.expires_at is null or n.expires_at > statement_timestamp())
  left join trusts r on l.action = 'trust.revoke' and r.id = l.subject and r.revoked_at is null
  left join memberships m on l.action = 'member.remove' and m.team_id = l.team and m.user_id = l.subject
  left join users u on u.id = l.subject and u.removed_at is null
    and ((l.action = 'user.suspend' and u.suspended_at is null) or l.action = 'user.remove' or m.user_id is not null)
  left join clusters c on l.action in ('cluster.drain', 'cluster.restore') and c.name = l.subject
    and (l.team is null or c.owner = l.team) and (c.drained_at is null) = (l.action = 'cluster.drain')
    and not exists (select from lost later where later.action in ('cluster.drain', 'cluster.restore')
      and later.subject = l.subject and later.team is not distinct from l.team and later.at > l.at)
  where k.id is not null or n.id is not null or r.id is not null or m.user_id is not null or u.id is not null or c.name is not null
  order by l.at, l.action, l.subject`);

/** The endings that the database lost with a restore, and whose subjects are valid again. */
export async function undoneEndings(
  db: Db,
  endings: readonly Ending[],
): Promise<readonly (Ending & { name: string; kind: 'key' | 'node key' | null })[]> {
  const rows = await selectUndone(db, JSON.stringify(endings));
  return rows.map((row) => ({ ...row, name: row.name ?? row.subject }));
}

const selectUsed = statement<{ id: string; name: string; holder: string; isPerson: boolean }>(`
  select k.id, k.name, coalesce(t.name, u.email, '') as holder, k.user_id is not null as "isPerson"
  from api_keys k left join teams t on t.id = k.team_id left join users u on u.id = k.user_id
  where k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())
    and greatest(k.created_at, k.last_used_at, k.rights_changed_at) >= $1::timestamptz
  order by k.id`);

/** The valid API keys and sessions that were made, used or changed since a time. */
export async function keysTouchedSince(
  db: Db,
  since: Date,
): Promise<readonly { id: string; name: string; holder: string; isPerson: boolean }[]> {
  return selectUsed(db, since.toISOString());
}
