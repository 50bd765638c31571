// The commands of docs/how-to/powerdns-api.md, as a reader types them.
import { expect, test } from 'vitest';
import { walk } from '../../../support/doors/walk.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });

test('a reader changes records through the API of PowerDNS', async () => {
  const { id } = await service.zone('example.com', await service.key({ team: 'platform' }));
  const own = { 'https://dns.example.net': service.url };
  await walk('powerdns api', { service, folder: await temporaryFolder('powerdns-page'), own });
  expect(
    await service.sql`select name, type, content, ttl from records where zone_no = (select no from zones where id = ${id})`,
  ).toEqual([{ name: 'www', type: 'A', content: '192.0.2.10', ttl: 300 }]);
});
