// A knotd and its companion whose clock is wrong: the judgement of validating resolvers on the signatures, and the
// signs of the fault.
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { createResolver, type Resolver } from '../../../support/dns/resolver.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { transfer } from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';
import { wrongClock } from '../../../support/time/fake-time.ts';

const HOUR = 3_600;
const LIMIT = { timeout: 60_000, interval: 50 };
const service = await startTestService({ nameserver: false, warnings: ['secondaries'] });
const key = await adminMintNodeKey(service.database.url, 'nodes', {}, randomBytes, new Date());

/** A running node. @param seconds by which its clock is ahead */
async function nodeAhead(name: string, seconds: number) {
  const folder = await temporaryFolder('clock');
  const { env, set } = wrongClock(folder, seconds);
  const knot = await testKnot({}, env);
  const node = await nodeProcess(service.url, key.text, name, knot, env);
  await node.start();
  const { port } = knot;
  return { node, knot, dns: createResolver({ address: '127.0.0.1', port }, folder), setClock: set };
}

/** A zone, and checks of the answers of a node for it. */
async function filledZone(dns: Resolver) {
  const zone = await service.zone();
  const { zoneName } = zone;
  await service.record(zone, '*.wild', 'A', '192.0.2.2');
  const { id } = await service.record(zone, 'www', 'A', '192.0.2.1');
  return {
    zoneName,
    change: (content: string) =>
      service.request('PUT', `/zones/${zone.id}/records/${id}`, { name: 'www', type: 'A', content, ttl: 300 }),
    answers: (content: string) =>
      expect
        .poll(async () => (await dns.lookup(`www.${zoneName}`, 'A')).answers.join(), LIMIT)
        .toMatch(new RegExp(`A ${content}$`)),
    state: async (name: string) => (await dns.delv(zoneName, `${name}.${zoneName}`, 'A')).state,
  };
}

test.each([
  ['ahead', HOUR],
  ['behind', -HOUR],
])('the answers of a node whose clock is an hour %s are secure, and the node tells it', async (how, seconds) => {
  const { node, knot, dns } = await nodeAhead(how, seconds);
  const { zoneName, change, answers, state } = await filledZone(dns);
  await answers('192.0.2.1');
  for (const name of ['www', 'absent', 'any.wild']) expect(await state(name)).toBe('secure');
  await change('192.0.2.9');
  await answers('192.0.2.9');
  expect(await state('www')).toBe('secure');
  await expect.poll(() => node.metric('node_clock_offset_seconds'), LIMIT).toBeCloseTo(-seconds, -2);
  await expect
    .poll(() => node.log(), LIMIT)
    .toMatch(
      new RegExp(`the clock of this machine differs from the clock of the api by ${seconds > 0 ? '-' : ''}3[56]`),
    );
  // TSIG allows five minutes (RFC 8945, section 10).
  const input = { name: how, addresses: ['127.0.0.1:9'], zones: 'all' as const };
  const { key: tsig } = await adminPutSecondary(service.database.url, input, randomBytes, new Date());
  const options = { key: `${tsig.algorithm}:${tsig.name}:${tsig.secret}` };
  await expect.poll(() => transfer(knot.port, zoneName, options), LIMIT).toMatch(/BADTIME|clock skew/);
});

test('knotd that starts when its clock was put back signs all zones again', async () => {
  const { knot, dns, setClock } = await nodeAhead('back', 2 * HOUR);
  const { answers, state } = await filledZone(dns);
  await answers('192.0.2.1');
  setClock(0);
  await knot.restart('SIGTERM');
  await answers('192.0.2.1');
  for (const name of ['www', 'absent', 'any.wild']) await expect.poll(() => state(name), LIMIT).toBe('secure');
});
