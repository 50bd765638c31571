// The start page of the console: queries, the time from a change to its answer, changes a day, and the clusters, as
// plots.
import type { FastifyInstance } from 'fastify';
import { requireActor } from '#http/hooks/auth.ts';
import { type Overview, readOverview, SLOT_SECONDS } from '#service/overview/overview.ts';
import type { ConsoleParts } from '../parts.ts';
import { clipText } from '../shell/shown.ts';
import { showPage } from '../shell/views.ts';
import { whenOf } from '../shell/when.ts';
import { barPlot, linePlot, MAX_PLOT_LINES, type Plot } from './plot.ts';
import { computeRates } from './rates.ts';

const RESULTS = ['noerror', 'nxdomain', 'servfail', 'refused', 'other'];

export function overviewPages(app: FastifyInstance, { context }: ConsoleParts): void {
  app.get('/', async (request, reply) => {
    const overview = await readOverview(context, requireActor(request));
    const now = context.now();
    return showPage(request, reply, 'overview/overview', {
      title: 'Overview',
      traffic: overview.nodes === null ? null : plotTraffic(overview.nodes, now),
      changes: plotChanges(overview.days),
      notReady: plotNotReady(overview.clusters),
      clusters: overview.clusters.map((cluster) => ({ ...cluster, heartbeat: whenOf(cluster.lastHeartbeat, now) })),
    });
  });
}

function plotChanges(days: Overview['days']): { plot: Plot; total: number } {
  const plot = barPlot({
    id: 'changes',
    title: 'Changes a day',
    unit: 'changes',
    momentsAre: 'Day (UTC)',
    empty: 'No changes in the last 14 days.',
    moments: days.map(({ day }) => day),
    series: [{ name: 'Changes', values: days.map(({ changes }) => changes) }],
  });
  return { plot, total: days.reduce((sum, { changes }) => sum + changes, 0) };
}

/** Null: no operator tells the numbers. */
function plotNotReady(clusters: Overview['clusters']): Plot | null {
  const countedClusters = clusters.flatMap(({ name, objects }) =>
    objects === null ? [] : [{ name: clipText(name, 20), objects }],
  );
  if (countedClusters.length === 0) return null;
  return barPlot({
    ...{ id: 'not-ready', title: 'Objects that are not Ready', unit: 'objects', momentsAre: 'Cluster' },
    empty: 'All objects are Ready.',
    moments: countedClusters.map(({ name }) => name),
    series: [{ name: 'Not Ready', values: countedClusters.map(({ objects }) => objects.notReady) }],
  });
}

function plotTraffic({ samples, living }: NonNullable<Overview['nodes']>, now: Date) {
  const { slots, byNode, byResult, latency } = computeRates(samples, SLOT_SECONDS, now);
  const moments = slots.map((slot) => `${slot.toISOString().slice(11, 16)}`);
  const shared = { unit: 'queries a second', moments, empty: 'No name server has reported queries yet.' };
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
      linePlot({ ...shared, id: 'by-node', title: 'Queries a second by node', series: toSeries(byNode) }),
      linePlot({ ...shared, id: 'by-result', title: 'Queries a second by result', series: results }),
      linePlot({
        ...{ id: 'latency', title: 'Time from a change to its answer', unit: 'seconds', moments },
        empty: 'No name server has reported a change in the last 24 hours.',
        series: latency.every((value) => value === null) ? [] : [{ name: 'Average of all nodes', values: latency }],
      }),
    ],
  };
}
