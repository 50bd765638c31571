// The pages of zones over HTTP, without JavaScript: the changes they make, their errors, and their visibility.
import { expect, test } from 'vitest';
import { readStoredRecords, startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });

async function entered(person: { text: string }): Promise<Visit> {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
}

let zones = 0;
async function zoneOfRed(name = `red${++zones}.example`): Promise<{ id: string; home: string; name: string }> {
  const { id } = await service.zone(name, red);
  return { id, home: `/console/zones/${id}`, name };
}

const put = (zone: { id: string }, body: object) =>
  service.request('POST', `/zones/${zone.id}/records`, body, red.text);
/** An A record of an object in a cluster. */
const own = async (zone: { id: string }, name: string, content: string) => {
  const set = { owner: 'k8s:prod/shop/www', name, type: 'A', values: [{ content }] };
  const { body } = await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);
  return (body.results as [{ records: [{ id: string }] }])[0].records[0];
};
const stored = (zone: { id: string }) => readStoredRecords(service, zone, red);

test('the list of zones finds zones by a part of their name and by their state, in pages', async () => {
  const browser = await entered(ada);
  const parked = await zoneOfRed('list-parked.example');
  await zoneOfRed('list-active.example');
  await zoneOfRed('xn--bcher-kva.example');
  await service.request('POST', `/zones/${parked.id}/park`, undefined, red.text);
  const found = async (query: string) => {
    const { text } = await browser.get(`/console/zones?${query}`);
    return [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)/g)].map(([, name]) => name);
  };
  expect(await found('q=list-')).toEqual(['list-active.example', 'list-parked.example']);
  expect(await found('q=list-&state=parked')).toEqual(['list-parked.example']);
  expect(await found(`q=${encodeURIComponent('bücher')}`)).toEqual(['xn--bcher-kva.example']);
  expect(words((await browser.get('/console/zones?q=xn--')).text)).toContain('bücher.example');
  expect(await found('q=%00')).toEqual([]);
  expect((await browser.get('/console/zones?cursor=%00')).status).toBeLessThan(500);
});

test('the list of zones shows records, last change and owner, sorted and in numbered pages', async () => {
  const browser = await entered(ada);
  const made: string[] = [];
  for (let n = 0; n < 27; n++) made.push((await zoneOfRed(`sorted-${String(n).padStart(2, '0')}.example`)).name);
  const full = await zoneOfRed('sorted-full.example');
  for (const name of ['a', 'b']) await put(full, { name, type: 'A', content: '192.0.2.1' });
  await service.sql`update zones set updated_at = now() - interval '3 hours' where name = 'sorted-03.example'`;
  const list = async (query: string) => {
    const { text } = await browser.get(`/console/zones?q=sorted-&size=25&${query}`);
    const names = [...text.matchAll(/<th scope="row"><a [^>]*>([^<]*)/g)].map(([, name]) => name);
    return { text, names };
  };
  const [first, second] = [await list(''), await list('page=2')];
  expect([...first.names, ...second.names]).toEqual([...made, full.name].sort());
  expect(first.names).toHaveLength(25);
  expect(words(first.text)).toMatch(/Zones 28 .* 1–25 of 28 .*Next page/);
  expect(first.text).toMatch(/<time [^>]*title="\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC">3 h ago</);
  expect(second.text).toMatch(/rel="prev"/);
  expect(second.text).not.toMatch(/rel="next"/);
  expect(words(second.text)).toMatch(/26–28 of 28/);
  expect((await list('sort=-name')).names).toEqual([...made, full.name].sort().reverse().slice(0, 25));
  expect((await list('sort=-records')).names[0]).toBe(full.name);
  expect((await list('sort=records&page=2')).names.at(-1)).toBe(full.name);
  const changed = await list('sort=-changed');
  expect(changed.names).not.toContain('sorted-03.example');
  // A click on the column of the order turns the order around.
  expect(changed.text).toMatch(/aria-sort="descending"><a href="[^"]*sort=changed[^"]*">Last change/);
  expect((await list('sort=changed')).names[0]).toBe('sorted-03.example');
  expect((await list('sort=-changed&page=2')).names.at(-1)).toBe('sorted-03.example');
  expect((await list('owner=personal')).names).toEqual([]);
  expect((await list(`owner=${ada.team}`)).names).toHaveLength(25);
  expect((await list(`owner=${eve.team}`)).names).toHaveLength(25);
  expect((await list('page=99999999999')).names).toHaveLength(25);
  expect((await list('page=50')).names).toEqual([]);
  const other = await entered(eve);
  expect((await other.get(`/console/zones?owner=${ada.team}`)).text).not.toContain('sorted-');
});

