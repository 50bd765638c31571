// The signals of monitors about the addresses of checks of the type `signal`. A signal counts until its end. One for an
// address counts there instead of the one for all addresses, whose row has an empty address. The checker compares the
// states of addresses with them (service/checks/checker.ts), so no row of an address is written here.
import type { DECIDED_STATES } from '#base/check-form.ts';
import type { TargetKey, TargetState } from './check-targets.ts';
import type { Db, Tx } from './database.ts';
import { isValidAt } from './keys.ts';
import { statement } from './statement.ts';
import { epochMs } from './times.ts';

/** The address of a signal for all addresses of the check. */
export const ALL_ADDRESSES = '';

export interface Signal {
  state: (typeof DECIDED_STATES)[number];
  /** Why, as a line of text. */
  reason: string;
}

export interface LastingSignal extends Signal {
  /** {@link ALL_ADDRESSES}, or one. */
  address: string;
  /** In ms since 1970. */
  until: number;
}

const LASTS = 'owner = $1 and check_name = $2 and address = $3::text and until > now()';
const END = "now() + $6::integer * interval '1 second'";

// A monitor may repeat its signal as often as it likes: an end that moves by less than a second is not written.
const extend = statement<{ until: number }>(`
  with lasting as (
    select until from check_signals where ${LASTS} and state = $4::text and reason = $5::text
      and exists (select from api_keys k where k.id = $7 and ${isValidAt('now()')})),
  moved as (
    update check_signals set until = ${END} where ${LASTS} and state = $4::text and reason = $5::text
      and exists (select from lasting l where abs(extract(epoch from l.until - (${END}))) >= 1) returning until)
  select ${epochMs('coalesce((select until from moved), until)')} as until from lasting`);

/**
 * Moves the end of a signal that lasts and says the same.
 * @param keyId the key that sends it, which must be valid
 * @returns the end, in ms since 1970; null: no such signal lasts, or the key is not valid
 */
export async function extendSignal(
  db: Db,
  { owner, checkName, address }: TargetKey,
  { state, reason }: Signal,
  { seconds, keyId }: { seconds: number; keyId: string },
): Promise<number | null> {
  return (await extend(db, owner, checkName, address, state, reason, seconds, keyId))[0]?.until ?? null;
}

// The join makes Postgres read the row before the update, which would hide it.
const put = statement<{ until: number; before: Signal | null }>(`
  with before as (select state, reason from check_signals where ${LASTS} for update)
  insert into check_signals (owner, check_name, address, state, reason, until)
    select c.owner, c.name, $3::text, $4::text, $5::text, ${END} from checks c left join before on true
    where c.owner = $1 and c.name = $2 and c.definition ->> 'type' = 'signal'
      and ($3::text = '' or exists (select from check_targets t where t.owner = $1 and t.check_name = $2 and t.address = $3))
  on conflict (owner, check_name, address) do update
    set state = excluded.state, reason = excluded.reason, until = excluded.until
  returning ${epochMs('until')} as until, (select to_json(b) from before b) as before`);

/**
 * Writes a signal.
 * @returns its end in ms since 1970, and the signal that lasted before; null: the check is not of the type `signal`, or
 * has no such address
 */
export async function writeSignal(
  tx: Tx,
  { owner, checkName, address }: TargetKey,
  { state, reason }: Signal,
  seconds: number,
): Promise<{ until: number; before: Signal | null } | null> {
  return (await put(tx, owner, checkName, address, state, reason, seconds))[0] ?? null;
}

const selectOf = statement<LastingSignal>(`
  select address, state, reason, ${epochMs('until')} as until from check_signals
  where owner = $1 and check_name = $2 and until > now() order by address limit $3::integer`);

/** The signals of a check that last: first that for all addresses. */
export async function listSignals(
  db: Db,
  owner: string,
  checkName: string,
  limit: number,
): Promise<readonly LastingSignal[]> {
  return selectOf(db, owner, checkName, limit);
}

// The empty address comes before all others.
const selectUnequal = statement<TargetKey & { state: TargetState; reason: string }>(`
  select t.owner, t.check_name as "checkName", t.address, coalesce(s.state, 'Unknown') as state,
    coalesce(s.reason, $1::text) as reason
  from checks c join check_targets t on t.owner = c.owner and t.check_name = c.name
    left join lateral (select g.state, g.reason from check_signals g
      where g.owner = t.owner and g.check_name = t.check_name and g.address in ('', t.address) and g.until > now()
      order by g.address desc limit 1) s on true
  where c.definition ->> 'type' = 'signal'
    and (t.state <> coalesce(s.state, 'Unknown') or t.reason is distinct from coalesce(s.reason, $1::text))`);

/**
 * The addresses whose state or reason is not that of their signal.
 * @param withoutSignal the reason of an address without a signal, whose state is Unknown
 */
export async function unequalSignals(
  db: Db,
  withoutSignal: string,
): Promise<readonly (TargetKey & { state: TargetState; reason: string })[]> {
  return selectUnequal(db, withoutSignal);
}

const dropOf = statement('delete from check_signals where owner = $1 and check_name = $2');
const dropPast = statement('delete from check_signals where until <= now()');

/** Forgets the signals of a check that is probed from now on. */
export async function dropSignals(tx: Tx, owner: string, checkName: string): Promise<void> {
  await dropOf(tx, owner, checkName);
}

/** Removes the signals that have ended. */
export async function dropPastSignals(db: Db): Promise<void> {
  await dropPast(db);
}
