// The commands of docs/how-to/dns-updates.md, as a reader types them.
import { expect, test } from 'vitest';
import { walk } from '../../../support/doors/walk.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });

test('a reader changes a name with nsupdate', async () => {
  await service.zone('example.com', await service.key({ team: 'platform' }));
  const port = service.updatePort();
  const own = { 'updates.example.net 53': `127.0.0.1 ${port}`, '@updates.example.net': `@127.0.0.1 -p ${port}` };
  await walk('dns updates', { service, folder: await temporaryFolder('page'), own });
  const { answers } = await service.dns.lookup('www.example.com', 'A');
  expect(answers.sort()).toEqual(['www.example.com 300 A 192.0.2.10', 'www.example.com 300 A 192.0.2.11']);
  expect((await service.dns.lookup('claim.example.com', 'TXT')).answers).toEqual(['claim.example.com 300 TXT "taken"']);
});
