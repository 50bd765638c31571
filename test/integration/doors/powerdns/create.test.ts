// A zone that a POST creates with its records is there with all of them, or not at all, also if the process dies.
import { expect, test } from 'vitest';
import { powerDnsClient } from '../../../support/doors/powerdns/client.ts';
import { startApiProcess } from '../../../support/service/api-process.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const send = powerDnsClient(service.url, service.admin.text);
const api = await startApiProcess(service, { ZONESTEAD_LIMITS: 'off' });

const rrset = (name: string) => ({ name, type: 'A', ttl: 60, records: [{ content: '192.0.2.1' }] });

test('zones with RRsets and with a zone file are not there after a crash between the zone and its records', async () => {
  const bodies = [
    { name: 'rrsets.example.', kind: 'Native', rrsets: [rrset('www.rrsets.example.')] },
    { name: 'file.example.', kind: 'Native', zone: 'www 60 IN A 192.0.2.1\n' },
  ];
  const cut = await service.sql.begin(async (sql) => {
    // Records can be read and not written. The second creation waits for the first one.
    await sql`lock table records in share mode`;
    const by = powerDnsClient(api.url, service.admin.text);
    const all = Promise.allSettled(bodies.map((body) => by('POST', '/zones', body)));
    const waiters = () => service.sql`select from pg_stat_activity
      where datname = current_database() and application_name like 'zonestead-api%' and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiters()).length, { timeout: 30_000 }).toBe(2);
    process.kill(api.part.pid, 'SIGKILL');
    return { all };
  });
  expect((await cut.all).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const sessions = () => service.sql`select from pg_stat_activity where datname = current_database()
    and application_name like 'zonestead-api%' and state <> 'idle'`;
  await expect.poll(async () => (await sessions()).length, { timeout: 30_000 }).toBe(0);
  for (const { name } of bodies) expect([name, (await send('GET', `/zones/${name}`)).status]).toEqual([name, 404]);
  expect(await service.sql`select from changes`).toEqual([]);
  for (const body of bodies) expect((await send('POST', '/zones', body)).status).toBe(201);
});

test('a zone and its records are two changes of its history, and its serial is that of the second', async () => {
  const name = 'history.example.';
  const rrsets = [rrset(`a.${name}`), rrset(`b.${name}`)];
  const { status, body } = await send('POST', '/zones', { name, kind: 'Native', rrsets });
  expect(status).toBe(201);
  const { serial } = body as { serial: number };
  const rows =
    await service.sql`select action, serial from changes where zone_name = 'history.example' order by serial`;
  expect(rows.map(({ action }) => action)).toEqual(['zone.create', 'record.create', 'record.create']);
  const [zone, first, second] = rows.map(({ serial }) => Number(serial));
  expect([first, second]).toEqual([serial, serial]);
  expect(first).toBeGreaterThan(zone ?? 0);
});

test('each RRset of a new zone counts as a record write, at most half of the limit, and a zone beyond the limit is not there', async () => {
  const key = await service.key({ recordWrites: 2, zoneWrites: 10 });
  const other = await service.anotherApi({ settings: { ZONESTEAD_LIMITS: 'on' } });
  const by = powerDnsClient(other.url, key.text);
  const create = (name: string, ...rrsets: object[]) => by('POST', '/zones', { name, kind: 'Native', rrsets });
  expect((await create('places.example.', rrset('a.places.example.'), rrset('b.places.example.'))).status).toBe(201);
  expect((await create('second.example.', rrset('a.second.example.'))).status).toBe(201);
  expect((await create('more.example.', rrset('a.more.example.'))).status).toBe(429);
  expect((await send('GET', '/zones/more.example.')).status).toBe(404);
});
