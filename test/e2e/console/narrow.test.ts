// The console in a narrow window, at twice the size, from right to left, and in a browser with the German language: no
// page scrolls sideways. A first visit has few requests.
import { expect, test } from 'vitest';
import { startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const BASE = 'http://console.test';
const MAX_REQUESTS = 8;
const service = await startConsoleService({ nameserver: false }, { ZONESTEAD_CONSOLE_URL: BASE });
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const red = await service.key({ team: 'red' });
const zone = await service.zone('a-zone-with-a-rather-long-name.example', red);
const home = `/console/zones/${zone.id}`;
const records = [
  { name: 'www', type: 'A', content: '192.0.2.1', comment: 'the web server' },
  { name: 'dkim._domainkey', type: 'TXT', content: `"v=DKIM1; p=${'A'.repeat(200)}"` },
];
for (const record of records) await service.request('POST', `/zones/${zone.id}/records`, record, red.text);
const set = { owner: 'k8s:prod/shop/web', name: 'web', type: 'A', values: [{ content: '192.0.2.2' }] };
await service.request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] }, red.text);

async function enter(options: object) {
  const page = await browser.open(options);
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
  return page;
}

const PAGES = ['/console/', '/console/zones', '/console/me', '/console/search', '/console/teams'];
const ZONE_PAGES = ['', '/history', '/delegation', '/settings', '/records/new?type=MX', '/yaml', '/owners', '/live'];

test.each([
  ['320 px wide', { viewport: { width: 320, height: 640 } }, 'ltr'],
  ['at twice the size', { viewport: { width: 640, height: 450 }, deviceScaleFactor: 2 }, 'ltr'],
  ['from right to left', { viewport: { width: 1_280, height: 800 }, locale: 'ar' }, 'rtl'],
  ['from right to left on a phone', { viewport: { width: 360, height: 640 }, locale: 'ar' }, 'rtl'],
  ['in German', { viewport: { width: 360, height: 640 }, locale: 'de-DE', timezoneId: 'Europe/Berlin' }, 'ltr'],
])('the console %s has no page that scrolls sideways', async (_how, options, direction) => {
  const page = await enter(options);
  const wide: string[] = [];
  for (const path of [...PAGES, ...ZONE_PAGES.map((each) => `${home}${each}`)]) {
    await page.goto(`${BASE}${path}`);
    await page.evaluate(`document.documentElement.dir = '${direction}'`);
    const width = await page.evaluate<number>('document.documentElement.scrollWidth');
    if (width > options.viewport.width) wide.push(`${path}: ${width} px`);
  }
  expect(wide).toEqual([]);
  // Numbers and days are those of the page, not those of the browser.
  await page.goto(`${BASE}${home}/history`);
  expect(await page.locator('h2.day').first().textContent()).toMatch(/^\d{4}-\d\d-\d\d$/);
});

test('the first visit of the records of a zone has at most eight requests', async () => {
  const page = await enter({});
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(new URL(request.url()).pathname));
  // A busy browser may send the request of the head later than the network seems idle.
  const state = page.waitForResponse((response) => new URL(response.url()).pathname === `${home}/state`);
  await page.goto(`${BASE}${home}`);
  await state;
  await page.waitForLoadState('networkidle');
  expect(addresses.length).toBeLessThanOrEqual(MAX_REQUESTS);
});
