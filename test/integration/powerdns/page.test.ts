// The commands of docs/how-to/powerdns-api.md, as a reader types them.
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMPILED } from '../../support/compiled.ts';
import { PROJECT } from '../../support/docs/document.ts';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const service = await startTestService({ nameserver: false });
const folder = await temporaryFolder('powerdns-page');
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED, DATABASE_URL: service.database.url };
const shell = openShell({ cwd: folder, env });
afterAll(() => shell.close());

test('a reader changes records through the API of PowerDNS', async () => {
  const { id } = await service.zone('example.com', await service.key({ team: 'platform' }));
  await shell.type(`zonestead() { ${process.execPath} ${join(PROJECT, 'src/main.ts')} "$@"; }`);
  const own = { 'https://dns.example.net': service.url };
  for (const step of await scenario('powerdns api')) await follow(step, { shell, own });
  expect(
    await service.sql`select name, type, content, ttl from records where zone_no = (select no from zones where id = ${id})`,
  ).toEqual([{ name: 'www', type: 'A', content: '192.0.2.10', ttl: 300 }]);
});
