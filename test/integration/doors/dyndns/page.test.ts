// The commands of docs/how-to/dynamic-addresses.md, as a reader types them: curl, ddclient and inadyn of Debian.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { readPage } from '../../../support/docs/document.ts';
import { follow, typed } from '../../../support/docs/reader.ts';
import { scenario } from '../../../support/docs/scenario.ts';
import { openShell } from '../../../support/docs/shell.ts';
import { COMPILED } from '../../../support/program/compiled.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const folder = await temporaryFolder('dyndns-page');
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED, DATABASE_URL: service.database.url };
const shell = openShell({ cwd: folder, env });
afterAll(() => shell.close());

test('a reader keeps an address up to date', async () => {
  const zone = await service.zone('example.com', await service.key({ team: 'platform' }));
  await shell.type(`zonestead() { ${process.execPath} ${inject('program')} "$@"; }`);
  const records = async () => {
    const rows = await service.sql`select name, type, content from records
      where zone_no = (select no from zones where id = ${zone.id})`;
    return rows.map(({ name, type, content }) => `${name} ${type} ${content}`);
  };
  const [mint, once, ...programs] = await scenario('dynamic addresses');
  const own = { 'https://dns.example.net': service.url };
  for (const step of [mint, once]) if (step !== undefined) await follow(step, { shell, own });
  expect(await records()).toEqual(['home A 192.0.2.10']);

  const key = (await readFile(join(folder, 'home.key'), 'utf8')).trim();
  const inFile = {
    'dns.example.net': service.url.replace('http://', ''),
    'yk_…': key,
    'ssl=yes': 'ssl=no',
    'ssl             = true': 'ssl = false',
  };
  const { blocks } = await readPage('docs/how-to/dynamic-addresses.md');
  for (const { file, text } of blocks) {
    if (file) await writeFile(join(folder, file), `${typed(text, inFile)}\n`, { mode: 0o600 });
  }
  expect(programs.map(({ text }) => text.split(' ')[0])).toEqual(['ddclient', 'inadyn']);
  for (const [index, step] of programs.entries()) {
    const address = `198.51.100.${index + 1}`;
    await writeFile(join(folder, 'address.txt'), `${address}\n`);
    await follow(step, { shell, own });
    expect(await records()).toEqual([`home A ${address}`]);
    // The second run finds nothing to do.
    await follow(step, { shell, own });
    expect(await records()).toEqual([`home A ${address}`]);
  }
});
