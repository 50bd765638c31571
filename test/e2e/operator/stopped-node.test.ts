// Ready with several name servers of which one is stopped: it stays false and names the node, until the node is back or
// has been silent for 30 s.
import { randomBytes } from 'node:crypto';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ZoneStatus } from '#resources/dnszone.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { testKnot } from '../../support/knot/knot.ts';
import { type NodeProcess, nodeProcess } from '../../support/knot/node-process.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../../support/stack/stack.ts';

const PATIENCE = { timeout: 100_000, interval: 100 };
const ZONE = 'nodes.example';

let stack: TestStack;
/** A node whose name server is in no NS record: DNS does not show whether it has a change. */
let hidden: NodeProcess;
const knot = await testKnot();

beforeAll(async () => {
  stack = await startTestStack({ nodes: 2 });
  const { url, databaseUrl } = stack.stack.service;
  const { text } = await adminMintNodeKey(databaseUrl, 'hidden', {}, randomBytes, new Date());
  hidden = await nodeProcess(url, text, 'hidden', knot);
  await hidden.start();
  await stack.apply(zoneObject('zone', ZONE));
  await stack.ready('zdz/zone');
});
afterAll(async () => {
  await hidden?.stop();
  await stack?.stop();
});

/**
 * Lets a stopped node count as one that reports, so that it is not silent for 30 s while a busy machine looks for the
 * message.
 * @returns a function that ends this
 */
function reporting(name: string): () => Promise<void> {
  const sql = postgres(stack.stack.service.databaseUrl, { max: 1 });
  const report = () => sql`update nodes set reported_at = now() where name = ${name}`;
  const timer = setInterval(() => void report().catch(() => undefined), 1_000);
  return async () => {
    clearInterval(timer);
    await sql.end();
  };
}

const ready = (name: string) => stack.condition(name, 'Ready');
const record = (name: string) => stack.apply(recordObject(name, 'zone', { name, type: 'A', content: '192.0.2.1' }));

test('the status of the zone shows each node and the serial of each name server', async () => {
  const shown = async () => {
    const { status } = await stack.kube.get<{ status: ZoneStatus; metadata: object }>('zdz/zone');
    return { ...status, current: status.nodesCurrent };
  };
  // A change lets the operator look again.
  await stack.kube.patch('zdz/zone', { metadata: { annotations: { look: 'again' } } });
  await expect.poll(async () => (await shown()).current, PATIENCE).toBe('3/3');
  const { nodes, servers, serial = 0 } = await shown();
  expect(nodes?.map(({ name, state }) => `${name} ${state}`)).toEqual(['hidden Current', 'ns1 Current', 'ns2 Current']);
  expect(servers?.map(({ name, node }) => `${name} ${node}`)).toEqual([
    'ns1.zonestead.test ns1',
    'ns2.zonestead.test ns2',
  ]);
  for (const server of servers ?? []) expect(server.serial).toBeGreaterThanOrEqual(serial);
  expect(await stack.kubectl('get', 'zdz', '-o', 'wide')).toMatch(/\b3\/3\b/);
});

test('Ready is false and names the node while one is stopped, and true when it is back', async () => {
  const { pid } = stack.stack.service.running.part('nameserver-2');
  process.kill(pid, 'SIGSTOP');
  const end = reporting('ns2');
  try {
    await record('stopped');
    await expect
      .poll(() => ready('zdr/stopped'), PATIENCE)
      .toMatchObject({ status: 'False', reason: 'AwaitingPropagation' });
    const message = async () => (await ready('zdr/stopped'))?.message;
    await expect
      .poll(message, PATIENCE)
      .toMatch(/ns2\.zonestead\.test \(.*\) .*; node ns2 has not applied the last change yet/);
    await expect.poll(message, PATIENCE).not.toMatch(/ns1/);
    await expect.poll(message, PATIENCE).toMatch(/node ns2 .* \(behind since 20[0-9-]+T[0-9:]+Z\)/);
  } finally {
    await end();
    process.kill(pid, 'SIGCONT');
  }
  await stack.ready('zdr/stopped');
});

test('Ready waits for a node that no NS record names, until it has been silent for 30 s', async () => {
  process.kill(hidden.pid(), 'SIGSTOP');
  const end = reporting('hidden');
  try {
    await record('silent');
    const message = async () => (await ready('zdr/silent'))?.message;
    await expect
      .poll(message, PATIENCE)
      .toMatch(/checking: node hidden has not applied the last change yet( \(behind since .*\))?\.$/);
    expect(await stack.dig(`silent.${ZONE}`, 'A')).toEqual([expect.stringContaining('192.0.2.1')]);
    await end();
    const sql = postgres(stack.stack.service.databaseUrl, { max: 1 });
    await sql`update nodes set reported_at = reported_at - interval '31 s' where name = 'hidden'`;
    await sql.end();
    await stack.ready('zdr/silent');
  } finally {
    await end();
    process.kill(hidden.pid(), 'SIGCONT');
  }
});
