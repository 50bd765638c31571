// The commands of docs/how-to/dns-updates.md, as a reader types them.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { COMPILED } from '../../support/compiled.ts';
import { PROJECT, readPage } from '../../support/docs/document.ts';
import { follow, typed } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { startTestService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const service = await startTestService({ settings: { ZONESTEAD_UPDATE_LISTEN: '127.0.0.1:0' } });
const folder = await temporaryFolder('page');
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED, DATABASE_URL: service.database.url };
const shell = openShell({ cwd: folder, env });
afterAll(() => shell.close());

test('a reader changes a name with nsupdate', async () => {
  await service.zone('example.com', await service.key({ team: 'platform' }));
  await shell.type(`zonestead() { ${process.execPath} ${join(PROJECT, 'src/main.ts')} "$@"; }`);
  const port = service.updatePort();
  const own = { 'updates.example.net 53': `127.0.0.1 ${port}`, '@updates.example.net': `@127.0.0.1 -p ${port}` };
  const { blocks } = await readPage('docs/how-to/dns-updates.md');
  for (const { file, text } of blocks) if (file) await writeFile(join(folder, file), `${typed(text, own)}\n`);
  for (const step of await scenario('dns updates')) {
    // nsupdate ends with a code other than 0 when an update fails, as the page shows.
    const refused = step.shown.some((line) => line.includes('update failed') || line.includes('EDE'));
    await follow({ ...step, refused }, { shell, own });
  }
  const { answers } = await service.dns.lookup('www.example.com', 'A');
  expect(answers.sort()).toEqual(['www.example.com 300 A 192.0.2.10', 'www.example.com 300 A 192.0.2.11']);
  expect((await service.dns.lookup('claim.example.com', 'TXT')).answers).toEqual(['claim.example.com 300 TXT "taken"']);
});
