// Rows of the transfer plan: which nodes have a slot, and which of them is the source. Times are those of the database.
import type { Db, Tx } from './database.ts';
import { EPOCH } from './feed-changes.ts';
import { LIVING_NODES } from './nodes.ts';
import type { SecondaryBehind } from './secondary-tables.ts';
import { statement } from './statement.ts';

export interface Plan {
  /** Digits. */
  version: string;
  source: string | null;
  generation: number;
}

const lockedPlan = statement<Plan>('select version::text, source, generation from transfer_plan for update');
const plan = statement<Plan>('select version::text, source, generation from transfer_plan');

/** Locks the plan until the transaction ends: replicas decide one after another. */
export async function lockPlan(tx: Tx): Promise<Plan> {
  return (await lockedPlan(tx))[0] as Plan;
}

export async function readPlan(db: Db | Tx): Promise<Plan> {
  return (await plan(db))[0] as Plan;
}

export const writePlan = statement(
  'update transfer_plan set version = version + 1, source = $1, generation = $2::integer',
);

export interface PlanNode {
  name: string;
  /** Null: none yet. */
  slot: number | null;
  isLiving: boolean;
  /** Whether it has applied the list of all zones. */
  isListed: boolean;
}

/** Every node that is not forgotten, and every one that has a slot; those that began first come first. */
export const planNodes = statement<PlanNode>(`
  select coalesce(n.name, t.node) as name, t.slot, coalesce(bool_or(l.name is not null), false) as "isLiving",
    coalesce(bool_or(l.cursor is not null), false) as "isListed"
  from nodes n left join (${LIVING_NODES}) l on l.name = n.name and l.instance = n.instance
  full join transfer_slots t on t.node = n.name
  group by 1, 2 order by min(n.first_at), 1`);

/** Names that no report is remembered of. */
export const freeSlots = statement<{ node: string }>(
  'delete from transfer_slots t where not exists (select from nodes n where n.name = t.node) returning node',
);

export const giveSlot = statement('insert into transfer_slots (node, slot) values ($1, $2::integer)');

const slot = statement<{ slot: number }>('select slot from transfer_slots where node = $1');

export async function findSlot(db: Db | Tx, node: string): Promise<number | null> {
  return (await slot(db, node))[0]?.slot ?? null;
}

export interface SecondaryReport {
  secondary: string;
  zones: number;
  current: number;
  silent: string | null;
  behind: readonly SecondaryBehind[];
  /** The transactions that the node had applied. Null: it did not say. */
  position: { epoch: string; snapshot: string } | null;
}

/**
 * Reports of a node that is not the source, and of secondaries that are gone, change nothing. A position in another
 * database means nothing here.
 */
const insertReport = statement(`
  insert into secondary_reports (secondary, node, zones, current, silent, behind, position, at)
  select s.name, $2, $3::integer, $4::integer, $5, $6::jsonb, case when $7 = ${EPOCH} then $8::pg_snapshot end,
    statement_timestamp() from secondaries s, transfer_plan p
  where s.name = $1 and p.source = $2
  on conflict (secondary) do update set node = excluded.node, zones = excluded.zones, current = excluded.current,
    silent = excluded.silent, behind = excluded.behind, position = excluded.position, at = excluded.at`);

export async function writeSecondaryReport(db: Db | Tx, node: string, report: SecondaryReport): Promise<void> {
  const { secondary, zones, current, silent, position } = report;
  const [behind, epoch, snapshot] = [
    JSON.stringify(report.behind),
    position?.epoch ?? null,
    position?.snapshot ?? null,
  ];
  await insertReport(db, secondary, node, zones, current, silent, behind, epoch, snapshot);
}

export interface StoredReport {
  secondary: string;
  node: string;
  zones: number;
  current: number;
  silent: string | null;
  behind: SecondaryBehind[];
  at: string;
}

export const secondaryStates = statement<StoredReport>(
  'select secondary, node, zones, current, silent, behind, at from secondary_reports order by secondary',
);
