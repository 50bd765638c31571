// A name server that reads slowly, over a real connection: the memory that waits for it is bounded, and it gets
// everything in the end.
import Fastify from 'fastify';
import { afterAll, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { openOutlet } from '#http/hooks/outlet.ts';
import { createCommits } from '#service/nodes/commits.ts';
import { createHub } from '#service/nodes/hub.ts';
import { createFeedMetrics } from '#service/nodes/metrics.ts';
import { MAX_WAITING, type Outlet } from '#service/nodes/outlet.ts';
import { limitWork } from '#service/permits.ts';
import { createLogger } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { openFeed } from '../../../support/feed/feed-reader.ts';
import { createMemorySource } from '../../../support/feed/memory-source.ts';

const source = createMemorySource();
const commits = createCommits();
const hub = createHub({
  source,
  clock: realClock,
  log: createLogger({ name: 'feed', level: 'silent' }),
  metrics: createFeedMetrics(createMetrics({ processMetrics: false })),
  commits,
  reads: limitWork({ total: 2, share: 2, waiting: 10, waitMs: 1_000, work: 'tests' }),
  validKeys: async (ids) => new Set(ids),
});
const outlets: Outlet[] = [];
const app = Fastify();
app.get<{ Querystring: { node: string } }>('/v1/feed', async (request, reply) => {
  await hub.open({ after: null, understands: 1, node: request.query.node, keyId: 'key' }, () => {
    const outlet = openOutlet(reply, 'application/x-ndjson');
    outlets.push(outlet);
    return outlet;
  });
  return reply;
});
app.addHook('preClose', () => hub.close());
const url = await app.listen({ host: '127.0.0.1', port: 0 });
afterAll(() => app.close());

test('the memory for a slow reader is bounded, others do not wait for it, and it gets the last state of every name', async () => {
  const [slow, fast] = [await openFeed(url, 'k', { node: 'slow' }), await openFeed(url, 'k', { node: 'fast' })];
  for (const reader of [slow, fast]) await reader.until(({ kind }) => kind === 'list-end');
  slow.pause();
  const names = Array.from({ length: 1_000 }, (_, at) => `${'x'.repeat(60)}${at}`);
  let most = 0;
  // About 20 MB; the kernel keeps a few of them.
  for (let turn = 1; turn <= 120; turn += 1) {
    source.change('zone', names, `192.0.2.${turn}`);
    commits.announce();
    await fast.until((line) => line.kind === 'change' && line.serial >= 100 + turn);
    most = Math.max(most, ...outlets.map((outlet) => outlet.waiting()));
  }
  expect(most).toBeGreaterThan(100_000);
  expect(most).toBeLessThan(MAX_WAITING + 300_000);
  slow.resume();
  const last = await slow.until((line) => line.kind === 'change' && line.sets[0]?.rdata[0] === '192.0.2.120');
  expect(last.kind === 'change' && last.sets.length).toBe(1_000);
  await expect.poll(() => slow.cursor).toBe(fast.cursor);
  expect(slow.lines.length).toBeLessThan(fast.lines.length);
  slow.cut();
  await slow.untilEnd();
  fast.cut();
});
