// Leases: the service itself releases the records when they end.
import { expect, test } from 'vitest';
import { startTestService } from '../../../support/service/service.ts';

/** How far the clock of the service is ahead: the ends of leases come by moving it, and never while a test prepares. */
let aheadMs = 0;
const now = () => Date.now() + aheadMs;
const service = await startTestService({
  warnings: ['failed to release the records of an ended lease'],
  time: () => new Date(now()),
});
const { request, sql, dns } = service;
const zone = await service.zone('leases.example');
const path = `/zones/${zone.id}`;

const HOUR_MS = 3_600_000;
const ahead = (ms: number) => new Date(now() + ms).toISOString();
const pass = (ms: number) => {
  aheadMs += ms;
};
const set = (owner: string, value: string, more: object = {}) => ({
  owner: `acme:${owner}`,
  name: 'www',
  type: 'A',
  values: [{ content: value }],
  ...more,
});
const apply = async (...sets: object[]) => {
  const { status, body } = await request('POST', `${path}/records:apply`, { sets });
  expect(status).toBe(200);
  return body.results as { status: number; changed: boolean; message?: string }[];
};
const contents = async () => {
  const { body } = await request('GET', `${path}/records`);
  return (body.records as { content: string }[]).map(({ content }) => content).sort();
};

test('a lease that ends is released, told in the history, and leaves the answers', async () => {
  await apply(
    set('short', '192.0.2.1', { expires: ahead(HOUR_MS) }),
    set('long', '192.0.2.2', { expires: ahead(3 * HOUR_MS) }),
  );
  await apply(set('kept', '192.0.2.3', { expires: ahead(HOUR_MS), retain: true }));
  expect(await contents()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  pass(1.5 * HOUR_MS);
  await expect.poll(contents).toEqual(['192.0.2.2', '192.0.2.3']);
  await expect
    .poll(async () => (await request('GET', `${path}/owners`)).body.owners)
    .toMatchObject([{ owner: 'acme:long' }]);
  const { body } = await request('GET', `${path}/changes`);
  expect(body.changes).toMatchObject(
    expect.arrayContaining([
      expect.objectContaining({ action: 'record.delete', keyId: 'service', owner: 'acme:short' }),
    ]),
  );
  expect((await dns.lookup('www.leases.example', 'A')).answers.map((line) => line.split(' ').at(-1))).toEqual([
    '192.0.2.2',
    '192.0.2.3',
  ]);
  await expect.poll(() => service.metrics()).toMatch(/zonestead_lease_release_delay_seconds_count [2-9]/);
  await expect.poll(() => service.metrics()).toContain('zonestead_lease_overdue_seconds 0\n');
});

test('a renewed lease stays, and renewing costs no serial', async () => {
  const value = '192.0.2.40';
  await apply(set('renewed', value, { expires: ahead(HOUR_MS) }));
  const before = (await request('GET', path)).body.serial;
  expect(await apply(set('renewed', value, { expires: ahead(5 * HOUR_MS) }))).toMatchObject([
    { status: 200, changed: false },
  ]);
  expect((await request('GET', path)).body.serial).toBe(before);
  // A lease that ends later than the first end of the renewed one: when it is gone, the first end has passed.
  await apply(set('marker', '192.0.2.41', { expires: ahead(2 * HOUR_MS) }));
  pass(3 * HOUR_MS);
  await expect.poll(contents).not.toContain('192.0.2.41');
  expect(await contents()).toContain(value);
});

test('a release that a rule refuses is tried again later, and holds up no other', async () => {
  const ds = `1 13 2 ${'ab'.repeat(32)}`;
  await apply({
    owner: 'acme:ns',
    name: 'child',
    type: 'NS',
    values: [{ content: 'ns.example.net' }],
    expires: ahead(HOUR_MS),
  });
  await service.record(zone, 'child', 'DS', ds);
  pass(1.5 * HOUR_MS);
  await expect
    .poll(
      async () => (await sql`select due_at > expires_at as waits from owned_sets where owner = 'acme:ns'`)[0]?.waits,
    )
    .toBe(true);
  await apply(set('other', '192.0.2.50', { expires: ahead(HOUR_MS) }));
  pass(1.5 * HOUR_MS);
  await expect.poll(contents).not.toContain('192.0.2.50');
  expect(await service.metrics()).toMatch(/zonestead_lease_release_failures_total [1-9]/);
});
