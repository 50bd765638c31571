// The zones of the console in a real browser: the life of a record in its row, an import by upload, park, history and
// the live view; hostile contents; every page under axe-core, wide and narrow, light and dark.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFlaws, measureWeight, startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const BASE = 'http://console.test';
const service = await startConsoleService({}, { ZONESTEAD_CONSOLE_URL: BASE });
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const eve = await addPerson(service, { team: 'blue', email: 'eve@example.org' });
const red = await service.key({ team: 'red' });

async function enter(person: { text: string }, options = {}): Promise<Page> {
  const page = await browser.open(options);
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(person.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
  return page;
}

async function newZone(name: string) {
  const { id } = await service.zone(name, red);
  return { id, name, home: `${BASE}/console/zones/${id}` };
}
const put = (zone: { id: string }, body: object) =>
  service.request('POST', `/zones/${zone.id}/records`, body, red.text);
/** An A record of an object in a cluster. */
const own = async (zone: { id: string }, name: string, content: string) => {
  const set = { owner: 'k8s:prod/shop/www', name, type: 'A', values: [{ content }] };
  const { body } = await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);
  return (body.results as [{ records: [{ id: string }] }])[0].records[0];
};
const records = async (zone: { id: string }) =>
  (await service.request('GET', `/zones/${zone.id}/records`, undefined, red.text)).body.records as {
    content: string;
  }[];

test('a record is created, edited and deleted in its row, and DNS follows', async () => {
  const zone = await newZone('life.example');
  const page = await enter(ada);
  await page.goto(zone.home);
  await page.getByRole('button', { name: 'Add record' }).click();
  // The form has the fields of the chosen type.
  await page.getByLabel('Type', { exact: true }).selectOption('URI');
  expect(await page.getByLabel('URI', { exact: true }).getAttribute('placeholder')).toBe('https://www.example.org/');
  await page.getByLabel('Type', { exact: true }).selectOption('A');
  await page.getByLabel('Name', { exact: true }).fill('www');
  await page.getByLabel('IPv4 address').fill('300.0.0.1');
  // The preview follows the typing.
  await page.locator('.preview').getByText('is not an IPv4 address').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  expect(await page.locator('#f-address-error').textContent()).toContain('is not an IPv4 address');
  expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('www');
  expect(await records(zone)).toEqual([]);
  await page.getByLabel('IPv4 address').fill('192.0.2.1');
  await page.locator('.preview').getByText('www.life.example. 3600 IN A 192.0.2.1').waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('status').getByText('The record www (A) was created').waitFor();

  await page.getByRole('link', { name: 'Edit www A' }).click();
  const form = page.getByRole('form', { name: 'Edit www A' });
  // In place: the page is still the list.
  expect(page.url()).toMatch(new RegExp(`${zone.id}(/records)?$`));
  await form.getByLabel('IPv4 address').fill('nonsense');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.locator('.error').getByText('is not an IPv4 address').waitFor();
  expect(await form.getByLabel('IPv4 address').inputValue()).toBe('nonsense');
  await form.getByLabel('IPv4 address').fill('192.0.2.2');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '192.0.2.2' }).waitFor();
  // The keyboard focus is where it was.
  await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Edit www A');
  await expect
    .poll(async () => (await service.dns.lookup('www.life.example', 'A')).answers)
    .toEqual(['www.life.example 3600 A 192.0.2.2']);

  await page.getByRole('link', { name: 'Delete www A' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('cell', { name: '192.0.2.2' }).waitFor({ state: 'detached' });
  // The confirmation has no such cell either.
  await expect.poll(() => records(zone)).toEqual([]);
});

