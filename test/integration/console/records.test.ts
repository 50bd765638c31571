// The record pages over HTTP, without JavaScript: the fields of types, the preview, the selection, and the service's
// own records.
import { describe, expect, test } from 'vitest';
import { readStoredRecords, startConsoleService, type Visit, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });

async function entered(person = ada): Promise<Visit> {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
}
let zones = 0;
async function newZone() {
  const name = `records${++zones}.example`;
  const { id } = await service.zone(name, red);
  return { id, name, home: `/console/zones/${id}` };
}
const put = (zone: { id: string }, name: string, type: string, content: string) =>
  service.request('POST', `/zones/${zone.id}/records`, { name, type, content }, red.text);
const stored = (zone: { id: string }) => readStoredRecords(service, zone, red);

test('the form of a record makes the content of the fields of its type, and shows them again', async () => {
  const browser = await entered();
  const zone = await newZone();
  await browser.get(`${zone.home}/records/new?type=CAA`);
  const caa = { name: '@', type: 'CAA', 'f-flags': '0', 'f-tag': 'issue', 'f-value': 'ca.example' };
  expect((await browser.post(`${zone.home}/records`, caa)).location).toBe(zone.home);
  const [record] = await stored(zone);
  expect(record).toMatchObject({ name: '@', type: 'CAA', content: '0 issue "ca.example"' });
  const edit = await browser.get(`${zone.home}/records/${record?.id}/edit`);
  expect(edit.text).toMatch(/<option value="issue" selected>/);
  expect(edit.text).toMatch(/name="f-value"[^>]*value="ca.example"/);
  const changed = { 'f-flags': '128', 'f-tag': 'iodef', 'f-value': 'mailto:ca@example.org' };
  await browser.post(`${zone.home}/records/${record?.id}`, changed);
  expect(await stored(zone)).toMatchObject([{ content: '128 iodef "mailto:ca@example.org"' }]);
});

test('the form of a record shows a missing field at its place, and writes nothing', async () => {
  const browser = await entered();
  const zone = await newZone();
  await browser.get(zone.home);
  // Without the check, the other fields would move to its place: "5 80 host.example." has three words.
  const srv = {
    name: '_a._tcp',
    type: 'SRV',
    'f-priority': '',
    'f-weight': '5',
    'f-port': '80',
    'f-target': 'h.example',
  };
  const page = await browser.post(`${zone.home}/records`, srv);
  expect([page.status, page.text]).toEqual([400, expect.stringContaining('id="f-priority-error">Must not be empty')]);
  expect(page.text).toMatch(/name="f-target"[^>]*value="h.example"/);
  expect(await stored(zone)).toEqual([]);
});

test('the form of a record makes the name of a service from its parts, in the preview and in the record', async () => {
  const browser = await entered();
  const zone = await newZone();
  const { text } = await browser.get(`${zone.home}/records/new?type=SRV`);
  expect(text).toMatch(/name="n-service"[\s\S]*name="n-protocol"[\s\S]*<option value="_udp"/);
  const content = { type: 'SRV', 'f-priority': '10', 'f-weight': '5', 'f-port': '5060', 'f-target': 'sip.example.org' };
  const typed = { ...content, name: 'voice', 'n-service': 'sip', 'n-protocol': '_udp' };
  const preview = await browser.post(`${zone.home}/records/preview`, typed, { 'hx-request': 'true' });
  expect(preview.text).toContain(`_sip._udp.voice.${zone.name}. 3600 IN SRV 10 5 5060 sip.example.org.`);
  await browser.post(`${zone.home}/records`, typed);
  await browser.get(`${zone.home}/records/new?type=SRV`);
  // The parts are optional, because the name may have them.
  await browser.post(`${zone.home}/records`, { ...content, name: '_sips._tcp', 'n-service': '', 'n-protocol': '_tcp' });
  expect((await stored(zone)).map(({ name }) => name).sort()).toEqual(['_sip._udp.voice', '_sips._tcp']);
  const edit = await browser.get(`${zone.home}/records/${(await stored(zone))[0]?.id}/edit`);
  expect(edit.text).not.toContain('n-service');
  expect((await browser.get(`${zone.home}/records/new?type=MX`)).text).not.toContain('n-service');
});

