// The start page of the console: whether everything is live, the newest changes, and then plots of queries, of the time
// from a change to its answer, and of changes per day.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { readFailingChecks } from '#service/checks/checks.ts';
import { readDanglingNames, SUMMARIZED } from '#service/dangling/list.ts';
import { readKeyNames } from '#service/keys/names.ts';
import { type Overview, readOverview, SLOT_SECONDS } from '#service/overview/overview.ts';
import { readRecentChanges } from '#service/overview/recent.ts';
import { readZoneList } from '#service/zones/list.ts';
import { readDelegation } from '#service/zones/zones.ts';
import type { ConsoleParts } from '../parts.ts';
import { showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { listAttention, listTiles, listWithoutDelegation } from './attention.ts';
import { barPlot, linePlot, MAX_PLOT_LINES, type Plot } from './plot.ts';
import { computeRates } from './rates.ts';
import { listRecent } from './recent.ts';

const RESULTS = ['noerror', 'nxdomain', 'servfail', 'refused', 'other'];

/** The zones of which the page asks the parent, and how long it waits for all of them, in ms. */
const MAX_CHECKED = 50;
const CHECK_MS = 3_000;

export function overviewPages(app: FastifyInstance, { context }: ConsoleParts): void {
  const isChecked = context.delegation?.look != null;

  app.get('/', async (request, reply) => {
    const actor = requireActor(request);
    const [overview, zones] = [await readOverview(context, actor), await readRecentChanges(context, actor)];
    const keyIds = zones.flatMap(({ changes }) => changes.map(({ keyId }) => keyId));
    const { danglingNames } = await readDanglingNames(context, actor, { limit: SUMMARIZED });
    const failingChecks = await readFailingChecks(context, actor);
    const now = context.now();
    return showPage(request, reply, 'overview/overview', {
      title: 'Overview',
      tiles: listTiles(overview),
      hasZones: overview.totals.zones > 0,
      attention: listAttention(overview, [], danglingNames, failingChecks),
      isOpen: isChecked && overview.totals.zones > 0,
      recent: listRecent(zones, await readKeyNames(context, keyIds), now),
      traffic: overview.nodes === null ? null : plotTraffic(overview.nodes, now),
      changes: plotChanges(overview.days),
      clusters: overview.clusters.map((cluster) => ({ ...cluster, heartbeat: whenOf(cluster.lastHeartbeat, now) })),
    });
  });

  // The page asks for this after it is shown, because parent zones may be slow.
  app.get('/attention', async (request, reply) => {
    const actor = requireActor(request);
    const query = { text: '', state: undefined, owner: undefined, order: 'name', descending: false, page: 1 } as const;
    const { zones } = await readZoneList(context, actor, { ...query, limit: MAX_CHECKED });
    const late = new AbortController();
    const timeout = sleep(CHECK_MS, null, { signal: late.signal }).catch(() => null);
    const checkedZones = await Promise.all(
      zones.map(async ({ id, zoneName }) => ({
        ...{ id, zoneName },
        delegation: await Promise.race([readDelegation(context, actor, id).catch(() => null), timeout]),
      })),
    ).finally(() => late.abort());
    const { danglingNames } = await readDanglingNames(context, actor, { limit: SUMMARIZED });
    const failingChecks = await readFailingChecks(context, actor);
    const attention = listAttention(await readOverview(context, actor), checkedZones, danglingNames, failingChecks);
    const withoutDelegation = listWithoutDelegation(checkedZones).length;
    return showPage(request, reply, 'overview/attention', {
      title: 'Attention',
      attention,
      withoutDelegation,
      isOpen: false,
    });
  });
}

function plotChanges(days: Overview['days']): { plot: Plot; total: number } {
  const plot = barPlot({
    id: 'changes',
    title: 'Changes per day',
    unit: 'changes',
    momentsAre: 'Day (UTC)',
    empty: 'No changes in the last 14 days.',
    moments: days.map(({ day }) => day),
    series: [{ name: 'Changes', values: days.map(({ changes }) => changes) }],
  });
  return { plot, total: days.reduce((sum, { changes }) => sum + changes, 0) };
}

function plotTraffic({ samples, living }: NonNullable<Overview['nodes']>, now: Date) {
  const { slots, byNode, byResult, latency } = computeRates(samples, SLOT_SECONDS, now);
  const moments = slots.map((slot) => `${slot.toISOString().slice(11, 16)}`);
  const shared = { unit: 'queries per second', moments, empty: 'No name server has reported queries yet.' };
  const toSeries = (series: typeof byNode) => [...series].map(([name, values]) => ({ name, values }));
  // A result that no query had gets no line.
  const results = RESULTS.flatMap((result) => {
    const values = byResult.get(result);
    return values?.some((value) => value !== null && value > 0) ? [{ name: result.toUpperCase(), values }] : [];
  });
  return {
    living,
    hidden: Math.max(0, byNode.size - MAX_PLOT_LINES),
    plots: [
      linePlot({ ...shared, id: 'by-node', title: 'Queries per second by node', series: toSeries(byNode) }),
      linePlot({ ...shared, id: 'by-result', title: 'Queries per second by result', series: results }),
      linePlot({
        ...{ id: 'latency', title: 'Propagation time', unit: 'seconds', moments },
        empty: 'No name server has reported a change in the last 24 hours.',
        series: latency.every((value) => value === null) ? [] : [{ name: 'Average of all nodes', values: latency }],
      }),
    ],
  };
}
