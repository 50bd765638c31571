// The name servers that probe addresses, and their votes. The process with the lease reads the votes, and
// no statement here changes the state of an address.
import type { AddressState } from '#base/check-form.ts';
import type { TargetKey } from './check-targets.ts';
import type { Db, Tx } from './database.ts';
import { LIVING_SECONDS } from './nodes.ts';
import { statement } from './statement.ts';

/** The most vantage points that probe; further ones wait until one of them is silent. */
const MAX_VANTAGES = 5;
/** With fewer, the api decides. */
export const LEAST_VANTAGES = 3;

const LIVING = `reported_at > statement_timestamp() - interval '${LIVING_SECONDS} s'`;
/** The vantage points that probe: the oldest of those that report with a valid key. None if there are too few. */
const MEMBERS = `
  select m.* from (
    select v.*, count(*) over () as living, row_number() over (order by v.since, v.key_id) as rank
    from check_vantages v join node_keys k on k.id = v.key_id
    where v.${LIVING} and k.revoked_at is null and (k.expires_at is null or k.expires_at > statement_timestamp())) m
  where m.living >= ${LEAST_VANTAGES} and m.rank <= ${MAX_VANTAGES}`;

export interface Vantage {
  keyId: string;
  session: string;
  /** The last part of votes that was stored. */
  part: number;
  /** How long ago the name server reported, in ms. */
  ageMs: number;
}

const selectMembers = statement<Vantage>(`
  select m.key_id as "keyId", m.session, m.part,
    (extract(epoch from clock_timestamp() - m.reported_at) * 1000)::float8 as "ageMs"
  from (${MEMBERS}) m order by m.rank`);

/** The vantage points that probe, the oldest first. Empty: the api decides. */
export async function listVantages(db: Db): Promise<readonly Vantage[]> {
  return selectMembers(db);
}

// A node that starts again keeps its place. Another node with the same key gets it when this one is silent.
const begin = statement<{ keyId: string }>(`
  insert into check_vantages as v (key_id, node, session, part, since, reported_at)
    values ($1, $2, $3, 0, statement_timestamp(), statement_timestamp())
  on conflict (key_id) do update set node = excluded.node, session = excluded.session, part = 0,
    since = case when v.${LIVING} then v.since else excluded.since end, reported_at = excluded.reported_at
    where v.node = excluded.node or not v.${LIVING}
  returning key_id as "keyId"`);
const dropVotes = statement('delete from check_votes where key_id = $1');

export interface VoteSession {
  keyId: string;
  node: string;
  session: string;
}

/** Begins a session, without votes. @returns false: another node with this key votes */
export async function beginVotes(tx: Tx, { keyId, node, session }: VoteSession): Promise<boolean> {
  if ((await begin(tx, keyId, node, session)).length === 0) return false;
  await dropVotes(tx, keyId);
  return true;
}

const renew = statement<{ part: number }>(`
  update check_vantages set reported_at = statement_timestamp()
  where key_id = $1 and session = $2 and part between $3::integer and $4::integer returning part`);

/**
 * Notes that the name server reports, if the last part that was stored is one of these. Otherwise it lacks votes that
 * the name server counts on, and must not become fresh.
 * @returns the last part that was stored; null if it is not one of these, or if the session does not exist
 */
export async function renewVotes(
  tx: Tx,
  { keyId, session }: VoteSession,
  [from, to]: readonly [number, number],
): Promise<number | null> {
  return (await renew(tx, keyId, session, from, to))[0]?.part ?? null;
}

export interface Vote extends TargetKey {
  probe: string;
  state: AddressState;
  reason: string | null;
}

const setPart = statement('update check_vantages set part = $2::integer where key_id = $1');
// The lock keeps the address until the commit, and omits one that is deleted meanwhile.
const put = statement(`
  insert into check_votes (key_id, owner, check_name, address, probe, state, reason, part)
  select $1, t.owner, t.check_name, t.address, v.probe, v.state, v.reason, $3::integer
  from jsonb_to_recordset($2::jsonb)
      as v (owner text, "checkName" text, address text, probe text, state text, reason text)
    join check_targets t on t.owner = v.owner and t.check_name = v."checkName" and t.address = v.address
  for key share of t
  on conflict (key_id, owner, check_name, address) do update
    set probe = excluded.probe, state = excluded.state, reason = excluded.reason, part = excluded.part`);

/** Stores a part of votes of a session that {@link renewVotes} has locked. Each address is in it once. */
export async function writeVotes(tx: Tx, keyId: string, votes: readonly Vote[], part: number): Promise<void> {
  await put(tx, keyId, JSON.stringify(votes), part);
  await setPart(tx, keyId, part);
}

const selectVotes = statement<Vote>(`
  select owner, check_name as "checkName", address, probe, state, reason from check_votes
  where key_id = $1 and part > $2::integer`);

/** The votes that came in a later part. */
export async function listVotes(db: Db, keyId: string, afterPart: number): Promise<readonly Vote[]> {
  return selectVotes(db, keyId, afterPart);
}

/** How many vantage points say something about an address, and for how many of them it does not work. */
export interface VoteCounts {
  total: number;
  unhealthy: number;
}

const countVotes = statement<VoteCounts & { address: string; probe: string }>(`
  select v.address, v.probe, count(*)::integer as total,
    (count(*) filter (where v.state = 'Unhealthy'))::integer as unhealthy
  from check_votes v join (${MEMBERS}) m on m.key_id = v.key_id
  where v.owner = $1 and v.check_name = $2 and v.state <> 'Unknown'
    and m.reported_at > statement_timestamp() - $3::float8 * interval '1 millisecond'
  group by v.address, v.probe having count(*) >= ${LEAST_VANTAGES}`);

/**
 * The addresses of a check about which enough vantage points say something.
 * @param freshMs a vantage point that was silent for longer does not count
 */
export async function countVotesOf(
  db: Db,
  owner: string,
  checkName: string,
  freshMs: number,
): Promise<readonly (VoteCounts & { address: string; probe: string })[]> {
  return countVotes(db, owner, checkName, freshMs);
}

const dropSilent = statement(`delete from check_vantages where reported_at < now() - interval '1 hour'`);

/** Forgets the name servers that do not probe any more. */
export async function dropSilentVantages(db: Db): Promise<void> {
  await dropSilent(db);
}
