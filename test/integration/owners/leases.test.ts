// Leases: the service itself releases the records when they end.
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

const service = await startTestService({ warnings: ['failed to release the records of an ended lease'] });
const { request, sql, dns } = service;
const zone = await service.zone('leases.example');
const path = `/zones/${zone.id}`;

const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
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
    set('short', '192.0.2.1', { expires: ahead(1_500) }),
    set('long', '192.0.2.2', { expires: ahead(60_000) }),
  );
  await apply(set('kept', '192.0.2.3', { expires: ahead(1_500), retain: true }));
  expect(await contents()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  await expect.poll(contents, { timeout: 20_000 }).toEqual(['192.0.2.2', '192.0.2.3']);
  await expect
    .poll(async () => (await request('GET', `${path}/owners`)).body.owners, { timeout: 20_000 })
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
  const metrics = await service.metrics();
  expect(metrics).toMatch(/zonestead_lease_release_delay_seconds_count [2-9]/);
  expect(metrics).toContain('zonestead_lease_overdue_seconds 0');
});

test('a renewed lease stays, and renewing costs no serial', async () => {
  const value = '192.0.2.40';
  await apply(set('renewed', value, { expires: ahead(3_000) }));
  const before = (await request('GET', path)).body.serial;
  expect(await apply(set('renewed', value, { expires: ahead(600_000) }))).toMatchObject([
    { status: 200, changed: false },
  ]);
  expect((await request('GET', path)).body.serial).toBe(before);
  // A lease that ends later than the first end of the renewed one: when it is gone, the first end has passed.
  await apply(set('marker', '192.0.2.41', { expires: ahead(4_000) }));
  await expect.poll(contents, { timeout: 20_000 }).not.toContain('192.0.2.41');
  expect(await contents()).toContain(value);
});

test('a release that a rule refuses is tried again later, and holds up no other', async () => {
  const ds = `1 13 2 ${'ab'.repeat(32)}`;
  await apply({
    owner: 'acme:ns',
    name: 'child',
    type: 'NS',
    values: [{ content: 'ns.example.net' }],
    expires: ahead(500),
  });
  await service.record(zone, 'child', 'DS', ds);
  await expect
    .poll(
      async () => (await sql`select due_at > expires_at as waits from owned_sets where owner = 'acme:ns'`)[0]?.waits,
      {
        timeout: 20_000,
      },
    )
    .toBe(true);
  await apply(set('other', '192.0.2.50', { expires: ahead(500) }));
  await expect.poll(contents, { timeout: 20_000 }).not.toContain('192.0.2.50');
  expect(await service.metrics()).toMatch(/zonestead_lease_release_failures_total 1\b/);
});
