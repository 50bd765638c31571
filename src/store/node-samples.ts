// The counters of name servers over the last day, by the minute, for the overview of the console.
import type { Db, Tx } from './database.ts';
import { LIVING_NODES } from './nodes.ts';
import { statement } from './statement.ts';

export interface NodeSample {
  node: string;
  instance: string;
  at: Date;
  /** The answers since the start of the name server, by result. Null: the node did not say. */
  answers: Readonly<Record<string, number>> | null;
  /** The changes of zones that the instance has applied since its first report. */
  applied: number;
  /** The sum of the seconds from each of these changes to its report. */
  appliedSeconds: number;
}

const take = statement(`
  insert into node_samples (node, instance, at, answers, applied, applied_seconds)
  select n.name, n.instance, date_trunc('minute', statement_timestamp()), n.answers, n.applied, n.applied_seconds
  from (${LIVING_NODES}) n on conflict do nothing`);

/** Notes the counters of all living nodes, at most once a minute. */
export async function takeSamples(tx: Tx): Promise<void> {
  await take(tx);
}

const deleteBefore = statement(`
  delete from node_samples where (node, instance, at) in (
    select node, instance, at from node_samples where at < $1 order by at limit $2) returning 1 as one`);

/** Deletes samples that were taken before `before`, at most `limit`. @returns how many */
export async function deleteSamples(tx: Tx, before: Date, limit: number): Promise<number> {
  return (await deleteBefore(tx, before.toISOString(), limit)).length;
}

/** Nodes whose samples are read; the same number have series in the metrics. */
const MAX_NODES = 100;

const select = statement<Omit<NodeSample, 'at' | 'applied'> & { at: string; applied: string }>(`
  select distinct on (s.node, s.instance, slot.at) s.node, s.instance, s.at, s.answers, s.applied, s.applied_seconds as "appliedSeconds"
  from node_samples s cross join lateral (select date_bin($2::float8 * interval '1 second', s.at, 'epoch') as at) slot
  where s.at >= $1::timestamptz and s.node in (select distinct node from node_samples where at >= $1::timestamptz order by node limit ${MAX_NODES})
  order by s.node, s.instance, slot.at, s.at`);

/** The first sample of each slot of time, by node, instance and time. @param slot the length of a slot in seconds */
export async function readSamples(db: Db, since: Date, slot: number): Promise<NodeSample[]> {
  const rows = await select(db, since.toISOString(), slot);
  return rows.map((row) => ({ ...row, at: new Date(row.at), applied: Number(row.applied) }));
}
