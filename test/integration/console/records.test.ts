// The record pages over HTTP, without JavaScript: the fields of types, the preview, the selection, and the service's own records.
import { describe, expect, it } from 'vitest';
import { recordsOf, startConsoleService, type Visit, visit, words } from '../../support/console.ts';
import { addPerson } from '../../support/people.ts';

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
const stored = (zone: { id: string }) => recordsOf(service, zone, red);

describe('the form of a record', () => {
  it('makes the content of the fields of its type, and shows them again', async () => {
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

  it('shows a missing field at its place, and writes nothing', async () => {
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

  it('shows the fields of another type, and a preview, without a change', async () => {
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
});

describe('the list', () => {
  it('shows the records of the service itself, which nobody edits, and the number of records', async () => {
    const browser = await entered();
    const zone = await newZone();
    await put(zone, 'www', 'A', '192.0.2.1');
    const { text } = await browser.get(zone.home);
    expect(words(text)).toMatch(
      /@ NS ns1\.zonestead\.test 3600 by the service .* @ SOA ns1\.zonestead\.test, serial \d+ 300 by/,
    );
    expect(text.match(/by the service/g)).toHaveLength(3);
    expect(text.match(/>Edit</g)).toHaveLength(1);
    expect(words(text)).toContain('Records 1');
    expect((await browser.get(`${zone.home}?type=SOA`)).text.match(/by the service/g)).toHaveLength(1);
    expect((await browser.get(`${zone.home}?type=A`)).text).not.toContain('by the service');
    const made = await browser.post(`${zone.home}/records`, { name: 'new', type: 'A', content: '192.0.2.2' });
    const marked = /<tr class="fresh">[\s\S]*?<th[^>]*>([^<]*)/.exec((await browser.follow(made)).text);
    expect(marked?.[1]).toBe('new');
  });

  it('changes the selected records in one change after a confirmation', async () => {
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
    // All or nothing is not spoilt by a record that somebody else deleted in between.
    await browser.post(`${zone.home}/records/${c}/delete`);
    expect((await browser.post(address, { do: 'delete', id: [a, c] })).status).toBe(303);
    expect((await stored(zone)).map(({ id }) => id)).toEqual([b]);
    expect((await browser.post(address, { do: 'delete', id: [a, c] })).status).toBe(404);
    expect(words((await browser.get(address)).text)).toContain('No record is selected');
  });

  it('deletes a selection with a managed record only after a second confirmation', async () => {
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

  it('changes nothing for another team', async () => {
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
});
