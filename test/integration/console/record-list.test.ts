// The list of records: its orders, and its pages in both directions.
import { beforeAll, expect, test } from 'vitest';
import { startConsoleService, visit, words } from '../../support/console/console.ts';
import { fillZone } from '../../support/service/large-zone.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red' });
const red = await service.key({ team: 'red' });
const zone = await service.zone('list.example', red);
const home = `/console/zones/${zone.id}`;
const DEFAULT_TTL = zone.defaultTtl;
/** Two pages of 25 and one of 10. */
const RECORDS = Array.from({ length: 60 }, (_, n) => ({
  name: `n${String(n).padStart(2, '0')}`,
  type: n % 3 === 0 ? 'TXT' : 'A',
  content: n % 3 === 0 ? `"text ${99 - n}"` : `192.0.2.${(n * 7) % 100}`,
  ...(n % 4 === 0 ? {} : { ttl: 100 + n }),
}));
type Sent = (typeof RECORDS)[number];
const browser = visit(service);

beforeAll(async () => {
  await browser.signIn(ada.text);
  const changes = RECORDS.toReversed().map((record) => ({ action: 'create', record }));
  await service.request('POST', `/zones/${zone.id}/records:batch`, { changes }, red.text);
});

const open = async (address: string) => {
  const page = await browser.get(address);
  const { text } = page.location === null ? page : await browser.follow(page);
  const names = [...text.matchAll(/name="id" value=[\s\S]*?<th scope="row" class="mono">([^<\s]+)/g)].map(
    ([, name]) => name,
  );
  const link = (label: string) => {
    const [, found] = new RegExp(`<a href="([^"]*)"[^>]*>${label}</a>`).exec(text) ?? [];
    return found?.replaceAll('&amp;', '&') ?? null;
  };
  const place = /[\d,]+–[\d,]+(?: of [\d,]+)?/.exec(words(text))?.[0];
  return { text, names, link, place };
};
/** The pages from an address to the last one that has no such link. */
const walk = async (address: string | null | undefined, label: string) => {
  const pages: Awaited<ReturnType<typeof open>>[] = [];
  for (let at = address ?? null; at !== null; at = pages.at(-1)?.link(label) ?? null) pages.push(await open(at));
  return pages;
};
const idOf = async (name: string) => {
  const { body } = await service.request('GET', `/zones/${zone.id}/records?name=${name}`, undefined, red.text);
  return (body.records as [{ id: string }])[0].id;
};
const namesOf = (records: readonly Sent[]) => records.map(({ name }) => name);
const before = (a: string | number, b: string | number) => (a < b ? -1 : a > b ? 1 : 0);
const by = (key: (record: Sent) => string | number) =>
  RECORDS.toSorted((a, b) => before(key(a), key(b)) || before(a.name, b.name));

test.each([
  ['name', namesOf(RECORDS)],
  ['-name', namesOf(RECORDS).reverse()],
])('the list of records is the same forwards and backwards in the order %s', async (sort, all) => {
  const there = await walk(`${home}?size=25&sort=${sort}`, 'Next page');
  expect(there.map(({ names }) => names)).toEqual([all.slice(0, 25), all.slice(25, 50), all.slice(50)]);
  expect(there.map(({ place }) => place)).toEqual(['1–25 of 60', '26–50 of 60', '51–60 of 60']);
  const back = await walk(there[1]?.link('Next page'), 'Previous page');
  expect(back.map(({ names, place }) => ({ names, place }))).toEqual(
    there.map(({ names, place }) => ({ names, place })).reverse(),
  );
  // The first page has the records of the service too.
  expect(back.map(({ text }) => text.includes('Automatic'))).toEqual([false, false, true]);
  expect(back.map(({ link }) => link('First page') === null)).toEqual([false, false, true]);
});

test('the list of records shows a whole first page, although the page before the second one has become shorter', async () => {
  const second = await open((await open(`${home}?size=25`)).link('Next page') ?? '');
  await service.request('DELETE', `/zones/${zone.id}/records/${await idOf('n03')}`, undefined, red.text);
  const first = await open(second.link('Previous page') ?? '');
  expect(first.names).toHaveLength(25);
  expect(first.place).toBe('1–25 of 59');
  const record = RECORDS.find(({ name }) => name === 'n03');
  await service.request('POST', `/zones/${zone.id}/records`, record, red.text);
});

