// The round trips to Postgres that applying sets takes, next to a plain batch of as many records. A relay before Postgres counts
// one whenever the api sends something after an answer.
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

const service = await startTestService({ nameserver: false });
const database = new URL(service.database.url);
let trips = 0;
const relay = createServer((incoming) => {
  const outgoing = connect(Number(database.port), database.hostname);
  let isAsking = false;
  incoming.on('data', (octets) => {
    if (!isAsking) trips += 1;
    isAsking = true;
    outgoing.write(octets);
  });
  outgoing.on('data', (octets) => {
    isAsking = false;
    incoming.write(octets);
  });
  for (const [from, to] of [
    [incoming, outgoing],
    [outgoing, incoming],
  ] as const) {
    from.on('error', () => undefined);
    from.on('close', () => to.destroy());
  }
});
await new Promise<void>((resolve) => {
  relay.listen(0, '127.0.0.1', resolve);
});
afterAll(() => void relay.close());
const through = new URL(database);
through.port = String((relay.address() as AddressInfo).port);
through.hostname = '127.0.0.1';
const { request } = await service.anotherApi({ settings: { DATABASE_URL: through.href } });
const key = (await service.key({ recordWrites: 100_000 })).text;

/** The fewest of five requests: the api's background work sends statements as well. */
async function tripsOf(body: () => [string, object]): Promise<number> {
  const found: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const [path, content] = body();
    const before = trips;
    const { status } = await request('POST', path, content, key);
    found.push(trips - before);
    expect(status).toBe(200);
  }
  return Math.min(...found);
}

test('sets take at most one round trip more than a batch, and unchanged ones fewer', async () => {
  const zone = await service.zone();
  let serial = 0;
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
  const batch = (count: number) => (): [string, object] => {
    serial += 1;
    const record = (index: number) => ({ name: `b${serial}-${index}`, type: 'A', content: '192.0.2.1' });
    const changes = numbers(count).map((index) => ({ action: 'create', record: record(index) }));
    return [`/zones/${zone.id}/records:batch`, { atomic: false, changes }];
  };
  const sets = (count: number, prefix: () => string) => (): [string, object] => {
    const first = prefix();
    const set = (index: number) => {
      const name = `${first}-${index}`;
      return {
        owner: `k8s:one/default/${name}`,
        generation: 1,
        exact: true,
        name,
        type: 'A',
        values: [{ content: '192.0.2.1' }],
      };
    };
    return [`/zones/${zone.id}/records:apply`, { sets: numbers(count).map(set) }];
  };
  const fresh = () => {
    serial += 1;
    return `s${serial}`;
  };
  const found = {
    'batch of 1': await tripsOf(batch(1)),
    '1 set': await tripsOf(sets(1, fresh)),
    '1 unchanged set': await tripsOf(sets(1, () => 's6')),
    'batch of 1000': await tripsOf(batch(1_000)),
    '1000 sets': await tripsOf(sets(1_000, fresh)),
    '1000 unchanged sets': await tripsOf(sets(1_000, () => `s${serial}`)),
  };
  expect(found['1 set']).toBeLessThanOrEqual(found['batch of 1'] + 1);
  expect(found['1 unchanged set']).toBeLessThanOrEqual(found['batch of 1']);
  expect(found['1000 sets']).toBeLessThanOrEqual(found['batch of 1000'] + 1);
  expect(found['1000 unchanged sets']).toBeLessThanOrEqual(found['batch of 1000']);
}, 60_000);
