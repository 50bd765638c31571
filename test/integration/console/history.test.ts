// The history of a zone in the console: sentences about changes, and the search by name, author, kind and day.
import { expect, test } from 'vitest';
import { startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const red = await service.key({ team: 'red' });
const browser: Visit = visit(service);
await browser.signIn(ada.text);

const { id } = await service.zone('history.example', red);
const home = `/console/zones/${id}`;
const put = async (name: string, content: string, key = red) =>
  (await service.request('POST', `/zones/${id}/records`, { name, type: 'A', content }, key.text)).body.id as string;
const seen = async (query = '') => words((await browser.get(`${home}/history${query}`)).text);
/** The names of the records in the answer, in their order. */
const names = async (query: string) => {
  const { text } = await browser.get(`${home}/history${query}`);
  return [...text.matchAll(/subject">([^<]*)</g)].map(([, name]) => name);
};

const www = await put('www', '192.0.2.1');
await put('mail', '192.0.2.25');
await service.request(
  'PUT',
  `/zones/${id}/records/${www}`,
  { name: 'www', type: 'A', content: '192.0.2.2', ttl: 60 },
  ada.text,
);
const changes = ['x1', 'x2'].map((name) => ({ action: 'create', record: { name, type: 'A', content: '192.0.2.9' } }));
await service.request('POST', `/zones/${id}/records:batch`, { changes, atomic: true }, red.text);
await service.request('DELETE', `/zones/${id}/records/${www}`, undefined, ada.text);

test('the history says who changed which record and how, the newest change first', async () => {
  const text = await seen();
  expect(text).toMatch(/Deleted A www 192\.0\.2\.2 by ada@example\.org \(key test\) · just now/);
  expect(text).toMatch(/Changed A www content 192\.0\.2\.1 → 192\.0\.2\.2 · ttl 3600 → 60 by ada@example\.org/);
  expect(text).toMatch(/Created A mail → 192\.0\.2\.25 by test · just now/);
  expect(text).toMatch(/Created the zone by/);
  expect(text.indexOf('Deleted')).toBeLessThan(text.indexOf('Changed'));
});

test('the history shows the changes of one request together, with one author', async () => {
  expect(await seen()).toMatch(/Created A x2 → 192\.0\.2\.9 Created A x1 → 192\.0\.2\.9 by test/);
});

test('a search finds changes by a part of the name, in any case', async () => {
  expect(await names('?name=WW')).toEqual(['www', 'www', 'www']);
  expect(await seen('?name=nowhere')).toContain('No changes match the filter.');
});

test('a search finds changes by person, key name and key id', async () => {
  expect(await names('?by=Ada@')).toEqual(['www', 'www']);
  expect(await names('?by=test')).toEqual(['x2', 'x1', 'mail', 'www']);
  expect(await names(`?by=${red.id}`)).toEqual(['x2', 'x1', 'mail', 'www']);
});

test('a search finds changes by kind, and combines all fields', async () => {
  expect(await names('?kind=changed')).toEqual(['www']);
  expect(await names('?kind=zone')).toEqual([]);
  expect(await seen('?kind=zone')).toContain('Created the zone');
  expect(await names('?kind=created&by=test&name=x')).toEqual(['x2', 'x1']);
});

test('a search finds changes by day, also far back', async () => {
  // The history of tests is from today, so one change is moved to another day.
  await service.sql`update changes set at = '2026-03-04T23:59:59.9Z' where id = (
      select id from changes where zone_id = ${id} and after->>'name' = 'www' order by id limit 1)`;
  await service.sql`update changes set at = '2026-03-04T10:00:00Z' where zone_id = ${id} and action = 'zone.create'`;
  expect(await names('?from=2026-03-04&to=2026-03-04')).toEqual(['www']);
  expect(await names('?to=2026-03-03')).toEqual([]);
  expect(await names('?from=2026-03-05&name=www')).toEqual(['www', 'www']);
});

test('a search shows the typed values again, and survives any text', async () => {
  const hostile = encodeURIComponent('"><script>\0%_\\');
  const page = await browser.get(`${home}/history?name=${hostile}&by=${hostile}&kind=${hostile}&from=9999-99-99&to=x`);
  expect(page.status).toBe(200);
  expect(page.text).not.toContain('<script>\0');
  expect(page.text).toContain('&quot;&gt;&lt;script&gt;');
  expect(await names('?name=%25')).toEqual([]);
  expect((await browser.get(`${home}/history?name=a&name=b`)).status).toBe(200);
});

test('a search continues on the next page with the same fields', async () => {
  const many = Array.from({ length: 45 }, (_, at) => ({
    action: 'create',
    record: { name: `page${at}`, type: 'A', content: '192.0.2.7' },
  }));
  await service.request('POST', `/zones/${id}/records:batch`, { changes: many, atomic: true }, red.text);
  const first = await browser.get(`${home}/history?name=page`);
  // 40 of them are on the page.
  expect(words(first.text)).toMatch(/Created 45 records .* Undo all 45 changes/);
  const next = /href="([^"]*)" rel="next"/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(next).toContain('name=page');
  expect(await names('?name=page')).toHaveLength(40);
  expect(await names(next.slice(next.indexOf('?')))).toEqual(['page4', 'page3', 'page2', 'page1', 'page0']);
});

test('a search is not answered for a zone of another team', async () => {
  const other = visit(service);
  await other.signIn(eve.text);
  expect((await other.get(`${home}/history?name=www`)).status).toBe(404);
});