test('the form of a record shows the fields of another type, and a preview, without a change', async () => {
  const browser = await entered();
  const zone = await newZone();
  const { once } = await browser.get(`${zone.home}/records/new`);
  const typed = {
    name: 'www',
    type: 'MX',
    priority: '5',
    'f-target': 'Mail.example.ORG.',
    ttl: '60',
    _once: once.at(-1) ?? '',
  };
  const line = `www.${zone.name}. 60 IN MX 5 mail.example.org.`;
  for (const address of ['fields', 'preview', 'preview']) {
    const page = await browser.post(`${zone.home}/records/${address}`, typed);
    expect([page.status, words(page.text)]).toEqual([200, expect.stringContaining(line)]);
    expect(page.text).toMatch(/name="f-target"[^>]*value="Mail.example.ORG."/);
  }
  const part = await browser.post(`${zone.home}/records/preview`, typed, { 'hx-request': 'true' });
  expect(part.text).toContain(line);
  expect(part.text).not.toContain('<html');
  const wrong = await browser.post(`${zone.home}/records/preview`, { ...typed, 'f-target': '192.0.2.1' });
  expect(words(wrong.text)).toContain('reads as an IP address');
  const script = await browser.post(`${zone.home}/records/preview`, {
    ...typed,
    type: 'TXT',
    'f-text': '<script>x</script>',
  });
  expect(script.text).not.toContain('<script>x');
  expect(await stored(zone)).toEqual([]);
  // The same form is still new for the service.
  expect((await browser.post(`${zone.home}/records`, typed)).status).toBe(303);
  const other = await entered(eve);
  await other.get('/console/teams');
  expect((await other.post(`${zone.home}/records/preview`, typed)).status).toBe(404);
});

test('the list of records shows the records of the service itself, which cannot be edited, and the number of records', async () => {
  const browser = await entered();
  const zone = await newZone();
  await put(zone, 'www', 'A', '192.0.2.1');
  const { text } = await browser.get(zone.home);
  expect(words(text)).toMatch(
    /@ NS ns1\.zonestead\.test 1 h Automatic .* @ SOA ns1\.zonestead\.test, serial \d+ 5 min Automatic/,
  );
  expect(text.match(/Automatic/g)).toHaveLength(3);
  expect(text.match(/>Edit</g)).toHaveLength(1);
  expect(words(text)).toContain('Records 1');
  expect((await browser.get(`${zone.home}?type=SOA`)).text.match(/Automatic/g)).toHaveLength(1);
  expect((await browser.get(`${zone.home}?type=A`)).text).not.toContain('Automatic');
  const made = await browser.post(`${zone.home}/records`, { name: 'new', type: 'A', content: '192.0.2.2' });
  const marked = /<tr class="fresh">[\s\S]*?<th[^>]*>([^<]*)/.exec((await browser.follow(made)).text);
  expect(marked?.[1]).toBe('new');
});

test('the list of records changes the selected records in one change after a confirmation', async () => {
  const browser = await entered();
  const zone = await newZone();
  for (const name of ['a', 'b', 'c']) await put(zone, name, 'A', '192.0.2.1');
  const [a, b, c] = (await stored(zone)).map(({ id }) => id) as [string, string, string];
  const confirm = await browser.get(`${zone.home}/records/selected?do=ttl&id=${a}&id=${b}`);
  expect(words(confirm.text)).toContain('Change the TTL of 2 records');
  const serial = async () => (await service.request('GET', `/zones/${zone.id}`, undefined, red.text)).body.serial;
  const changes = async () =>
    (await service.sql`select distinct serial from changes where zone_id = ${zone.id}`).length;
  const [before, changed] = [await serial(), await changes()];
  const address = `${zone.home}/records/selected`;
  expect((await browser.post(address, { do: 'ttl', id: [a, b], ttl: '5' })).status).toBe(400);
  expect(await serial()).toBe(before);
  expect((await browser.post(address, { do: 'ttl', id: [a, b], ttl: '600' })).location).toBe(zone.home);
  expect((await stored(zone)).map(({ ttl }) => ttl)).toEqual([600, 600, 3600]);
  expect(await changes()).toBe(changed + 1);
  // All or nothing is not spoilt by a record that another client deleted in between.
  await browser.post(`${zone.home}/records/${c}/delete`);
  expect((await browser.post(address, { do: 'delete', id: [a, c] })).status).toBe(303);
  expect((await stored(zone)).map(({ id }) => id)).toEqual([b]);
  expect((await browser.post(address, { do: 'delete', id: [a, c] })).status).toBe(404);
  expect(words((await browser.get(address)).text)).toContain('No record is selected');
});

test('the list of records deletes a selection with a managed record only after a second confirmation', async () => {
  const browser = await entered();
  const zone = await newZone();
  const set = { owner: 'k8s:prod/shop/www', name: 'www', type: 'A', values: [{ content: '192.0.2.1' }] };
  await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);
  const [record] = await stored(zone);
  const address = `${zone.home}/records/selected`;
  const sent = { do: 'delete', id: record?.id ?? '' };
  await browser.get(`${address}?do=delete&id=${record?.id}`);
  const refused = await browser.post(address, sent);
  expect([refused.status, words(refused.text)]).toEqual([409, expect.stringContaining('nothing was changed')]);
  expect(await stored(zone)).toHaveLength(1);
  expect((await browser.post(address, { ...sent, anyway: 'on' })).status).toBe(303);
  expect(await stored(zone)).toEqual([]);
});

