// The addresses that checks probe, and what is known about them. A trigger on records makes the rows. One process at a
// time probes: it has the lease, and each statement that it writes asks for the lease once more.
import type { AddressState, DECIDED_STATES } from '#base/check-form.ts';
import type { Db, Tx } from './database.ts';
import { statement } from './statement.ts';
import { epochMs, milliseconds } from './times.ts';
import { zoneMarker } from './zone-marks.ts';

export type TargetState = AddressState;

export interface TargetKey {
  /** Id of the team or person. */
  owner: string;
  checkName: string;
  address: string;
}

/** A person's decision about an address. */
export interface Pin {
  state: (typeof DECIDED_STATES)[number];
  reason: string;
  by: string;
  /** In ms since 1970. */
  until: number;
}

export interface TargetRow extends TargetKey {
  state: TargetState;
  /** Why; null: nothing is known yet. */
  reason: string | null;
  /** In ms since 1970. */
  since: number;
  /** Null: none, or it has ended. */
  pin: Pin | null;
  /** Whether its records are served only if no others are. */
  down: boolean;
}

const COLUMNS = `t.owner, t.check_name as "checkName", t.address, t.state, t.reason, ${epochMs('t.since')} as since, t.down,
  case when t.pin is not null and t.pin_until > now() then json_build_object('state', t.pin, 'reason', t.pin_reason,
    'by', t.pinned_by, 'until', ${epochMs('t.pin_until')}) end as pin`;

const selectOf = statement<TargetRow>(`
  select * from (
    select ${COLUMNS} from check_targets t where t.owner = $1 and t.check_name = any($2::text[])
    order by (t.state = 'Unhealthy' or coalesce(t.pin_until > now(), false)) desc, t.check_name, t.address limit $3::integer
  ) chosen order by "checkName", address`);

/** The addresses of some checks of one owner, at most `limit`: those that fail or are pinned before the others. */
export async function listTargets(
  on: Db | Tx,
  owner: string,
  checkNames: readonly string[],
  limit: number,
): Promise<readonly TargetRow[]> {
  return selectOf(on, owner, checkNames, limit);
}

const selectOne = statement<TargetRow>(`
  select ${COLUMNS} from check_targets t where t.owner = $1 and t.check_name = $2 and t.address = $3`);

/** @returns null: no record has the address and the check */
export async function findTarget(tx: Tx, { owner, checkName, address }: TargetKey): Promise<TargetRow | null> {
  return (await selectOne(tx, owner, checkName, address))[0] ?? null;
}

const selectAll = statement<TargetRow & { definition: unknown }>(`
  select ${COLUMNS}, c.definition
  from check_targets t join checks c on c.owner = t.owner and c.name = t.check_name
  order by t.created_at, t.owner, t.check_name, t.address`);

/** All addresses with their checks, the oldest first, for the process that probes. */
export async function allTargets(db: Db): Promise<readonly (TargetRow & { definition: unknown })[]> {
  return selectAll(db);
}

const selectVersion = statement<{ version: string }>(`
  select concat_ws(' ', (select count(*) from check_targets), (select max(created_at) from check_targets),
    (select count(*) from checks), (select max(updated_at) from checks)) as version`);

/**
 * Changes when an address or a check is added, removed or changed. Two changes whose transactions overlap can look
 * like one, so the whole list is read now and then as well.
 */
export async function targetsVersion(db: Db): Promise<string> {
  return (await selectVersion(db))[0]?.version ?? '';
}

// The delay spares a row whose record is about to be committed.
const drop = statement(`
  delete from check_targets t where t.created_at < now() - interval '1 minute' and not exists (
    select from records r join zones z on z.no = r.zone_no
    where r.health is not null and r.health ->> 'check' = t.check_name and r.rdata = t.address
      and coalesce(z.team_id, z.user_id) = t.owner)`);

/** Removes the addresses that no record has any more. */
export async function dropUnwantedTargets(db: Db): Promise<void> {
  await drop(db);
}

const takeLease = statement<{ holder: string }>(`
  insert into check_lease (holder, until) values ($1, clock_timestamp() + $2::interval)
  on conflict (one) do update set holder = excluded.holder, until = excluded.until
    where check_lease.holder = excluded.holder or check_lease.until < clock_timestamp()
  returning holder`);
const endLease = statement('delete from check_lease where holder = $1');

/** Takes or renews the right to probe. @returns whether this process has it */
export async function takeCheckLease(db: Db, holder: string, forMs: number): Promise<boolean> {
  return (await takeLease(db, holder, milliseconds(forMs))).length > 0;
}

export async function giveCheckLease(db: Db, holder: string): Promise<void> {
  await endLease(db, holder);
}

