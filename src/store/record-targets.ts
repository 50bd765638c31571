// The names that records point to: takes the due ones, stores whether they exist, and finds new ones by a walk through
// the index of targets, in small steps that any replica takes. No change of a record waits for this.
import type { Db } from './database.ts';
import { type DueQuery, type OwnedTarget, takesDue } from './due-targets.ts';
import { statement } from './statement.ts';
import { milliseconds } from './times.ts';

/** The last word of the RDATA, and the types that have a target there: the expressions of records_target_idx. */
export const TARGET_OF = `(substring(r.rdata from '[^ ]+$')) collate "C"`;
export const HAS_TARGET = "r.type in ('ALIAS', 'CNAME', 'MX', 'NS', 'SRV')";

/** A target is reported after so many lookups in a row in which it did not exist. */
export const CONFIRMATIONS = 3;

/** The results of lookups of a target. */
export interface KnownTarget {
  /** Lookups in a row in which it did not exist. */
  absences: number;
  /** Lookups without a result in a row. */
  failures: number;
}

export type DueRecordTarget = OwnedTarget & KnownTarget;

const take = takesDue<DueRecordTarget>({
  table: 'record_targets',
  wanted: `select from records r join zones z on z.no = r.zone_no
      where ${TARGET_OF} = a.target and ${HAS_TARGET} and coalesce(z.team_id, z.user_id) = a.owner`,
  returning: 'a.target, a.owner, a.absences, a.failures',
  // A domain is asked for one of its names at a time, for all owners together.
  once: 'domain',
});

/** Takes due targets, at most one of each registrable domain. */
export function takeRecordTargets(db: Db, query: DueQuery): Promise<DueRecordTarget[]> {
  return take(db, query);
}

/** The result of one lookup, as it is stored. */
export interface TargetState extends KnownTarget {
  /** Whether the lookup told whether the target exists. */
  isKnown: boolean;
  /** The name that does not exist; null: it exists, or that is not known. */
  absentName: string | null;
  isDomainAbsent: boolean;
  /** Null after a result. */
  error: string | null;
  /** Until the next lookup, in ms. */
  nextMs: number;
}

const keep = statement(`
  update record_targets set absences = $3::integer, failures = $4::integer, error = $7::text,
    checked_at = case when $8::boolean then now() else checked_at end,
    absent_since = case when $3::integer = 0 then null else coalesce(absent_since, now()) end,
    absent_name = case when $8::boolean then $5::text else absent_name end,
    is_domain_absent = case when $8::boolean then $6::boolean else is_domain_absent end,
    due_at = now() + $9::interval
  where target = $1 and owner = $2`);

export async function keepTargetState(db: Db, { target, owner }: OwnedTarget, state: TargetState): Promise<void> {
  const { absences, failures, absentName, isDomainAbsent, error, isKnown, nextMs } = state;
  await keep(db, target, owner, absences, failures, absentName, isDomainAbsent, error, isKnown, milliseconds(nextMs));
}

const makeWalk = statement('insert into target_walk (one) values ($1) on conflict do nothing');

interface Place {
  target: string;
  zoneNo: number;
}

const takeStep = statement<Place>(`
  update target_walk set due_at = now() + $1::interval where one = (
    select one from target_walk where due_at <= now() for update skip locked)
  returning target, zone_no as "zoneNo"`);

interface FoundTarget extends OwnedTarget, Place {}

const readStep = statement<FoundTarget>(`
  select ${TARGET_OF} as target, r.zone_no as "zoneNo", coalesce(z.team_id, z.user_id) as owner
  from records r join zones z on z.no = r.zone_no
  where ${HAS_TARGET} and (${TARGET_OF}, r.zone_no) > ($1::text collate "C", $2::integer)
  order by ${TARGET_OF}, r.zone_no limit $3::integer`);

const addTargets = statement<{ added: number }>(`
  with added as (
    insert into record_targets (target, owner, domain)
    select * from unnest($1::text[], $2::text[], $3::text[]) on conflict do nothing returning 1
  ) select count(*)::integer as added from added`);

const endStep = statement(
  'update target_walk set target = $1, zone_no = $2::integer, due_at = now() + $3::interval where one = 1',
);

export interface WalkOptions {
  /** Records in one step. */
  rows: number;
  /** Until the next step, and between two walks, in ms. */
  stepMs: number;
  restMs: number;
  leaseMs: number;
  /** The registrable domain of a target; null: the target is not looked up. */
  domainOf(target: string): string | null;
}

/** Takes the next step of the walk if it is due. @returns whether it was; the targets that were new */
export async function walkTargets(db: Db, options: WalkOptions): Promise<{ isDue: boolean; added: number }> {
  const { rows, stepMs, restMs, leaseMs, domainOf } = options;
  await makeWalk(db, 1);
  const [place] = await takeStep(db, milliseconds(leaseMs));
  if (place === undefined) return { isDue: false, added: 0 };
  const found = await readStep(db, place.target, place.zoneNo, rows);
  const targets = new Map<string, OwnedTarget & { domain: string }>();
  for (const { target, owner } of found) {
    const domain = domainOf(target);
    if (domain !== null) targets.set(`${target} ${owner}`, { target, owner, domain });
  }
  const all = [...targets.values()];
  const columns = (['target', 'owner', 'domain'] as const).map((column) => all.map((each) => each[column]));
  const added = all.length === 0 ? 0 : ((await addTargets(db, ...columns))[0]?.added ?? 0);
  const last = found.length < rows ? undefined : found.at(-1);
  await endStep(db, last?.target ?? '', last?.zoneNo ?? 0, milliseconds(last === undefined ? restMs : stepMs));
  return { isDue: true, added };
}

interface TargetCounts {
  exists: number;
  unknown: number;
  /** The target does not exist, although its domain does. */
  name: number;
  domain: number;
}

const count = statement<TargetCounts>(`
  select count(*) filter (where checked_at is not null and absences = 0 and failures = 0)::int as exists,
    count(*) filter (where absences between 1 and ${CONFIRMATIONS - 1} or (absences = 0 and (failures > 0 or checked_at is null)))::int
      as unknown,
    count(*) filter (where absences >= ${CONFIRMATIONS} and not is_domain_absent)::int as name,
    count(*) filter (where absences >= ${CONFIRMATIONS} and is_domain_absent)::int as domain
  from record_targets`);

export async function countRecordTargets(db: Db): Promise<TargetCounts> {
  return (await count(db))[0] ?? { exists: 0, unknown: 0, name: 0, domain: 0 };
}