test('an MX is added, and a record is found among thousands, with at most three clicks from the list of zones', async () => {
  const zone = await newZone('clicks.example');
  for (const from of [0, 1_000]) {
    const changes = Array.from({ length: 1_000 }, (_, at) => ({
      action: 'create',
      record: { name: `host${from + at}`, type: 'A', content: '192.0.2.1' },
    }));
    await service.request('POST', `/zones/${zone.id}/records:batch`, { changes }, red.text);
  }
  const page = await enter(ada);
  let clicks = 0;
  const click = async (locator: ReturnType<Page['locator']>) => {
    clicks += 1;
    await locator.click();
  };
  await page.goto(`${BASE}/console/zones`);
  await click(page.getByRole('link', { name: 'clicks.example', exact: true }));
  await click(page.getByRole('button', { name: 'Add record' }));
  await page.getByRole('form', { name: 'Add a record' }).waitFor();
  await page.getByLabel('Type', { exact: true }).selectOption('MX');
  await page.getByLabel('Mail server').waitFor();
  // The keyboard goes from field to field.
  await page.getByLabel('Type', { exact: true }).press('Tab');
  await page.keyboard.type('@');
  await page.keyboard.press('Tab');
  await page.keyboard.type('5');
  await page.keyboard.press('Tab');
  await page.keyboard.type('mail.example.org');
  await click(page.getByRole('button', { name: 'Save', exact: true }));
  await page.locator('tr.fresh').getByText('mail.example.org').waitFor();
  expect(clicks).toBeLessThanOrEqual(3);

  clicks = 0;
  await page.goto(`${BASE}/console/zones`);
  await click(page.getByRole('link', { name: 'clicks.example', exact: true }));
  // The key "/" goes to the search, once the scripts of the page run.
  await page.waitForURL(zone.home);
  await page.keyboard.press('/');
  expect(await page.evaluate('document.activeElement?.name')).toBe('q');
  await page.keyboard.type('host1999');
  await page.keyboard.press('Enter');
  await page.getByRole('rowheader', { name: 'host1999' }).waitFor();
  expect(clicks).toBeLessThanOrEqual(3);
});

test('a selection is deleted in one change, and the form of a selected type needs no JavaScript', async () => {
  const zone = await newZone('selection.example');
  for (const name of ['a', 'b', 'c']) await put(zone, { name, type: 'A', content: '192.0.2.1' });
  const page = await enter(ada);
  await page.goto(zone.home);
  await page.getByLabel('Select all records of this page').check();
  await page.getByLabel('Select b A').uncheck();
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('button', { name: 'Delete 2 records' }).click();
  await page.getByText('2 records were deleted.').waitFor();
  expect(await records(zone)).toHaveLength(1);
  // Going back and sending the form again changes nothing more.
  await page.goBack();
  await page.getByRole('button', { name: 'Delete' }).or(page.getByText('No record is selected')).first().waitFor();

  const plain = await enter(ada, { javaScriptEnabled: false });
  await plain.goto(zone.home);
  await plain.getByRole('button', { name: 'Add record' }).click();
  await plain.getByLabel('Type', { exact: true }).selectOption('SRV');
  await plain.getByRole('button', { name: 'Show the fields of this type' }).click();
  await plain.getByLabel('Name', { exact: true }).fill('@');
  for (const [label, value] of [
    ['Service', '_sip'],
    ['Priority', '1'],
    ['Weight', '2'],
    ['Port', '5060'],
    ['Target', 'sip.example.org'],
  ] as const) {
    await plain.getByLabel(label, { exact: true }).fill(value);
  }
  await plain.getByRole('button', { name: 'Preview', exact: true }).click();
  await plain.getByText('_sip._tcp.selection.example. 3600 IN SRV 1 2 5060 sip.example.org.').waitFor();
  await plain.getByRole('button', { name: 'Save', exact: true }).click();
  await plain.getByText('The record _sip._tcp (SRV) was created').waitFor();
  expect(await records(zone)).toContainEqual(expect.objectContaining({ content: '1 2 5060 sip.example.org' }));
});