const IS_PINNED = 'pin is not null and pin_until > now()';
const DOWN = `case when ${IS_PINNED} then pin = 'Unhealthy' else $5 = 'Unhealthy' end`;
const keep = statement<{ mark: string | null }>(`
  update check_targets t set state = $5, reason = $6, since = case when t.state = $5 then t.since else now() end,
    down = ${DOWN}, unmarked_since = case when t.down <> (${DOWN}) then clock_timestamp() else t.unmarked_since end
  where t.owner = $1 and t.check_name = $2 and t.address = $3
    and exists (select from check_lease l where l.holder = $4 and l.until > clock_timestamp())
  returning t.unmarked_since::text as mark`);

/**
 * Stores what the probes say about an address.
 * @param holder the process, which must have the lease
 * @returns the mark of a change for {@link markTarget}; null: answers stay as they are; false: the lease is lost, or no
 * record has the address any more
 */
export async function writeTargetState(
  db: Db,
  { owner, checkName, address }: TargetKey,
  holder: string,
  { state, reason }: { state: TargetState; reason: string | null },
): Promise<string | null | false> {
  const [row] = await keep(db, owner, checkName, address, holder, state, reason);
  return row === undefined ? false : row.mark;
}

const setPin = statement<TargetRow & { mark: string | null }>(`
  update check_targets t set pin = $4, pin_reason = $5, pinned_by = $6, pin_until = $7::timestamptz,
    down = coalesce($4, t.state) = 'Unhealthy',
    unmarked_since = case when t.down <> (coalesce($4, t.state) = 'Unhealthy') then clock_timestamp() else t.unmarked_since end
  where t.owner = $1 and t.check_name = $2 and t.address = $3
  returning ${COLUMNS}, t.unmarked_since::text as mark`);

/** @param pin null: ends the pin. @returns null: no check has such an address */
export async function writePin(
  tx: Tx,
  { owner, checkName, address }: TargetKey,
  pin: Pin | null,
): Promise<(TargetRow & { mark: string | null }) | null> {
  const until = pin === null ? null : new Date(pin.until).toISOString();
  const values = [pin?.state ?? null, pin?.reason ?? null, pin?.by ?? null, until];
  return (await setPin(tx, owner, checkName, address, ...values))[0] ?? null;
}

const endPins = statement(`
  update check_targets t set pin = null, pin_reason = null, pinned_by = null, pin_until = null,
    down = t.state = 'Unhealthy',
    unmarked_since = case when t.down <> (t.state = 'Unhealthy') then clock_timestamp() else t.unmarked_since end
  where t.pin_until <= now()`);

/** Ends the pins whose time has passed. */
export async function endPastPins(db: Db): Promise<void> {
  await endPins(db);
}

const markZones = zoneMarker(`r.health is not null and r.health ->> 'check' = $4 and r.rdata = $5`);
const endMark = statement(`
  update check_targets set unmarked_since = null
  where owner = $1 and check_name = $2 and address = $3 and unmarked_since = $4::timestamptz`);

/**
 * Marks the zones that serve an address as changed.
 * @param mark the result of the write
 * @throws SQLSTATE 55P03 if a zone stays locked; {@link unmarkedCheckTargets} has the address then
 */
export async function markTarget(
  db: Db,
  { owner, checkName, address }: TargetKey,
  mark: string,
  nowSeconds: number,
): Promise<number> {
  const total = await markZones(db, owner, nowSeconds, checkName, address);
  await endMark(db, owner, checkName, address, mark);
  return total;
}

const selectUnmarked = statement<TargetKey & { mark: string }>(`
  select owner, check_name as "checkName", address, unmarked_since::text as mark from check_targets
  where unmarked_since <= clock_timestamp() - $1::interval order by unmarked_since limit 100`);

/** Addresses whose zones are not completely marked for `olderMs`, because a process ended or a zone stayed locked. */
export async function unmarkedCheckTargets(
  db: Db,
  olderMs: number,
): Promise<readonly (TargetKey & { mark: string })[]> {
  return selectUnmarked(db, milliseconds(olderMs));
}

const selectAny = statement<{ any: boolean }>('select exists (select from checks) as any');

/** Most installations have no check, and the statement costs little. */
export async function hasChecks(db: Db): Promise<boolean> {
  return (await selectAny(db))[0]?.any === true;
}

const countStates = statement<{ state: TargetState; count: number }>(
  'select state, count(*)::integer as count from check_targets group by state',
);

export async function countTargetStates(db: Db): Promise<Readonly<Record<TargetState, number>>> {
  const rows = await countStates(db);
  const count = (state: TargetState) => rows.find((row) => row.state === state)?.count ?? 0;
  return { Unknown: count('Unknown'), Healthy: count('Healthy'), Unhealthy: count('Unhealthy') };
}
