// The commands of docs/how-to/pause-changes.md: a record is changed at the name server while the api is down.
import { afterAll, expect, inject, test } from 'vitest';
import { follow } from '../../support/docs/reader.ts';
import { scenario } from '../../support/docs/scenario.ts';
import { openShell } from '../../support/docs/shell.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({ warnings: ['the name server held other records'] });
const folder = await temporaryFolder('pause-page');
const env = {
  ...{ PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', ...COMPILED, DATABASE_URL: service.database.url },
  ...{ ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: service.admin.text },
};
const shell = openShell({ cwd: folder, env });
afterAll(() => shell.close());

test('a reader changes a record at the name server, signed, and the database replaces it at the next comparison', async () => {
  const zone = await service.zone('shop.example');
  await service.record(zone, 'www', 'A', '192.0.2.1');
  await service.settled();
  const answers = async () => (await service.dns.raw.lookup('www.shop.example', 'A')).answers;
  await shell.type(`zonestead() { ${process.execPath} ${inject('program')} "$@"; }`);
  await shell.type(`knotc() { command knotc --socket ${service.knot.folder.socket} "$@"; }`);
  const [begin, unset, set, commit, create, compare] = await scenario('changed without the api');
  for (const step of [begin, unset, set, commit]) if (step !== undefined) await follow(step, { shell });
  await expect.poll(answers).toEqual(['www.shop.example 60 A 192.0.2.99']);
  expect(await service.dns.raw.delv('shop.example', 'www.shop.example', 'A')).toMatchObject({ state: 'secure' });
  for (const step of [create, compare]) if (step !== undefined) await follow(step, { shell });
  // Nothing differs any more: the database has the change too.
  await service.settled();
  expect(await answers()).toEqual(['www.shop.example 60 A 192.0.2.99']);
  const records = await service.request('GET', `/zones/${zone.id}/records?name=www`);
  expect(records.body.records).toMatchObject([{ content: '192.0.2.99', ttl: 60 }]);
});
