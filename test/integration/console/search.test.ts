// The search over all zones finds zones and names of the person, and none of others; manifests of a zone and a record.
import { expect, test } from 'vitest';
import { readStoredRecords, startConsoleService, visit, words } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const service = await startConsoleService({ nameserver: false });
const ada = await addPerson(service, { team: 'red' });
const eve = await addPerson(service, { team: 'blue' });
const red = await service.key({ team: 'red' });
const { id } = await service.zone('found.example', red);
const home = `/console/zones/${id}`;
for (const [name, type, content] of [
  ['www', 'A', '192.0.2.1'],
  ['www', 'A', '192.0.2.2'],
  ['mail', 'TXT', '"<b>"'],
])
  await service.request('POST', `/zones/${id}/records`, { name, type, content }, red.text);
const entered = async (person: { text: string }) => {
  const browser = visit(service);
  await browser.signIn(person.text);
  return browser;
};
const [browser, other] = [await entered(ada), await entered(eve)];

test('the search finds a zone by a part of its name, and the zone of a whole name', async () => {
  const links = async (text: string) =>
    [
      ...(await browser.get(`/console/search?text=${text}`)).text.matchAll(
        /<li><a href="(\/console\/zones\/zone[^"]*)"/g,
      ),
    ].map(([, address]) => address);
  expect(await links('FOUND')).toEqual([home]);
  expect(await links('www.found.example')).toEqual([`${home}?q=www`]);
  expect(await links('nowhere')).toEqual([]);
  for (const text of ['%00', '%3Cscript%3E', '..', `${'a.'.repeat(200)}b`, 'a&text=b'])
    expect((await browser.get(`/console/search?text=${text}`)).status).toBe(200);
  const part = await browser.get('/console/search');
  expect(part.text).toContain('<html');
});

test('the search and the manifests show another team nothing', async () => {
  for (const text of ['found', 'www.found.example', 'found.example'])
    expect((await other.get(`/console/search?text=${text}`)).text).not.toContain(id);
  const [record] = await readStoredRecords(service, { id }, red);
  for (const path of ['/yaml', `/records/${record?.id}/yaml`]) {
    const page = await other.get(`${home}${path}`);
    expect([path, page.status, page.text.includes('192.0.2.1')]).toEqual([path, 404, false]);
  }
});

test('a zone and the records at a name are shown as objects that take them over', async () => {
  const zone = words((await browser.get(`${home}/yaml`)).text);
  expect(zone).toMatch(/kind: DNSZone .*zoneName: found\.example .*kind: DNSRecord/);
  expect(zone).toContain('&lt;b&gt;');
  const record = (await readStoredRecords(service, { id }, red)).find(({ name }) => name === 'www');
  const text = words((await browser.get(`${home}/records/${record?.id}/yaml`)).text);
  expect(text).toMatch(/192\.0\.2\.1.*192\.0\.2\.2/);
  expect(text.match(/kind: DNSRecord/g)).toHaveLength(1);
  expect(text).not.toContain('kind: DNSZone');
});

test('a zone with more records than a page shows names the command that prints them', async () => {
  const large = await service.zone('large.example', red);
  const changes = Array.from({ length: 501 }, (_, at) => ({
    action: 'create',
    record: { name: `h${at}`, type: 'A', content: '192.0.2.1' },
  }));
  expect((await service.request('POST', `/zones/${large.id}/records:batch`, { changes }, red.text)).status).toBe(200);
  const { text } = await browser.get(`/console/zones/${large.id}/yaml`);
  expect(words(text)).toContain('zonestead zones export large.example --format manifests');
  expect(text).not.toContain('kind: DNSRecord');
});
