// A zone of 100,000 records in a real browser: one of them is found in at most four clicks from the list of zones, the
// list is sorted, and it is read forwards and backwards. No part of it needs a script.
import { expect, test } from 'vitest';
import { findFlaws, startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { fillZone } from '../../support/service/large-zone.ts';
import { addPerson } from '../../support/service/people.ts';

const BASE = 'http://console.test';
const MAX_CLICKS = 4;
const service = await startConsoleService({ nameserver: false }, { ZONESTEAD_CONSOLE_URL: BASE });
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
await fillZone(service, await service.zone('large.example', await service.key({ team: 'red' })), 100_000);

test.each([true, false])(
  'a record among 100,000 is found in at most four clicks (scripts: %s)',
  async (javaScriptEnabled) => {
    const page = await browser.open({ javaScriptEnabled });
    await page.goto(`${BASE}/console/sign-in`);
    await page.getByLabel('Personal API key').fill(ada.text);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.goto(`${BASE}/console/zones`);
    let clicks = 0;
    const click = async (role: 'link' | 'button', name: string) => {
      clicks += 1;
      await page.getByRole(role, { name, exact: true }).first().click();
    };
    const rows = page.locator('tbody tr:not(.own)');
    await click('link', 'large.example');
    await page.getByText('1–50 of 100,000').waitFor();
    await page.getByRole('searchbox').fill('host54321');
    await click('button', 'Search');
    await page.getByRole('link', { name: 'All records' }).waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('192.0.2.1');
    await click('link', 'Edit host54321 A');
    await page.getByLabel('IPv4 address').waitFor();
    expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);
    // A part of a name finds all records with it, in the order of a column.
    await page.goto(`${page.url().split(/[?]|\/records/)[0]}?q=host5432`);
    expect(await rows.count()).toBe(11);
    await click('link', 'TTL');
    await page.locator('th[aria-sort="ascending"]', { hasText: 'TTL' }).waitFor();
    expect(await rows.count()).toBe(11);
  },
);

test('a zone of 100,000 records has pages in both directions, from both ends, without flaws', async () => {
  const page = await browser.open();
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.goto(`${BASE}/console/zones`);
  await page.getByRole('link', { name: 'large.example', exact: true }).click();
  await page.getByRole('link', { name: 'Next page' }).click();
  await page.getByText('51–100 of 100,000').waitFor();
  expect(await findFlaws(page)).toEqual([]);
  await page.getByRole('link', { name: 'Previous page' }).click();
  await page.getByText('1–50 of 100,000').waitFor();
  await page.getByRole('link', { name: 'Name', exact: true }).click();
  // In DNSSEC's order, 99999 is the last one.
  await page.locator('tbody tr:not(.own)').first().getByRole('rowheader', { name: 'host99999', exact: true }).waitFor();
  await page.getByRole('link', { name: 'TTL', exact: true }).click();
  await page.getByText('can sort at most 10,000 records').waitFor();
  expect(await findFlaws(page)).toEqual([]);
});
