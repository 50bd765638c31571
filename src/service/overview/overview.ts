// The figures of the start page of the console. The counters of name servers are totals of all tenants, so only people
// whose teams own every zone of the service see them.
import { hasOtherZones, readDays } from '#store/change-days.ts';
import { type NodeSample, readSamples } from '#store/node-samples.ts';
import { behindSince, livingRows } from '#store/nodes.ts';
import { readZoneTotals } from '#store/zone-totals.ts';
import { type Actor, teamsOfActor } from '../accounts/actor.ts';
import { type ClusterView, readClusters } from '../clusters/clusters.ts';
import type { ServiceContext } from '../context.ts';

export type { NodeSample } from '#store/node-samples.ts';

export interface Overview {
  /** Null: other tenants have zones here. */
  nodes: { samples: NodeSample[]; living: number; late: string[] } | null;
  /** The zones of the person and of the person's teams, and their records. */
  totals: { zones: number; records: number };
  /** The changes of zones and records by day in UTC, the oldest first. Counted a few minutes later. */
  days: { day: string; changes: number }[];
  clusters: ClusterView[];
}

/** Days that are shown, with today. */
const DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** The length of a slot of the samples, in seconds. */
export const SLOT_SECONDS = 15 * 60;

/** The figures of the zones and clusters of a person and of the person's teams. */
export async function readOverview(context: ServiceContext, actor: Actor): Promise<Overview> {
  const { db } = context;
  const now = context.now();
  const owners = [...teamsOfActor(actor), ...(actor.user === null ? [] : [actor.user.id])];
  const [totals, days, clusters, isShared] = await Promise.all([
    readZoneTotals(db, teamsOfActor(actor), actor.user?.id ?? null),
    readDays(db, owners, new Date(now.getTime() - (DAYS - 1) * DAY_MS)),
    readClusters(context, actor, undefined),
    hasOtherZones(db, owners),
  ]);
  return { totals, days: allDays(days, now), clusters, nodes: isShared ? null : await readNodes(context, now) };
}

async function readNodes({ db }: ServiceContext, now: Date): Promise<NonNullable<Overview['nodes']>> {
  const [samples, livingNodes, lateNodes] = await Promise.all([
    readSamples(db, new Date(now.getTime() - DAY_MS), SLOT_SECONDS),
    livingRows(db),
    behindSince(db),
  ]);
  const [living, late] = [livingNodes, lateNodes].map((rows) => [...new Set(rows.map(({ node }) => node))]);
  return { samples, living: living?.length ?? 0, late: late ?? [] };
}

function allDays(knownDays: Overview['days'], now: Date): Overview['days'] {
  const changes = new Map(knownDays.map((each) => [each.day, each.changes]));
  return Array.from({ length: DAYS }, (_, at) => {
    const day = new Date(now.getTime() - (DAYS - 1 - at) * DAY_MS).toISOString().slice(0, 10);
    return { day, changes: changes.get(day) ?? 0 };
  });
}
