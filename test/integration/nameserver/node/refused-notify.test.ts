// Secondaries that answer NOTIFY with an error, or nothing at all, next to one in good order: a real api, node and
// knotd.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { adminListSecondaries, adminPutSecondary } from '#service/secondaries/administration.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { type FakeNameServer, type Query, type Reply, startNameServer } from '../../../support/dns/fake-nameserver.ts';
import { testKnot } from '../../../support/knot/knot.ts';
import { nodeProcess } from '../../../support/knot/node-process.ts';
import { startRunning } from '../../../support/knot/secondaries.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const LIMIT = { timeout: 60_000, interval: 50 };
/** The replies to NOTIFY of secondaries that answer questions with an old serial, as if no change had reached them. */
const NOTIFY_REPLIES: Record<string, Reply> = {
  servfail: { rcode: 2 },
  notimp: { rcode: 4 },
  refused: { rcode: 5 },
  notauth: { rcode: 9 },
};
const names = Object.keys(NOTIFY_REPLIES);

const [service, knot] = await Promise.all([
  startTestService({ nameserver: false, warnings: ['secondaries', 'name server'] }),
  testKnot(),
]);
const { url: database } = service.database;
const key = await adminMintNodeKey(database, 'ns1', {}, randomBytes, new Date());
const node = await nodeProcess(service.url, key.text, 'ns1', knot);
const answered = (reply: Reply) => (query: Query) =>
  isNotify(query) ? reply : oldSoa(query.packet.questions[0]?.name ?? '');
const servers = await Promise.all(Object.values(NOTIFY_REPLIES).map((reply) => startNameServer(answered(reply))));
/** Its kernel accepts connections, and its server answers nothing. */
let isHanging = true;
const hanging = await startNameServer((query) => (isHanging ? undefined : answered({})(query)));
afterAll(() => Promise.all([...servers, hanging].map((server) => server.close())));

/** The operation of a message is in bits 11 to 14 of its flags (RFC 1035 section 4.1.1); 4 is NOTIFY (RFC 1996). */
function isNotify({ packet: { flags = 0 } }: Query): boolean {
  return ((flags >> 11) & 15) === 4;
}

function oldSoa(name: string): Reply {
  const data = { mname: 'ns.test', rname: 'h.test', serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 1 };
  return { answers: [{ name, type: 'SOA', ttl: 60, data }] };
}

const put = async (name: string, port: number) =>
  (await adminPutSecondary(database, { name, addresses: [`127.0.0.1:${port}`], zones: 'all' }, randomBytes, new Date()))
    .key;
const notified = ({ queries }: FakeNameServer, zone: string) =>
  queries.filter((query) => isNotify(query) && query.packet.questions.some(({ name }) => name.toLowerCase() === zone))
    .length;
const state = async (name: string) => (await adminListSecondaries(database)).find((one) => one.name === name)?.report;

let zone: Awaited<ReturnType<typeof service.zone>>;
let change: (address: string) => Promise<void>;

beforeAll(async () => {
  await node.start();
  zone = await service.zone();
  const { id } = await service.record(zone, 'www', 'A', '192.0.2.1');
  for (const [at, name] of names.entries()) await put(name, servers[at]!.port);
  const { honest } = await allocatePorts([{ name: 'honest', dns: true }], { stateDir: await temporaryFolder('ports') });
  const primaries = [{ address: knot.address, port: knot.port }];
  const view = { primaries, key: await put('honest', honest), zones: [zone.zoneName], catalog: catalogName('honest') };
  const { resolver } = await startRunning('knot', honest, view);
  const answers = (address: string) =>
    expect
      .poll(async () => (await resolver.lookup(`www.${zone.zoneName}`, 'A')).answers.join(), LIMIT)
      .toMatch(new RegExp(`A ${address}$`));
  change = async (content) => {
    await service.request('PUT', `/zones/${zone.id}/records/${id}`, { name: 'www', type: 'A', content, ttl: 300 });
    await answers(content);
  };
});

test('secondaries that answer NOTIFY with errors are named, and one in order has each change', async () => {
  for (let last = 2; last < 6; last++) await change(`192.0.2.${last}`);
  for (const server of servers) await expect.poll(() => notified(server, zone.zoneName), LIMIT).toBeGreaterThan(0);
  for (const name of names) {
    await expect
      .poll(() => state(name), LIMIT)
      .toMatchObject({ current: 0, silent: null, behind: [{ zone: zone.id, state: 'behind', serial: 1 }] });
    await expect.poll(() => node.metric(`node_secondary_zones{secondary="${name}",state="behind"}`), LIMIT).toBe(1);
  }
  await expect.poll(() => state('honest'), LIMIT).toMatchObject({ current: 1, behind: [] });
  await expect.poll(() => node.metric('node_secondary_zones{secondary="honest",state="behind"}'), LIMIT).toBe(0);
});

test('a secondary that hangs is named, and gets no NOTIFY, for which others would wait, until it answers', async () => {
  await put('a-hanging', hanging.port);
  await expect.poll(async () => (await state('a-hanging'))?.silent, LIMIT).toContain('does not answer');
  expect(await node.metric('node_secondary_reachable{secondary="a-hanging"}')).toBe(0);
  const remotes = async () =>
    (await knot.control.run('conf-read', { section: 'template', id: 'default', item: 'notify' })).map(
      ({ data }) => data,
    );
  await expect.poll(remotes, LIMIT).not.toContain('a-hanging-1');
  expect(await remotes()).toContain('honest-1');
  const before = notified(hanging, zone.zoneName);
  for (let last = 12; last < 16; last++) await change(`192.0.2.${last}`);
  // One more may have been on its way.
  expect(notified(hanging, zone.zoneName)).toBeLessThan(before + 3);
  isHanging = false;
  await expect.poll(() => notified(hanging, zone.zoneName), LIMIT).toBeGreaterThan(before);
  await expect.poll(() => state('a-hanging'), LIMIT).toMatchObject({ silent: null });
});
