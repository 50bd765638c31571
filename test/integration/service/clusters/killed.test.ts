// A drain and a restore of a cluster whose api is killed, or loses Postgres, between two transactions: another process,
// or the same one after the outage, completes them without a second request, and nothing is done twice.
import { expect, test } from 'vitest';
import { NAMES, startDrainStack } from './drain-stack.support.ts';

const PATIENCE = { timeout: 100_000, interval: 20 };
const LIMIT_MS = 600_000;

const stack = await startDrainStack();
const { service, relay, sql } = stack;
const { running } = service;

const failed = () => 'failed';

test('a drain whose api is killed twice is completed by the next one', { timeout: LIMIT_MS }, async () => {
  const since = await stack.position();
  const unlock = { one: await stack.lock('one.test'), two: await stack.lock('two.test') };
  const draining = stack.change('drain').catch(failed);
  // The state is committed, and no record is marked.
  await stack.waits();
  await running.part('api').stop({ signal: 'SIGKILL' });
  expect(await draining).toBe('failed');
  await unlock.one();
  await stack.untilGone();
  expect(await stack.withdrawn()).toBe(0);
  // No client repeats the request. The records of one zone are marked, those of the other zone are not.
  await running.start('api');
  await stack.untilWithdrawn(NAMES);
  await stack.waits();
  await running.part('api').stop({ signal: 'SIGKILL' });
  await unlock.two();
  await stack.untilGone();
  expect(await stack.withdrawn()).toBe(NAMES);
  await running.start('api');
  await expect.poll(() => stack.east(), PATIENCE).toMatchObject({ state: 'drained', settled: true });
  await stack.expectWhole('drained');
  expect(await stack.announced(since)).toEqual({ 'one.test': [1, 1], 'two.test': [1, 1] });
  expect((await sql`select from account_changes where action = 'cluster.drain'`).length).toBe(1);
});

test('a restore whose api is killed is completed by another replica', { timeout: LIMIT_MS }, async () => {
  const replica = await stack.replica();
  const since = await stack.position();
  const unlock = await stack.lock('two.test');
  const restoring = stack.change('restore').catch(failed);
  await stack.untilWithdrawn(NAMES);
  await stack.waits();
  await running.part('api').stop({ signal: 'SIGKILL' });
  expect(await restoring).toBe('failed');
  await unlock();
  await expect.poll(() => stack.east(replica.url), PATIENCE).toMatchObject({ state: 'active', settled: true });
  await running.start('api');
  await stack.expectWhole('active');
  expect(await stack.announced(since)).toEqual({ 'one.test': [1, 1], 'two.test': [1, 1] });
  await replica.part.stop();
});

test('a drain that loses Postgres is answered as drained, and completed when Postgres is back', {
  timeout: LIMIT_MS,
}, async () => {
  const { pid } = running.part('api');
  const since = await stack.position();
  const unlock = await stack.lock('two.test');
  const draining = stack.change('drain');
  await stack.untilWithdrawn(NAMES);
  await stack.waits();
  relay.lead();
  relay.cut();
  expect((await draining).body).toMatchObject({ state: 'drained', settled: false });
  await unlock();
  expect(await stack.withdrawn()).toBe(NAMES);
  relay.lead(Number(new URL(service.databaseUrl).port));
  await expect.poll(() => stack.east(), PATIENCE).toMatchObject({ state: 'drained', settled: true });
  await stack.expectWhole('drained');
  expect(await stack.announced(since)).toEqual({ 'one.test': [1, 1], 'two.test': [1, 1] });
  expect(running.part('api').pid).toBe(pid);
});
