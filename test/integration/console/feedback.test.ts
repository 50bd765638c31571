// Errors and success of changes of records: parts of the list with htmx, pages without it, and `Undo` in the message.
import { expect, test } from 'vitest';
import { readStoredRecords, startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });
const browser = visit(service);
await browser.signIn(ada.text);
const HTMX = { 'hx-request': 'true' };

let zones = 0;
async function newZone() {
  const { id, zoneName } = await service.zone(`feedback${++zones}.example`, red);
  return { id, name: zoneName, home: `/console/zones/${id}` };
}
const stored = async (zone: { id: string }) =>
  (await readStoredRecords(service, zone, red)).map(({ name, content }) => `${name} ${content}`).sort();
const add = async (zone: { id: string }, name: string) => {
  const { body } = await service.request(
    'POST',
    `/zones/${zone.id}/records`,
    { name, type: 'A', content: '192.0.2.1' },
    red.text,
  );
  return body.id as string;
};
/** The fields of the form `Undo` of a message. */
const undoIn = (text: string) => {
  const [, address = '', form = ''] =
    /id="message"[\s\S]*?<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? [];
  const fields = [...form.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]);
  return { address, fields: Object.fromEntries(fields) as Record<string, string> };
};

test('a wrong new record is answered with its form alone, and a right one leads to the list as it was', async () => {
  const zone = await newZone();
  await browser.get(zone.home);
  const wrong = await browser.post(`${zone.home}/records`, { name: 'www', type: 'A', 'f-address': 'x' }, HTMX);
  expect(wrong.status).toBe(400);
  expect(wrong.text).not.toContain('<html');
  expect(wrong.text).toMatch(/<input id="f-address"[^>]*aria-invalid="true"[^>]*autofocus/);
  expect(wrong.text.match(/f-address-error">/g)).toHaveLength(1);
  const current = { 'hx-current-url': `${service.url}${zone.home}?q=w&sort=-ttl` };
  const right = await browser.post(
    `${zone.home}/records`,
    { name: 'www', type: 'A', 'f-address': '192.0.2.1' },
    { ...HTMX, ...current },
  );
  expect([right.status, right.headers.get('hx-redirect')]).toEqual([200, `${zone.home}?q=w&sort=-ttl`]);
  const list = await browser.get(`${zone.home}?q=w`);
  expect(words(list.text)).toContain('The record www (A) was created and is live.');
  expect(list.text).toContain('<tr class="fresh">');
});

test('the button Undo of a message takes back a creation, a change, a deletion and a deletion of several', async () => {
  const zone = await newZone();
  const id = await add(zone, 'a');
  await add(zone, 'b');
  const before = await stored(zone);
  const changes: [string, Record<string, string | string[]>][] = [
    ['/records', { name: 'c', type: 'A', content: '192.0.2.3' }],
    [`/records/${id}`, { content: '192.0.2.9' }],
    [`/records/${id}/delete`, {}],
  ];
  await browser.get(zone.home);
  for (const [path, fields] of changes) {
    const { text } = await browser.follow(await browser.post(`${zone.home}${path}`, fields));
    expect(await stored(zone)).not.toEqual(before);
    const { address, fields: undo } = undoIn(text);
    const undone = await browser.post(address, undo);
    expect([path, undone.location]).toEqual([path, zone.home]);
    expect(await stored(zone)).toEqual(before);
  }
  const ids = (await readStoredRecords(service, zone, red)).map((each) => each.id);
  const deleted = await browser.follow(await browser.post(`${zone.home}/records/selected`, { do: 'delete', id: ids }));
  expect(await stored(zone)).toEqual([]);
  const { address, fields } = undoIn(deleted.text);
  // Another person's form has no right to the zone.
  const other = visit(service);
  await other.signIn(eve.text);
  await other.get('/console/teams');
  expect((await other.post(address, { requestId: fields.requestId ?? '' })).status).toBe(404);
  await browser.post(address, fields);
  expect(await stored(zone)).toEqual(before);
});

test('a deletion in the list is answered with the message and the number of records, and its row is removed', async () => {
  const zone = await newZone();
  const id = await add(zone, 'a');
  await add(zone, 'b');
  await browser.get(zone.home);
  const { text, headers } = await browser.post(`${zone.home}/records/${id}/delete`, {}, HTMX);
  expect(headers.get('hx-reswap')).toBe('delete');
  expect(text).toContain('hx-target="#record-count" hx-swap="innerHTML">1<');
  expect(words(text)).toContain('The record a (A) was deleted.');
  expect(text).toContain(`action="${zone.home}/undo"`);
  // The message was shown.
  expect((await browser.get(zone.home)).text).not.toContain('was deleted');
});

test('a deleted zone is back after Undo', async () => {
  const zone = await newZone();
  await browser.get(zone.home);
  const { text } = await browser.follow(await browser.post(`${zone.home}/delete`, { confirm: zone.name }));
  const { address, fields } = undoIn(text);
  expect(address).toBe('/console/zones/deleted');
  expect((await browser.get(zone.home)).status).toBe(404);
  expect((await browser.post(address, fields)).status).toBe(303);
  expect((await browser.get(zone.home)).status).toBe(200);
});

test('a change of a record that an object manages offers no Undo, which would leave it as it is', async () => {
  const zone = await newZone();
  const set = { owner: 'k8s:prod/shop/www', name: 'www', type: 'A', values: [{ content: '192.0.2.1' }] };
  await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);
  const [record] = await readStoredRecords(service, zone, red);
  await browser.get(zone.home);
  const changed = await browser.post(`${zone.home}/records/${record?.id}`, { content: '192.0.2.2', anyway: 'on' });
  const { text } = await browser.follow(changed);
  expect(words(text)).toContain('was changed');
  expect(undoIn(text).address).toBe('');
});

test('a form for a new record that is saved for another one is open again, with the same type', async () => {
  const zone = await newZone();
  await browser.get(zone.home);
  const typed = { name: 'one', type: 'A', 'f-address': '192.0.2.1', ttl: '5m', another: 'on' };
  const plain = await browser.post(`${zone.home}/records`, typed);
  expect(plain.location).toBe(`${zone.home}/records/new?type=A`);
  const current = { 'hx-current-url': `${service.url}${zone.home}?q=o` };
  const part = await browser.post(`${zone.home}/records`, { ...typed, name: 'two' }, { ...HTMX, ...current });
  expect(part.headers.get('hx-redirect')).toBe(`${zone.home}?q=o&add=A`);
  expect((await browser.get(`${zone.home}?q=o&add=A`)).text).toContain(`hx-get="${zone.home}/records/new?type=A"`);
  expect((await browser.get(`${zone.home}?add=%22x`)).text).not.toContain('hx-trigger="load"></div>');
  expect((await readStoredRecords(service, zone, red)).map(({ ttl }) => ttl)).toEqual([300, 300]);
});