test('the list of records changes nothing for another team', async () => {
  const browser = await entered(eve);
  const zone = await newZone();
  await put(zone, 'www', 'A', '192.0.2.1');
  const [record] = await stored(zone);
  await browser.get('/console/teams');
  expect((await browser.get(`${zone.home}/records/selected?do=delete&id=${record?.id}`)).status).toBe(404);
  expect((await browser.post(`${zone.home}/records/selected`, { do: 'delete', id: record?.id ?? '' })).status).toBe(
    404,
  );
  expect(await stored(zone)).toHaveLength(1);
});

describe('a record that another client changed while the page was open', () => {
  /** The hidden fields `seen` of a page. */
  const seenIn = (text: string) =>
    [...text.matchAll(/name="seen" value="([^"]*)"/g)].map(([, value = '']) => value.replaceAll('&quot;', '"'));
  const change = (zone: { id: string }, id: string, body: object) =>
    service.request('PUT', `/zones/${zone.id}/records/${id}`, body, red.text);
  async function opened() {
    const [browser, zone] = [await entered(), await newZone()];
    await put(zone, 'www', 'A', '192.0.2.1');
    const [record] = await stored(zone);
    return { browser, zone, id: record?.id ?? '', address: `${zone.home}/records/${record?.id}` };
  }

  test.each([{}, { 'hx-request': 'true' }])(
    'a record that another client changed while the page was open is not overwritten, and the page shows all three values (%o)',
    async (headers) => {
      const { browser, zone, id, address } = await opened();
      const [seen = ''] = seenIn((await browser.get(`${address}/edit`)).text);
      await change(zone, id, { name: 'www', type: 'A', content: '192.0.2.2', ttl: 60, comment: 'theirs' });
      const typed = { 'f-address': '192.0.2.3', ttl: '', comment: '' };
      const refused = await browser.post(address, { ...typed, seen }, headers);
      expect(refused.status).toBe(412);
      const text = words(refused.text);
      expect(text).toContain('This changed');
      expect(text).toContain('Content 192.0.2.1 192.0.2.2 192.0.2.3');
      expect(text).toContain('TTL 3600 (default) 60 3600 (default)');
      expect(text).toContain('Comment none theirs none');
      expect(await stored(zone)).toMatchObject([{ content: '192.0.2.2' }]);
      // The same form again has the state that the page showed, so the person decided.
      const done = await browser.post(address, { ...typed, seen: seenIn(refused.text)[0] ?? '' }, headers);
      expect(done.status).toBeLessThan(400);
      expect(await stored(zone)).toMatchObject([{ content: '192.0.2.3', ttl: 3600 }]);
    },
  );

  test('a record that another client changed while the page was open is not deleted unseen, alone or with others', async () => {
    const { browser, zone, id, address } = await opened();
    const [seen = ''] = seenIn((await browser.get(`${address}/delete`)).text);
    const selected = `${zone.home}/records/selected`;
    const all = seenIn((await browser.get(`${selected}?do=delete&id=${id}`)).text);
    await change(zone, id, { name: 'www', type: 'A', content: '192.0.2.2' });
    const alone = await browser.post(`${address}/delete`, { seen });
    expect([alone.status, words(alone.text)]).toEqual([412, expect.stringContaining('Content 192.0.2.1 192.0.2.2')]);
    for (const sent of [{ do: 'delete' }, { do: 'ttl', ttl: '60' }]) {
      const refused = await browser.post(selected, { ...sent, id, seen: all });
      expect([refused.status, words(refused.text)]).toEqual([
        412,
        expect.stringContaining('you saw: Content 192.0.2.1'),
      ]);
    }
    expect(await stored(zone)).toMatchObject([{ content: '192.0.2.2', ttl: 3600 }]);
    const again = seenIn((await browser.get(`${selected}?do=delete&id=${id}`)).text);
    expect((await browser.post(selected, { do: 'delete', id, seen: again })).status).toBe(303);
    expect(await stored(zone)).toEqual([]);
  });

  test('a record that another client changed while the page was open has settings of its zone that are not overwritten either', async () => {
    const { browser, zone } = await opened();
    const page = await browser.get(`${zone.home}/settings`);
    // The default TTL, the denial, the comment, and the state.
    expect(seenIn(page.text)).toEqual(['3600', 'NSEC', '', 'active']);
    await service.request('PATCH', `/zones/${zone.id}`, { defaultTtl: 700, comment: 'theirs' }, red.text);
    const ttl = await browser.post(`${zone.home}/ttl`, { defaultTtl: '800', seen: '3600' });
    const sentence = 'This changed from "3600" to "700"';
    expect([ttl.status, words(ttl.text).replaceAll('&#39;', "'")]).toEqual([412, expect.stringContaining(sentence)]);
    const comment = await browser.post(`${zone.home}/comment`, { comment: 'mine', seen: '' });
    expect([comment.status, words(comment.text)]).toEqual([412, expect.stringContaining('from none to "theirs"')]);
    expect((await browser.post(`${zone.home}/ttl`, { defaultTtl: '800', seen: '700' })).status).toBe(303);
    expect((await browser.post(`${zone.home}/comment`, { comment: '', seen: 'theirs' })).status).toBe(303);
  });
});