test('the list of zones creates a zone for a team or for the person, and keeps the typed values of a refused form', async () => {
  const browser = await entered(ada);
  await browser.get('/console/zones/new');
  const wrong = await browser.post('/console/zones', {
    zoneName: 'bad name.example',
    owner: `org:${ada.team}`,
    defaultTtl: '77',
  });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toMatch(/<input [^>]*name="zoneName"[^>]*aria-invalid="true"[^>]*value="bad name.example"/);
  expect(wrong.text).toMatch(/name="defaultTtl"[^>]*value="77"/);
  const made = await browser.post('/console/zones', {
    zoneName: 'made-here.example',
    owner: `org:${ada.team}`,
    defaultTtl: '',
  });
  expect(made.status).toBe(303);
  const page = await browser.get(made.location ?? '');
  expect(words(page.text)).toContain('made-here.example. IN DS');
  expect((await browser.get('/console/zones?q=made-here')).text).toContain('red');
});

test('the list of zones does not show the zones of another team', async () => {
  const zone = await zoneOfRed();
  const record = (await put(zone, { name: 'www', type: 'A', content: '192.0.2.1' })).body as { id: string };
  const other = await entered(eve);
  expect((await other.get('/console/zones')).text).not.toContain(zone.name);
  const nowhere = await other.get('/console/zones/zone_00000000000000000000');
  for (const path of [
    '',
    '/settings',
    '/live',
    '/history',
    '/owners',
    '/zonefile',
    '/zonefile/export',
    '/delete',
    '/delegation',
    '/state',
  ]) {
    const page = await other.get(`${zone.home}${path}`);
    expect([path, page.status]).toEqual([path, 404]);
    expect(page.text).not.toContain(zone.name);
  }
  expect(nowhere.status).toBe(404);
  await other.get('/console/zones/new');
  const posts: [string, Record<string, string>][] = [
    ['/records', { name: 'x', type: 'A', content: '192.0.2.1' }],
    [`/records/${record.id}`, { content: '192.0.2.9' }],
    [`/records/${record.id}/delete`, {}],
    ['/ttl', { defaultTtl: '60' }],
    ['/denial', { denial: 'NSEC3' }],
    ['/park', {}],
    ['/hide-card', {}],
    ['/unpark', {}],
    ['/delete', { confirm: zone.name }],
    ['/zonefile', { file: '@ TXT "x"' }],
    ['/zonefile/import', { serial: '1' }],
  ];
  for (const [path, fields] of posts) {
    expect([path, (await other.post(`${zone.home}${path}`, fields)).status]).toEqual([path, 404]);
  }
  expect(await stored(zone)).toMatchObject([{ content: '192.0.2.1', ttl: 3600 }]);
});

test('records in the console have an example of each type, and a type by its number', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  const { text } = await browser.get(`${zone.home}/records/new?type=SSHFP`);
  expect(text).toMatch(/<option value="SSHFP" selected>/);
  expect(text).toMatch(/<select id="f-algorithm" name="f-algorithm"[^>]*>\s*<option value="4">4: Ed25519/);
  expect(text).toMatch(/<textarea id="f-fingerprint" name="f-fingerprint"[^>]*placeholder="[0-9a-f]{64}"/);
  expect(words((await browser.get(`${zone.home}/records/new?type=TYPEn`)).text)).toContain('Generic RDATA');
  const fields = { name: 'box', type: 'TYPEn', content: '\\# 1 ff', ttl: '', priority: '' };
  const refused = await browser.post(`${zone.home}/records`, { ...fields, number: '6' });
  expect([refused.status, words(refused.text)]).toEqual([400, expect.stringContaining('TYPE6 is SOA')]);
  expect(refused.text).toMatch(/name="number"[^>]*value="6"/);
  expect((await browser.post(`${zone.home}/records`, { ...fields, number: '65280' })).status).toBe(303);
  expect(await stored(zone)).toMatchObject([{ name: 'box', type: 'TYPE65280', content: '\\# 1 ff' }]);
  const found = await browser.get(`${zone.home}?type=TYPE65280`);
  expect(found.text).toMatch(/<option value="TYPE65280" selected>/);
  expect((await browser.get(`${zone.home}/live?name=box&type=TYPEn&number=65280`)).text).toMatch(
    /<option value="TYPEn" selected>[\s\S]*name="number"[^>]*value="65280"/,
  );
});