test('a deletion in the list is taken back by the button of its message, and the bar of a selection follows it', async () => {
  const zone = await newZone('undone.example');
  for (const name of ['a', 'b', 'c', 'd']) await put(zone, { name, type: 'A', content: '192.0.2.1' });
  const page = await enter(ada);
  await page.goto(zone.home);
  await page.getByRole('link', { name: 'Delete b A' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('status').getByText('The record b (A) was deleted.').waitFor();
  await page.locator('#record-count', { hasText: '3' }).waitFor();
  expect(await page.getByRole('rowheader', { name: 'b', exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: the records of one name and type are as before.').waitFor();
  expect(page.url()).toBe(zone.home);
  await page.getByRole('rowheader', { name: 'b', exact: true }).waitFor();

  const bar = page.getByRole('form', { name: 'Selected records' });
  expect(await bar.isVisible()).toBe(false);
  await page.getByLabel('Select a A').check();
  await page.getByLabel('Select c A').click({ modifiers: ['Shift'] });
  await bar.getByText('3 selected').waitFor();
  await bar.getByRole('button', { name: 'Clear' }).click();
  await bar.waitFor({ state: 'hidden' });
  expect(await page.getByLabel('Select b A').isChecked()).toBe(false);
});

test('a list is searched while a person types, and a dialog with a key finds a name in all zones', async () => {
  const zone = await newZone('typed.example');
  for (const name of ['mail', 'www']) await put(zone, { name, type: 'A', content: '192.0.2.1' });
  const page = await enter(ada);
  await page.goto(zone.home);
  await page.getByRole('searchbox').pressSequentially('mai');
  await page.getByRole('rowheader', { name: 'www' }).waitFor({ state: 'detached' });
  await page.waitForURL(/[?&]q=mai/);
  expect(await page.getByRole('rowheader', { name: 'mail' }).count()).toBe(1);
  await page.goto(`${BASE}/console/teams`);
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search all zones' });
  await dialog.getByRole('textbox').pressSequentially('www.typed.example');
  await dialog.getByRole('link', { name: /^Records of www/ }).click();
  await page.getByRole('rowheader', { name: 'www' }).waitFor();
  // The key Escape closes the dialog.
  await page.keyboard.press('Control+k');
  await dialog.waitFor();
  expect(await findFlaws(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
});

test('without JavaScript, the edit of a record is a page of its own', async () => {
  const zone = await newZone('plain.example');
  await put(zone, { name: 'www', type: 'A', content: '192.0.2.1' });
  const page = await enter(ada, { javaScriptEnabled: false });
  await page.goto(zone.home);
  await page.getByRole('link', { name: 'Edit www A' }).click();
  await page.waitForURL(/\/edit$/);
  await page.getByLabel('IPv4 address').fill('192.0.2.7');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The record www (A) was changed').waitFor();
  expect(await records(zone)).toMatchObject([{ content: '192.0.2.7' }]);
});

test('a zone file is uploaded, previewed, imported; the zone is parked; history and live view show it', async () => {
  const zone = await newZone('file.example');
  await put(zone, { name: 'old', type: 'A', content: '192.0.2.1' });
  const page = await enter(ada);
  await page.goto(`${zone.home}/zonefile`);
  const buffer = Buffer.from('www IN A 192.0.2.5\n@ IN MX 10 mail.example.net.\n');
  await page.getByLabel('Upload a file').setInputFiles({ name: 'a.zone', mimeType: 'text/plain', buffer });
  await page.getByRole('button', { name: 'Preview the changes' }).click();
  await page.getByText('2 created, 0 changed, 1 deleted').waitFor();
  expect(await records(zone)).toHaveLength(1);
  await page.getByRole('button', { name: 'Import 3 changes' }).click();
  await page.getByText('The zone file was imported: 2 created, 0 changed, 1 deleted.').waitFor();

  // The page shows the answers of the moment at which it is opened.
  await service.settled();
  await page.goto(`${zone.home}/live?name=www&type=A`);
  await page.locator('#servers').getByText('192.0.2.5').first().waitFor();
  const picture = page.getByRole('list', { name: 'Chain of trust of file.example' });
  expect(await picture.textContent()).toContain('✓ valid');
  await page.goto(`${zone.home}/settings`);
  await page.getByRole('button', { name: 'Park the zone' }).click();
  await page.getByText('file.example is parked').waitFor();
  await page.goto(`${zone.home}/history`);
  const first = page.locator('ol.history > li').first();
  expect(await first.textContent()).toMatch(/Parked the zone.*by ada@example\.org \(console\)/s);
});

test('a record that an object in a cluster manages is changed only after a warning', async () => {
  const zone = await newZone('owned.example');
  await own(zone, 'www', '192.0.2.1');
  const page = await enter(ada);
  await page.goto(zone.home);
  await page.getByTitle('DNSRecord shop/www in the cluster prod').waitFor();
  await page.getByRole('link', { name: 'Managed … www A' }).click();
  const form = page.getByRole('form', { name: 'Edit www A' });
  await form.getByLabel('IPv4 address').fill('192.0.2.2');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText('nothing was changed').waitFor();
  expect(await records(zone)).toMatchObject([{ content: '192.0.2.1' }]);
  await form.getByLabel('Change it here anyway').check();
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('cell', { name: '192.0.2.2' }).waitFor();
});

test('contents are text: no script of a record runs, wherever it is shown', async () => {
  const zone = await newZone('xss.example');
  const evil = `"<script>document.title='pwned'</script>" "<img src=x onerror=document.title='pwned'>"`;
  await put(zone, { name: 'x', type: 'TXT', content: evil });
  await put(zone, { name: 'xn--bcher-kva', type: 'TXT', content: evil });
  const page = await enter(ada);
  for (const path of ['', '/live?name=x&type=TXT', '/history', '?q=<script>']) {
    await page.goto(`${zone.home}${path}`);
    expect(await page.title()).not.toBe('pwned');
    expect(await page.locator('main img, main script').count()).toBe(0);
  }
  await page.goto(zone.home);
  expect(await page.getByRole('rowheader', { name: 'xn--bcher-kva' }).textContent()).toContain('bücher');
  await page.getByRole('link', { name: 'Edit x TXT' }).click();
  expect(await page.getByRole('form', { name: 'Edit x TXT' }).getByLabel('Text').inputValue()).toBe(evil);
  expect(await page.title()).not.toBe('pwned');
});

test('two teams do not see each other', async () => {
  const zone = await newZone('secret-of-red.example');
  const page = await enter(eve);
  await page.goto(`${BASE}/console/zones`);
  expect(await page.content()).not.toContain('secret-of-red');
  expect((await page.goto(zone.home))?.status()).toBe(404);
  expect(await page.content()).not.toContain('secret-of-red');
});

test('the console has no page of zones with serious findings, sideways scrolling or more than 170 kB, light and dark, small and wide', async () => {
  const zone = await newZone('a-zone-with-a-rather-long-name-that-has-to-be-broken-somewhere.example');
  const { id } = await own(zone, 'www', '192.0.2.1');
  await put(zone, { name: 'dkim._domainkey', type: 'TXT', content: `"v=DKIM1; p=${'A'.repeat(200)}"` });
  const page = await enter(ada);
  const flaws: string[] = [];
  const paths = [
    '',
    '/owners',
    '/live',
    '/history',
    '/zonefile',
    '/delegation',
    '/settings',
    '/delete',
    '/yaml',
    `/records/${id}/edit`,
  ];
  for (const path of paths) {
    expect(await measureWeight(page, `${zone.home}${path}`)).toBeLessThan(170_000);
    flaws.push(...(await findFlaws(page)));
  }
  for (const path of ['zones', 'zones/new', 'search?text=a', 'me']) {
    await page.goto(`${BASE}/console/${path}`);
    flaws.push(...(await findFlaws(page)));
  }
  // With errors, with a row being edited, and with the preview of an import.
  await page.goto(zone.home);
  await page.getByRole('button', { name: 'Add record' }).click();
  await page.getByLabel('Name', { exact: true }).fill('www');
  await page.getByRole('link', { name: 'Managed … www A' }).click();
  await page.getByRole('form', { name: 'Edit www A' }).waitFor();
  flaws.push(...(await findFlaws(page)));
  await page.getByRole('form', { name: 'Add a record' }).getByLabel('IPv4 address').fill('x');
  await page.getByRole('form', { name: 'Add a record' }).getByRole('button', { name: 'Save', exact: true }).click();
  await page.locator('#f-address-error').waitFor();
  flaws.push(...(await findFlaws(page)));
  await page.goto(`${zone.home}/records/selected?do=ttl&id=${id}`);
  flaws.push(...(await findFlaws(page)));
  await page.goto(`${zone.home}/zonefile`);
  await page.getByLabel('Or paste the text').fill('new IN A 192.0.2.1\n');
  await page.getByRole('button', { name: 'Preview the changes' }).click();
  await page.getByText('1 created, 0 changed, 2 deleted').waitFor();
  flaws.push(...(await findFlaws(page)));
  expect(flaws).toEqual([]);
});