test.each<[string, (record: Sent) => string | number]>([
  ['type', ({ type }) => type],
  ['content', ({ content }) => content],
  ['ttl', ({ ttl }) => ttl ?? DEFAULT_TTL],
])('the list of records is sorted by the column %s, then by name, in numbered pages', async (sort, key) => {
  const there = await walk(`${home}?size=25&sort=${sort}`, 'Next page');
  expect(there.flatMap(({ names }) => names)).toEqual(namesOf(by(key)));
  expect(there[1]?.place).toBe('26–50 of 60');
  const back = await walk(there[1]?.link('Next page'), 'Previous page');
  expect(back.map(({ names }) => names)).toEqual(there.map(({ names }) => names).reverse());
  expect(there[0]?.text).toMatch(new RegExp(`aria-sort="ascending"><a href="[^"]*sort=-${sort}`));
  const most = RECORDS.reduce((a, b) => (key(b) > key(a) ? b : a));
  expect((await open(`${home}?sort=-${sort}`)).names[0]).toBe(most.name);
});

test('the list of records shows the last change in that order, also in the row of a record that was just saved', async () => {
  const changed = { ...RECORDS[31], comment: 'x' };
  await service.request('PUT', `/zones/${zone.id}/records/${await idOf('n31')}`, changed, red.text);
  await service.sql`update changes set at = at - interval '3 hours' where zone_id = ${zone.id} and after->>'name' = 'n05'`;
  const newest = await open(`${home}?sort=-changed`);
  expect(newest.names[0]).toBe('n31');
  expect(newest.text).toMatch(/aria-sort="descending"><a [^>]*>Last change/);
  const oldest = await open(`${home}?sort=changed`);
  expect(oldest.names[0]).toBe('n05');
  expect(words(oldest.text)).toMatch(/ n05 A .* 3 h ago/);
  const cells = async (current: string) => {
    const headers = { 'hx-request': 'true', 'hx-current-url': `${service.url}${current}`, cookie: browser.cookie };
    const row = await fetch(`${service.url}${home}/records/${await idOf('n31')}`, { headers });
    return (await row.text()).match(/<t[hd][ >]/g)?.length;
  };
  expect(await cells(home)).toBe(6);
  expect(await cells(`${home}?q=n&sort=-changed`)).toBe(7);
});

test('the list of records keeps the search, the type and the size of the page in all its links', async () => {
  const { text, link, names, place } = await open(`${home}?q=n&type=A&size=25`);
  expect(names).toHaveLength(25);
  // A search is not counted.
  expect(place).toBe('1–25');
  const heads = [...text.matchAll(/<a href="([^"]*sort=[^"]*)"/g)].map(([, address]) =>
    address?.replaceAll('&amp;', '&'),
  );
  expect(heads.length).toBeGreaterThan(3);
  for (const address of [...heads, link('Next page')]) {
    const kept = new URL(address ?? '', service.url).searchParams;
    expect(['q', 'type', 'size'].map((each) => kept.get(each))).toEqual(['n', 'A', '25']);
  }
});

test('the list of records refuses a place that is none, and takes an order or a number that is none for the first', async () => {
  expect((await browser.get(`${home}?after=x`)).status).toBe(400);
  expect((await browser.get(`${home}?before=%00`)).status).toBe(400);
  const odd = await open(`${home}?size=25&sort=-x&page=-1&from=1e3`);
  expect(odd.names).toEqual(namesOf(RECORDS).slice(0, 25));
  expect((await open(`${home}?sort=ttl&page=9999999`)).names).toEqual([]);
});

test('the list of records asks for a search if more than 10,000 records would be sorted', async () => {
  const large = await service.zone('large.example', red);
  await fillZone(service, large, 10_001);
  const at = `/console/zones/${large.id}`;
  for (const query of ['sort=ttl', 'sort=-changed&q=192.0.2']) {
    const { text, names } = await open(`${at}?${query}`);
    expect(words(text)).toContain('can sort at most 10,000 records. Search for a name, content or type first');
    expect(names[0]).toBe('host1');
  }
  const some = await open(`${at}?sort=-ttl&q=host1000&size=25`);
  expect(some.names).toEqual(['host1000', 'host10000', 'host10001']);
  expect(words(some.text)).not.toContain('can sort at most');
});