test('records in the console are created, changed and deleted', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  await browser.get(zone.home);
  const fields = { name: 'mail', type: 'MX', content: 'mx.example.net', ttl: '300', priority: '20' };
  expect((await browser.post(`${zone.home}/records`, fields)).status).toBe(303);
  const [record] = await stored(zone);
  expect(record).toMatchObject({ name: 'mail', type: 'MX', content: 'mx.example.net', ttl: 300, priority: 20 });
  const edit = await browser.get(`${zone.home}/records/${record?.id}/edit`);
  expect(edit.text).toMatch(/name="priority"[^>]*value="20"/);
  expect(edit.text).toMatch(/name="f-target"[^>]*placeholder="mail.example.org"[^>]*value="mx.example.net"/);
  const changed = await browser.post(`${zone.home}/records/${record?.id}`, { content: 'mx2.example.net', ttl: '' });
  expect(changed.location).toBe(zone.home);
  expect(await stored(zone)).toMatchObject([{ id: record?.id, content: 'mx2.example.net', ttl: 3600 }]);
  expect(words((await browser.get(`${zone.home}/records/${record?.id}/delete`)).text)).toContain('Delete mail MX');
  await browser.post(`${zone.home}/records/${record?.id}/delete`);
  expect(await stored(zone)).toEqual([]);
});

test("records in the console show the API's own error at the wrong field, keep the typed values, and write nothing", async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  await put(zone, { name: 'taken', type: 'A', content: '192.0.2.1' });
  await browser.get(zone.home);
  const cases: [Record<string, string>, string][] = [
    [{ name: 'www', type: 'A', content: '300.1.1.1' }, 'f-address'],
    [{ name: 'a b', type: 'A', content: '192.0.2.1' }, 'name'],
    [{ name: 'www', type: 'A', content: '192.0.2.1', ttl: '5' }, 'ttl'],
    [{ name: 'www', type: 'A', content: '192.0.2.1', ttl: 'soon' }, 'ttl'],
    [{ name: 'www', type: 'A', content: '192.0.2.1', priority: '5' }, 'priority'],
    [{ name: 'taken', type: 'CNAME', content: 'x.example' }, 'type'],
    [{ name: 'www', type: 'TXT', content: '' }, 'f-text'],
  ];
  for (const [fields, field] of cases) {
    const page = await browser.post(`${zone.home}/records`, fields);
    const says = (await put(zone, api(fields))).body as { message: string };
    expect([fields, page.status >= 400 && page.status < 500]).toEqual([fields, true]);
    const [, sentence = ''] = new RegExp(`id="${field}-error">([^<]*)<`).exec(page.text) ?? [];
    const plain = sentence.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&gt;', '>');
    expect(says.message.slice(says.message.indexOf(': ') + 2).toLowerCase()).toBe(plain.toLowerCase());
    for (const typed of Object.values(fields)) expect(page.text).toContain(typed);
  }
  expect(await stored(zone)).toHaveLength(1);
});

