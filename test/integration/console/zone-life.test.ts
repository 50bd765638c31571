// The pages of one zone over HTTP: settings, park, delete, preview and import of zone files, history, the live view.
import { expect, test } from 'vitest';
import { startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { expectServedSerial } from '../../support/dns/answers.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService();
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const red = await service.key({ team: 'red' });

const browser: Visit = visit(service);
await browser.signIn(ada.text);

/** As long as the boundaries of browsers. */
const BOUNDARY = '----WebKitFormBoundary0123456789abcdef';

let zones = 0;
async function newZone() {
  const name = `life${++zones}.example`;
  const { id } = await service.zone(name, red);
  return { id, name, home: `/console/zones/${id}` };
}
const put = (zone: { id: string }, name: string, type: string, content: string) =>
  service.request('POST', `/zones/${zone.id}/records`, { name, type, content }, red.text);
const records = async (zone: { id: string }) => {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`, undefined, red.text);
  return (body.records as { name: string; type: string; content: string }[]).map(
    ({ name, type, content }) => `${name} ${type} ${content}`,
  );
};
const seenIn = (text: string) => /name="seen" value="([^"]+)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '';
const read = async (zone: { id: string }) =>
  (await service.request('GET', `/zones/${zone.id}`, undefined, red.text)).body as { state: string; records: number };

test('the form of a new zone gives a zone that was deleted its key back, or a new one if the box is ticked', async () => {
  const keyOf = async (id: string) =>
    (await service.request('GET', `/zones/${id}`, undefined, red.text)).body.ds as { keyTag: number }[];
  const fields = { zoneName: 'box.example', owner: `org:${red.team}`, defaultTtl: '', comment: '' };
  const made = async (more: Record<string, string> = {}) => {
    const reply = await browser.post('/console/zones', { ...fields, ...more });
    expect(reply.status).toBe(303);
    const id = /zone_[0-9a-z]+/.exec(String(reply.headers.get('location')))?.[0] as string;
    return { id, ds: await keyOf(id) };
  };
  await browser.get('/console/zones/new');
  const first = await made();
  await service.request('DELETE', `/zones/${first.id}`, undefined, red.text);
  const second = await made();
  expect(second.ds).toEqual(first.ds);
  const page = words((await browser.get(`/console/zones/${second.id}/settings`)).text);
  expect(page).toContain(`the DNSSEC key ${first.ds[0]?.keyTag} of the deleted zone`);
  await service.request('DELETE', `/zones/${second.id}`, undefined, red.text);
  expect((await made({ newKey: 'on' })).ds).not.toEqual(first.ds);
});

test('the delegation of a zone has name servers and DS records to copy, and its settings set the default TTL', async () => {
  const zone = await newZone();
  const page = await browser.get(`${zone.home}/delegation`);
  expect(words(page.text)).toContain('ns1.zonestead.test ns2.zonestead.test');
  const { body } = await service.request('GET', `/zones/${zone.id}/ds`, undefined, red.text);
  for (const { record } of body.ds as { record: string }[]) expect(page.text).toContain(record);
  const wrong = await browser.post(`${zone.home}/ttl`, { defaultTtl: '7' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toMatch(/name="defaultTtl"[^>]*aria-invalid="true"[^>]*value="7"/);
  expect((await browser.post(`${zone.home}/ttl`, { defaultTtl: '120' })).status).toBe(303);
  const read = await service.request('GET', `/zones/${zone.id}`, undefined, red.text);
  expect(read.body.defaultTtl).toBe(120);
});

test('a person chooses the denial of names for a new zone, and changes it in the settings', async () => {
  const fields = { zoneName: 'denial.example', owner: `org:${red.team}`, defaultTtl: '', comment: '', denial: 'NSEC3' };
  expect((await browser.get('/console/zones/new')).text).toContain('<option value="NSEC3">NSEC3</option>');
  const made = await browser.post('/console/zones', fields);
  const home = `/console/zones/${/zone_[0-9a-z]+/.exec(String(made.headers.get('location')))?.[0]}`;
  const id = home.split('/').at(-1);
  const readDenial = async () =>
    (await service.request('GET', `/zones/${id}`, undefined, red.text)).body.denial as string;
  expect(await readDenial()).toBe('NSEC3');
  expect((await browser.get(`${home}/settings`)).text).toContain('<option value="NSEC3" selected>NSEC3</option>');
  expect((await browser.post(`${home}/denial`, { denial: 'NSEC4', seen: 'NSEC3' })).status).toBe(400);
  // Another person has changed it meanwhile.
  expect((await browser.post(`${home}/denial`, { denial: 'NSEC', seen: 'NSEC' })).status).toBe(412);
  expect((await browser.post(`${home}/denial`, { denial: 'NSEC', seen: 'NSEC3' })).status).toBe(303);
  expect(await readDenial()).toBe('NSEC');
  const history = words((await browser.get(`${home}/history`)).text);
  expect(history).toMatch(/denial/i);
});

test('a person parks and unparks a zone in its settings, as DNS shows', async () => {
  const zone = await newZone();
  await put(zone, 'www', 'A', '192.0.2.1');
  await browser.get(`${zone.home}/settings`);
  await browser.post(`${zone.home}/park`);
  await expect.poll(async () => (await service.dns.lookup(`www.${zone.name}`, 'A')).rcode).toBe('NXDOMAIN');
  expect(words((await browser.get(`${zone.home}/settings`)).text)).toContain('Unpark the zone');
  await browser.post(`${zone.home}/unpark`);
  await expect.poll(async () => (await service.dns.lookup(`www.${zone.name}`, 'A')).rcode).toBe('NOERROR');
});

test('a person deletes a zone only after its name is typed', async () => {
  const zone = await newZone();
  await browser.get(`${zone.home}/delete`);
  const wrong = await browser.post(`${zone.home}/delete`, { confirm: 'life' });
  expect(wrong.status).toBe(400);
  expect(wrong.text).toContain(`Type ${zone.name} to confirm; nothing was deleted.`);
  expect((await browser.post(`${zone.home}/delete`, { confirm: `${zone.name}.` })).location).toBe('/console/zones');
  expect((await browser.get(zone.home)).status).toBe(404);
});

test('a person does not park or unpark a zone whose state or comment another client changed while the page was open', async () => {
  const zone = await newZone();
  const parking = async () => {
    const { text } = await browser.get(`${zone.home}/settings`);
    const form = /action="[^"]*\/(?:un)?park">[\s\S]*?<\/form>/.exec(text)?.[0] ?? '';
    const [, seenComment = ''] = /name="seenComment" value="([^"]*)"/.exec(form) ?? [];
    return { seen: seenIn(form), seenComment };
  };
  const open = await parking();
  expect(open).toEqual({ seen: 'active', seenComment: '' });
  await service.request('PATCH', `/zones/${zone.id}`, { comment: 'Do not park: <b>call</b> first' }, red.text);
  // A change of the records, and of other settings, does not matter.
  await put(zone, 'www', 'A', '192.0.2.1');
  const refused = await browser.post(`${zone.home}/park`, open);
  expect([refused.status, words(refused.text)]).toEqual([
    412,
    expect.stringContaining('comment: This changed from none to "Do not park: &lt;b&gt;call&lt;/b&gt; first"'),
  ]);
  expect(await read(zone)).toMatchObject({ state: 'active' });
  const again = await parking();
  await service.request('PATCH', `/zones/${zone.id}`, { defaultTtl: 700 }, red.text);
  await put(zone, 'mail', 'A', '192.0.2.1');
  const comment = again.seenComment.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
  expect((await browser.post(`${zone.home}/park`, { ...again, seenComment: comment })).status).toBe(303);
  const late = await browser.post(`${zone.home}/park`, { ...again, seenComment: comment });
  expect([late.status, words(late.text)]).toEqual([
    412,
    expect.stringContaining('This changed from "active" to "parked"'),
  ]);
  const unpark = { ...(await parking()), seenComment: comment };
  expect(unpark.seen).toBe('parked');
  await service.request('POST', `/zones/${zone.id}/unpark`, undefined, red.text);
  expect((await browser.post(`${zone.home}/unpark`, unpark)).status).toBe(412);
  expect(await read(zone)).toMatchObject({ state: 'active' });
});

test('a person does not delete a zone that another client changed while the page was open, and sees the difference', async () => {
  const zone = await newZone();
  const page = await browser.get(`${zone.home}/delete`);
  await put(zone, 'www', 'A', '192.0.2.1');
  await service.request('PATCH', `/zones/${zone.id}`, { comment: 'still used' }, red.text);
  const sent = { confirm: zone.name, seen: seenIn(page.text) };
  const refused = await browser.post(`${zone.home}/delete`, sent);
  expect([refused.status, words(refused.text)]).toEqual([412, expect.stringContaining('This changed')]);
  expect(words(refused.text)).toContain('Value You saw It is now Records 0 1 Comment none still used Serial');
  expect(refused.text).toContain(`value="${zone.name}"`);
  expect((await browser.get(zone.home)).status).toBe(200);
  // The page again has the state that it showed, so the person decided.
  const done = await browser.post(`${zone.home}/delete`, { ...sent, seen: seenIn(refused.text) });
  expect(done.location).toBe('/console/zones');
  expect((await browser.get(zone.home)).status).toBe(404);
});

test('a person deletes a zone for some days, in which its owner alone can restore it', async () => {
  const zone = await newZone();
  await put(zone, 'www', 'A', '192.0.2.1');
  const { ds } = (await service.request('GET', `/zones/${zone.id}`, undefined, red.text)).body;
  expect(words((await browser.get(`${zone.home}/delete`)).text)).toContain('For 72 hours you can bring it back');
  await browser.post(`${zone.home}/delete`, { confirm: zone.name });
  const restore = { zoneName: zone.name, zoneId: zone.id };

  const stranger = visit(service);
  await stranger.signIn((await addPerson(service, { team: 'blue', email: 'bob@example.org' })).text);
  expect((await stranger.get('/console/zones/deleted')).text).not.toContain(zone.name);
  const refused = await stranger.post('/console/zones/deleted', restore);
  expect([refused.status, refused.text]).toEqual([404, expect.stringContaining('role="alert"')]);

  const page = await browser.get('/console/zones/deleted');
  expect(words(page.text)).toMatch(new RegExp(`${zone.name} 1 just now .* red Restore`));
  expect((await browser.post('/console/zones/deleted', restore)).location).toBe(zone.home);
  expect(words((await browser.get(zone.home)).text)).toContain('is back with its records and its DNSSEC key');
  expect(await records(zone)).toEqual(['www A 192.0.2.1']);
  expect((await service.request('GET', `/zones/${zone.id}`, undefined, red.text)).body.ds).toEqual(ds);
  expect((await browser.get('/console/zones/deleted')).text).not.toContain(zone.name);
  expect((await browser.post('/console/zones/deleted', restore)).status).toBe(404);
});

test('a zone file is exported, previewed, and imported exactly as previewed', async () => {
  const zone = await newZone();
  await put(zone, 'stays', 'A', '192.0.2.1');
  await put(zone, 'goes', 'A', '192.0.2.2');
  await put(zone, 'moves', 'A', '192.0.2.3');
  const exported = await browser.get(`${zone.home}/zonefile/export`);
  expect(exported.headers.get('content-disposition')).toBe(`attachment; filename="${zone.name}.zone"`);
  const file = `${exported.text.replace(/^goes.*\n/m, '').replace('192.0.2.3', '192.0.2.33')}new\tIN\tTXT\t"<b>"\n`;
  await browser.get(`${zone.home}/zonefile`);
  const preview = await browser.post(`${zone.home}/zonefile`, { file });
  expect(preview.status).toBe(200);
  expect(words(preview.text)).toContain('1 created, 1 changed, 1 deleted, 1 unchanged');
  expect(words(preview.text)).toContain('deleted goes A 192.0.2.2 (3600 s) –');
  expect(words(preview.text)).toContain('changed moves A 192.0.2.3 (3600 s) 192.0.2.33 (3600 s)');
  expect(preview.text).toContain('&lt;b&gt;');
  expect(await records(zone)).toHaveLength(3);
  const imported = await browser.post(`${zone.home}/zonefile/import`, { seen: seenIn(preview.text) });
  expect(imported.status).toBe(303);
  expect(await records(zone)).toEqual(['moves A 192.0.2.33', 'new TXT "<b>"', 'stays A 192.0.2.1']);
  const again = await browser.post(`${zone.home}/zonefile/import`, { seen: seenIn(preview.text) });
  expect([again.status, words(again.text)]).toEqual([409, expect.stringContaining('imported already')]);
});

test('a zone file is not imported over changes that were made in the meantime: the preview is shown again', async () => {
  const zone = await newZone();
  await browser.get(`${zone.home}/zonefile`);
  const preview = await browser.post(`${zone.home}/zonefile`, { file: 'www IN A 192.0.2.1\n' });
  await put(zone, 'since', 'A', '192.0.2.9');
  const late = await browser.post(`${zone.home}/zonefile/import`, { seen: seenIn(preview.text) });
  expect(late.status).toBe(409);
  expect(words(late.text)).toContain('deleted since A 192.0.2.9');
  expect(await records(zone)).toEqual(['since A 192.0.2.9']);
  await browser.post(`${zone.home}/zonefile/import`, { seen: seenIn(late.text) });
  expect(await records(zone)).toEqual(['www A 192.0.2.1']);
});

test('a zone file is not imported in place of another one that was previewed in another window', async () => {
  const zone = await newZone();
  await browser.get(`${zone.home}/zonefile`);
  const one = await browser.post(`${zone.home}/zonefile`, { file: 'one IN A 192.0.2.1\n' });
  await browser.post(`${zone.home}/zonefile`, { file: 'two IN A 192.0.2.2\n' });
  const refused = await browser.post(`${zone.home}/zonefile/import`, { seen: seenIn(one.text) });
  expect([refused.status, words(refused.text)]).toEqual([409, expect.stringContaining('created two A')]);
  expect(await records(zone)).toEqual([]);
});

test('a zone file with wrong lines is refused with their numbers, and stays in the form', async () => {
  const zone = await newZone();
  await browser.get(`${zone.home}/zonefile`);
  const file = 'www IN A 192.0.2.1\nbad IN A 300.0.0.1\n<script> IN TXT "x"\n';
  const page = await browser.post(`${zone.home}/zonefile`, { file });
  expect(page.status).toBe(400);
  expect(words(page.text)).toMatch(/Line 2: .*Line 3: /);
  expect(page.text).toContain('bad IN A 300.0.0.1');
  expect(page.text).not.toContain('<script>');
  const none = await browser.post(`${zone.home}/zonefile`, { file: ' ' });
  expect(none.text).toMatch(/id="file-error">Choose a file/);
  expect(await records(zone)).toEqual([]);
});

test('a zone file asks for confirmation before it changes records that an object in a cluster manages', async () => {
  const zone = await newZone();
  const set = { owner: 'k8s:prod/shop/www', name: 'www', type: 'A', values: [{ content: '192.0.2.1' }] };
  await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);
  await browser.get(`${zone.home}/zonefile`);
  const preview = await browser.post(`${zone.home}/zonefile`, { file: 'other IN A 192.0.2.5\n' });
  expect(words(preview.text)).toContain(
    '1 of these records is managed by DNSRecord shop/www in the cluster prod , which may revert',
  );
  const seen = seenIn(preview.text);
  expect((await browser.post(`${zone.home}/zonefile/import`, { seen })).status).toBe(409);
  expect(await records(zone)).toEqual(['www A 192.0.2.1']);
  expect((await browser.post(`${zone.home}/zonefile/import`, { seen, anyway: 'on' })).status).toBe(303);
  expect(await records(zone)).toEqual(['other A 192.0.2.5']);
  expect(words((await browser.get(zone.home)).text)).toContain(
    '1 deleted. Changed or deleted records belong to DNSRecord shop/www in the cluster prod',
  );
});

test('a zone file can be uploaded; a file that is not text is refused', async () => {
  const zone = await newZone();
  const { csrf } = await browser.get(`${zone.home}/zonefile`);
  const send = async (bytes: Uint8Array<ArrayBuffer>) => {
    const form = new FormData();
    form.set('_csrf', csrf);
    form.set('upload', new Blob([bytes]), 'a.zone');
    form.set('file', '');
    const answer = await fetch(`${service.url}${zone.home}/zonefile`, {
      method: 'POST',
      body: form,
      headers: { cookie: browser.cookie },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const good = await send(new TextEncoder().encode('up IN A 192.0.2.1\n'));
  expect([good.status, words(good.text)]).toEqual([200, expect.stringContaining('created up A – 192.0.2.1')]);
  expect((await send(Uint8Array.of(0xff, 0xfe, 0x41))).status).toBe(400);
  const nul = await send(Uint8Array.of(0x61, 0));
  expect([nul.status, nul.text]).toEqual([400, expect.stringContaining('A zone file must not hold a NUL')]);
  expect(await records(zone)).toEqual([]);
});

test.each([
  `boundary=${BOUNDARY}`,
  // Another parameter of the content type must not be taken for the boundary.
  `xboundary=${BOUNDARY}other; boundary=${BOUNDARY}`,
  `boundary="${BOUNDARY}"; boundary=${BOUNDARY}other`,
])('a zone file in a form of many fields is refused before it is parsed (%s)', async (parameters) => {
  const zone = await newZone();
  const { csrf } = await browser.get(`${zone.home}/zonefile`);
  const send = async (fields: number) => {
    const part = (name: string, value: string) =>
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
    const more = Array.from({ length: fields - 2 }, (_each, at) => part(`n${at}`, ''));
    const body = [part('_csrf', csrf), part('file', 'many IN A 192.0.2.1'), ...more, `--${BOUNDARY}--\r\n`].join('');
    const headers = { cookie: browser.cookie, 'content-type': `multipart/form-data; ${parameters}` };
    const answer = await fetch(`${service.url}${zone.home}/zonefile`, { method: 'POST', body, headers });
    return [answer.status, words(await answer.text())];
  };
  expect(await send(17)).toEqual([400, expect.stringContaining('more than 16 fields')]);
  expect(await send(16)).toEqual([200, expect.stringContaining('created many A')]);
});

test('a zone file is refused if it has more than 9 MiB', async () => {
  const zone = await newZone();
  const { csrf } = await browser.get(`${zone.home}/zonefile`);
  const form = new FormData();
  form.set('_csrf', csrf);
  form.set('upload', new Blob(['; '.repeat(5 * 1024 * 1024)]), 'a.zone');
  const init = { method: 'POST', body: form, headers: { cookie: browser.cookie } };
  expect((await fetch(`${service.url}${zone.home}/zonefile`, init)).status).toBe(413);
});

test('the history of a zone shows each change with the state before and after, and its author', async () => {
  const zone = await newZone();
  const { id } = (await put(zone, 'www', 'A', '192.0.2.1')).body as { id: string };
  await browser.get(zone.home);
  await browser.post(`${zone.home}/records/${id}`, { content: '192.0.2.2', ttl: '60' });
  await browser.post(`${zone.home}/park`);
  const text = words((await browser.get(`${zone.home}/history`)).text);
  expect(text).toMatch(/Parked the zone by ada@example\.org \(console\)/);
  expect(text).toMatch(/Changed A www content 192\.0\.2\.1 → 192\.0\.2\.2 · ttl 3600 → 60 by ada@example\.org/);
  expect(text).toMatch(/Created A www → 192\.0\.2\.1/);
  expect(text).toContain(red.id);
});

test('the history of a zone shows the program that used a key of the team', async () => {
  const zone = await newZone();
  const key = await service.key({ team: 'red' });
  const record = { name: 'www', type: 'A', content: '192.0.2.1' };
  const agent = { 'user-agent': 'zonestead-operator' };
  await service.request('POST', `/zones/${zone.id}/records`, record, key.text, agent);
  const text = words((await browser.get(`${zone.home}/history`)).text);
  expect(text).toMatch(new RegExp(`by test \\(zonestead-operator\\) .* Key ${key.id}`));
  expect((await browser.get(`/console/teams/${red.team}/apps`)).text).toContain('zonestead-operator');
});

test('the live view shows the answers of both name servers, their serials, and the chain of trust', async () => {
  const zone = await newZone();
  await put(zone, 'www', 'A', '192.0.2.1');
  const { body } = await service.request('GET', `/zones/${zone.id}`, undefined, red.text);
  await expect.poll(async () => (await service.dns.lookup(`www.${zone.name}`, 'A')).rcode).toBe('NOERROR');
  const live = async () => words((await browser.get(`${zone.home}/live?name=www&type=A`)).text);
  // The node reports once a second.
  await expect.poll(live, { timeout: 60_000 }).toMatch(/(?:All \d name servers are|The name server is) up to date\. /);
  const text = await live();
  expect(text).toMatch(
    /ns1 node ns1\.zonestead\.test \([\d.:]+\) up to date \d+ NOERROR 3600 A 192\.0\.2\.1 [\d.]+ ms/,
  );
  expectServedSerial(Number(/ up to date (\d+)/.exec(text)?.[1]), body.serial);
  expect(text).toContain('Stored at this name: 192.0.2.1 (3600 s)');
  const plain = words((await browser.get(`${zone.home}/live`)).text);
  expect(plain).toMatch(/ns1 node ns1\.zonestead\.test \([\d.:]+\) up to date \d+ [\d.]+ ms/);
  const [{ keyTag } = { keyTag: 0 }] = body.ds as { keyTag: number }[];
  expect(text).toContain(`✓ key ${keyTag} · over A`);
  // The parent of a test zone does not delegate to it: it has no DS.
  expect(text).toContain('DS at the parent – missing');
  expect(text).toContain('RRSIG of the answer ✓ valid');
  const wrong = await browser.get(`${zone.home}/live?name=${encodeURIComponent('a b')}`);
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('id="name-error"')]);
});

test('the live view shows a complete chain for a zone below a hosted zone', async () => {
  const parent = await newZone();
  const { id } = await service.zone(`child.${parent.name}`, red);
  await expect.poll(async () => (await service.dns.lookup(`child.${parent.name}`, 'DS')).rcode).toBe('NOERROR');
  const text = words((await browser.get(`/console/zones/${id}/live`)).text);
  expect(text).toContain('DS at the parent ✓ valid');
  expect(text).toContain('DNSKEY of the zone ✓ valid');
  expect(text).toContain('RRSIG of the answer ✓ valid');
});

test('the owners of records are shown at the records, on a page of their own and in the history, and an edit needs a confirmation', async () => {
  const zone = await newZone();
  const owner = 'k8s:prod/default/<b>www</b>';
  const set = (text: string, name: string) => ({ owner: text, name, type: 'A', values: [{ content: '192.0.2.77' }] });
  const sets = [set(owner, 'www'), set('acme:lego', 'other')];
  const { body } = await service.request('POST', `/zones/${zone.id}/records:apply`, { sets }, red.text);
  const [first] = body.results as { records: { id: string }[] }[];
  const list = await browser.get(zone.home);
  expect(list.text).toContain('DNSRecord default/&lt;b&gt;www&lt;/b&gt; in the cluster prod');
  expect(list.text).not.toContain('<b>www</b>');
  const page = await browser.get(`${zone.home}/owners`);
  expect(words(page.text)).toMatch(/&lt;b&gt;www&lt;\/b&gt; in the cluster prod www A 192\.0\.2\.77 3600 as applied/);
  const some = words((await browser.get(`${zone.home}/owners?prefix=acme:`)).text);
  expect(some).toContain('acme:lego');
  expect(some).not.toContain('in the cluster prod');
  expect(words((await browser.get(`${zone.home}/history`)).text)).toContain('for acme:lego');
  await browser.get(`${zone.home}/records/${first?.records[0]?.id}/edit`);
  const address = `${zone.home}/records/${first?.records[0]?.id}`;
  expect((await browser.post(address, { content: '192.0.2.78' })).status).toBe(409);
  expect((await browser.post(address, { content: '192.0.2.78', anyway: 'on' })).status).toBe(303);
  expect(words((await browser.get(`${zone.home}/owners?prefix=k8s:`)).text)).toContain('changed by others');
});
