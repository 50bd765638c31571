// Secondaries in the console: the owner of a zone sees their state, and chooses among those that are offered.
import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { adminPutSecondary } from '#service/secondaries/administration.ts';
import { startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const red = await service.key({ team: 'red' });
await service.key({ team: 'blue' });
const put = (name: string, input: Partial<Parameters<typeof adminPutSecondary>[1]>) =>
  adminPutSecondary(service.database.url, { name, addresses: ['192.0.2.53'], ...input }, randomBytes, new Date());
const browser: Visit = visit(service);
await browser.signIn(ada.text);

beforeEach(async () => {
  await service.sql`delete from secondaries`;
});

const boxes = (text: string) =>
  [...text.matchAll(/name="secondary" value="([^"]+)"( checked)?/g)].map(([, name, ticked]) =>
    ticked ? `${name}*` : name,
  );

test('the page of secondaries shows those of a zone, and chooses among those that are offered', async () => {
  const { id } = await service.zone('choice.example', red);
  const home = `/console/zones/${id}`;
  const page = async () => (await browser.get(`${home}/settings`)).text;
  expect(words(await page())).toContain('No secondaries are available for this zone.');

  await put('eu', { nameservers: ['ns.eu.test'], offer: { all: true } });
  await put('us', { offer: { teams: ['red'] } });
  await put('foreign', { offer: { teams: ['blue'] } });
  await put('space', { offer: { namespaces: ['red/shop'] } });
  expect(boxes(await page())).toEqual(['eu', 'us']);
  const chosen = await browser.post(`${home}/secondaries`, { secondary: ['eu', 'us'] });
  expect([chosen.status, chosen.location]).toEqual([303, `${home}/settings`]);
  const after = await page();
  expect(boxes(after)).toEqual(['eu*', 'us*']);
  expect(words(after)).toContain('You chose eu, us for choice.example.');
  expect(words(after)).toMatch(/eu ns\.eu\.test the owner unknown no name server has reported about it yet/);
  expect(words((await browser.get(`${home}/live`)).text)).toMatch(/eu secondary ns\.eu\.test no answer/);
  expect(words((await browser.get(`${home}/history`)).text)).toContain('secondaries none → eu, us');

  // The offer ends: the box stays until it is cleared.
  await put('us', { offer: {} });
  expect(words(await page())).toContain('us hidden, no longer offered');
  expect((await browser.post(`${home}/secondaries`, { secondary: 'us' })).status).toBe(303);
  expect(boxes(await page())).toEqual(['eu', 'us*']);
  expect((await browser.post(`${home}/secondaries`, {})).status).toBe(303);
  expect(boxes(await page())).toEqual(['eu']);
});

test('the page of secondaries shows an error next to the boxes, which stay as they were ticked', async () => {
  const { id } = await service.zone('refused.example', red);
  await put('eu', { offer: { all: true } });
  const home = `/console/zones/${id}`;
  await browser.get(`${home}/settings`);
  const refused = await browser.post(`${home}/secondaries`, { secondary: ['eu', 'foreign'] });
  expect(refused.status).toBe(403);
  expect(refused.text).toMatch(
    /id="secondaries-error">The secondary foreign is not offered to the owner of this zone. Offered: eu/,
  );
  expect(boxes(refused.text)).toEqual(['eu*']);
  const many = await browser.post(`${home}/secondaries`, { secondary: Array.from({ length: 9 }, (_, at) => `s${at}`) });
  expect(many.status).toBe(400);
  expect(many.text).toContain('Must be a list of at most 8 names of secondaries');
});

test('the page of secondaries is not there for another team', async () => {
  const { id } = await service.zone('foreign.example', red);
  const other = visit(service);
  await other.signIn(eve.text);
  await other.get('/console/zones');
  expect((await other.get(`/console/zones/${id}/settings`)).status).toBe(404);
  expect((await other.post(`/console/zones/${id}/secondaries`, { secondary: 'eu' })).status).toBe(404);
});