test('records in the console are found by name and content in any spelling of the name, in pages', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  const changes = Array.from({ length: 120 }, (_, at) => ({
    action: 'create',
    record: { name: `host${String(at).padStart(3, '0')}`, type: 'A', content: `192.0.2.${at}` },
  }));
  await service.request('POST', `/zones/${zone.id}/records:batch`, { changes }, red.text);
  await put(zone, { name: 'xn--bcher-kva', type: 'TXT', content: '"Only Here"' });
  const names = (text: string) => [...text.matchAll(/<th scope="row" class="mono">([^<\s]*)/g)].map(([, name]) => name);
  const seen: (string | undefined)[] = [];
  let page = await browser.get(zone.home);
  for (let turn = 0; turn < 3; turn++) {
    seen.push(...names(page.text));
    const [, next] = /<a href="([^"]*)" rel="next"/.exec(page.text) ?? [];
    if (next === undefined) break;
    page = await browser.get(next.replaceAll('&amp;', '&'));
  }
  expect(seen).toHaveLength(121);
  expect(new Set(seen).size).toBe(121);
  expect(names((await browser.get(`${zone.home}?q=only+here`)).text)).toEqual(['xn--bcher-kva']);
  expect(names((await browser.get(`${zone.home}?q=${encodeURIComponent('BÜCHER')}`)).text)).toEqual(['xn--bcher-kva']);
  expect(names((await browser.get(`${zone.home}?q=host01&type=A`)).text)).toHaveLength(10);
  expect(names((await browser.get(`${zone.home}?q=host&type=TXT`)).text)).toEqual([]);
  expect((await browser.get(`${zone.home}?after=nonsense`)).status).toBe(400);
});

test('records in the console have a comment that is shown, found, changed and removed', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  await browser.get(zone.home);
  const typed = { name: 'www', type: 'A', content: '192.0.2.1' };
  await browser.post(`${zone.home}/records`, { ...typed, comment: ' the web server ' });
  await put(zone, { name: 'other', type: 'A', content: '192.0.2.2' });
  const [record] = (await stored(zone)).filter(({ name }) => name === 'www');
  expect(record).toMatchObject({ comment: 'the web server' });
  const found = (await browser.get(`${zone.home}?q=WEB+server`)).text;
  expect(words(found)).toContain('the web server');
  expect(found).not.toContain('192.0.2.2');
  const at = `${zone.home}/records/${record?.id}`;
  expect((await browser.get(`${at}/edit`)).text).toMatch(/<input [^>]*name="comment"[^>]*value="the web server"/);
  const wrong = await browser.post(at, { content: typed.content, comment: 'x'.repeat(501) });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/name="comment"[^>]*aria-invalid="true"/)]);
  expect(words(wrong.text)).toContain('at most 500');
  await browser.post(at, { content: typed.content, comment: 'another' });
  expect(words((await browser.get(`${zone.home}/history`)).text)).toMatch(/comment the web server → another/);
  await browser.post(at, { content: typed.content, comment: '' });
  expect((await stored(zone)).find(({ name }) => name === 'www')).not.toHaveProperty('comment');
});

test('records in the console cannot inject a script into a page, and cannot make a page large', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  const evil = `"<script>alert(1)</script>" "'><img src=x onerror=alert(2)>"`;
  const comment = `<script>alert(3)</script> ${evil}`;
  await service.request('PATCH', `/zones/${zone.id}`, { comment }, red.text);
  const { id } = (await put(zone, { name: 'x', type: 'TXT', content: evil, comment })).body as { id: string };
  const long = await put(zone, {
    name: 'long',
    type: 'TXT',
    content: `"${'\\097'.repeat(200)}" `.repeat(300).trim(),
  });
  expect(long.status).toBe(201);
  const other = { type: 'A', content: '192.0.2.1', comment: '<'.repeat(500) };
  const changes = Array.from({ length: 60 }, (_, n) => ({ action: 'create', record: { ...other, name: `n${n}` } }));
  expect((await service.request('POST', `/zones/${zone.id}/records:batch`, { changes }, red.text)).status).toBe(200);
  expect((await browser.get('/console/zones')).text).not.toContain('<script>');
  const paths = ['', '/settings', '/history', '/live?name=x&type=TXT', `/records/${id}/edit`, `/records/${id}/delete`];
  for (const path of [...paths, `/records/${long.body.id}/edit`, '?q=%3Cscript%3Ealert(1)%3C/script%3E']) {
    const page = await browser.get(`${zone.home}${path}`);
    expect([path, page.status]).toEqual([path, 200]);
    expect(page.text).not.toMatch(/<script>|<img/);
    expect(page.text.length).toBeLessThan(200_000);
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
  }
  const refused = await browser.post(`${zone.home}/records`, { name: '"><script>', type: 'A', content: '<script>' });
  expect(refused.text).not.toContain('<script>');
});

