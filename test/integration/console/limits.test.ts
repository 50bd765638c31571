// The write limits of the console. They are those of the REST API, in one window for each key.
import { expect, test } from 'vitest';
import { startConsoleService, visit } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ limits: true });
const ada = await addPerson(service, { team: 'red' });
const browser = visit(service);
await browser.signIn(ada.text);
const { id } = await service.zone('limits.example', await service.key({ team: 'red' }));

test('the 11th write of a zone within a minute is refused with Retry-After on its form, with the typed value', async () => {
  const home = `/console/zones/${id}`;
  await browser.get(`${home}/settings`);
  const set = (defaultTtl: string) => browser.post(`${home}/ttl`, { defaultTtl });
  expect((await set('600')).status).toBe(303);
  // A form that is refused counts too.
  for (let n = 0; n < 9; n += 1) expect((await set('1')).status).toBe(400);
  const refused = await set('61');
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Too many zone writes')]);
  expect(refused.text).toContain('value="61"');
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
});

test('the 61st write of a record within a minute is refused', async () => {
  const home = `/console/zones/${id}`;
  await browser.get(home);
  const add = () => browser.post(`${home}/records`, { name: 'www', type: 'A', content: 'nonsense' });
  for (let n = 0; n < 5; n += 1) expect((await add()).status).toBe(400);
  // As if there had been 55 more.
  await service.sql`update write_windows set times = times || array_fill(now(), array[55]) where bucket = 'records'`;
  const refused = await add();
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Too many record writes')]);
});