test('the comment of a zone is typed for a new zone, shown, changed and removed', async () => {
  const browser = await entered(ada);
  await browser.get('/console/zones/new');
  const typed = { zoneName: 'noted.example', owner: `org:${ada.team}`, defaultTtl: '' };
  const wrong = await browser.post('/console/zones', { ...typed, comment: 'x'.repeat(501) });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringMatching(/name="comment"[^>]*aria-invalid="true"/)]);
  const made = await browser.post('/console/zones', { ...typed, comment: 'for the shop' });
  const home = (made.location ?? '').split('?')[0] ?? '';
  for (const page of ['/console/zones', home, `${home}/settings`])
    expect(words((await browser.get(page)).text)).toContain('for the shop');
  expect((await browser.post(`${home}/comment`, { comment: 'for the team' })).status).toBe(303);
  expect(words((await browser.get(`${home}/history`)).text)).toMatch(/comment for the shop → for the team/);
  await browser.post(`${home}/comment`, { comment: '' });
  expect((await browser.get(home)).text).not.toContain('for the team');
  expect(made.status).toBe(303);
});

test('a record that an object in a cluster manages shows the object, and is changed only after a confirmation', async () => {
  const browser = await entered(ada);
  const zone = await zoneOfRed();
  const { id } = await own(zone, 'www', '192.0.2.1');
  expect(words((await browser.get(zone.home)).text)).toContain('managed by DNSRecord shop/www');
  const edit = `${zone.home}/records/${id}`;
  expect((await browser.get(`${edit}/edit`)).text).toContain('which may revert changes');
  const refused = await browser.post(edit, { content: '192.0.2.2' });
  expect(refused.status).toBe(409);
  expect(refused.text).toMatch(/aria-describedby="anyway-[^"]*-error"/);
  expect((await browser.post(`${edit}/delete`)).status).toBe(409);
  expect(await stored(zone)).toMatchObject([{ content: '192.0.2.1' }]);
  expect((await browser.post(edit, { content: '192.0.2.2', anyway: 'on' })).status).toBe(303);
  // The record still belongs to the object: a manual edit does not take it over.
  expect(words((await browser.get(zone.home)).text)).toContain('managed by DNSRecord shop/www');
});

test('a record that an object in a cluster manages is also a zone that its creation marks', async () => {
  const create = (zoneName: string, by: string) =>
    service.request('POST', '/zones', { zoneName, owner: `org:${red.team}` }, red.text, {
      'zonestead-managed-by': by,
    });
  const zone = (await create('marked.example', 'DNSZone shop/marked')).body as { id: string };
  expect(Object.keys(zone)).not.toContain('managedBy');
  const wrong = await create('wrong.example', 'nokind');
  expect([wrong.status, (wrong.body as { message: string }).message]).toEqual([
    400,
    'Zonestead-Managed-By: must be a kind and a name, for instance "DNSZone default/site".',
  ]);
  const browser = await entered(ada);
  expect(words((await browser.get(`/console/zones?q=marked`)).text)).toContain('managed by DNSZone shop/marked');
  await browser.get(`/console/zones/${zone.id}/settings`);
  expect((await browser.post(`/console/zones/${zone.id}/park`)).status).toBe(409);
  expect((await browser.post(`/console/zones/${zone.id}/ttl`, { defaultTtl: '60' })).status).toBe(409);
});

/** The fields of a form as a JSON body. */
function api({ ttl, priority, ...fields }: Record<string, string>) {
  const number = (text: string | undefined) =>
    text === undefined ? {} : Number.isNaN(Number(text)) ? text : Number(text);
  return {
    ...fields,
    ...(ttl === undefined ? {} : { ttl: number(ttl) }),
    ...(priority === undefined ? {} : { priority: number(priority) }),
  };
}
