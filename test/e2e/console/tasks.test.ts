// Two frequent tasks in the pages of a zone, each in at most three clicks from the list of zones, and the overview, in
// a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFlaws, startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const BASE = 'http://console.test';
const MAX_CLICKS = 3;
const service = await startConsoleService({}, { ZONESTEAD_CONSOLE_URL: BASE });
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const red = await service.key({ team: 'red' });
const zone = await service.zone('tasks.example', red);

/** The list of zones, and a function that clicks a link or button and counts. */
async function begin(): Promise<{
  page: Page;
  click: (role: 'link' | 'button', name: string | RegExp) => Promise<void>;
  clicks: () => number;
}> {
  const page = await browser.open();
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
  await page.goto(`${BASE}/console/zones`);
  let clicks = 0;
  const click = async (role: 'link' | 'button', name: string | RegExp) => {
    clicks += 1;
    await page.getByRole(role, { name }).first().click();
  };
  return { page, click, clicks: () => clicks };
}

test('a change is undone, and DNS follows', async () => {
  await service.request(
    'POST',
    `/zones/${zone.id}/records`,
    { name: 'www', type: 'A', content: '192.0.2.1' },
    red.text,
  );
  await expect.poll(async () => (await service.dns.lookup('www.tasks.example', 'A')).rcode).toBe('NOERROR');
  const { page, click, clicks } = await begin();
  await click('link', /: history of tasks\.example$/);
  await click('link', /^Undo the change by/);
  expect(await findFlaws(page)).toEqual([]);
  await click('button', 'Undo');
  await page.getByText('Undone: the records of one name and type').waitFor();
  expect(clicks()).toBeLessThanOrEqual(MAX_CLICKS);
  expect(await findFlaws(page)).toEqual([]);
  await expect.poll(async () => (await service.dns.lookup('www.tasks.example', 'A')).rcode).toBe('NXDOMAIN');
});

test('the live view names the node that lags', async () => {
  await service.settled();
  await expect.poll(async () => (await service.sql`select name from nodes where position is not null`).length).toBe(1);
  // A second node with the position of the first one, which then gets no report any more.
  await service.sql`insert into nodes select (jsonb_populate_record(n, jsonb_build_object(
    'name', 'late', 'instance', gen_random_uuid(), 'reported_at', now() + interval '1 hour'))).* from nodes n where name = 'ns1'`;
  await service.request(
    'POST',
    `/zones/${zone.id}/records`,
    { name: 'new', type: 'A', content: '192.0.2.1' },
    red.text,
  );
  const { page, click, clicks } = await begin();
  await click('link', 'tasks.example');
  await click('link', 'Live');
  await page.locator('#summary').getByText('late is behind for').waitFor();
  expect(clicks()).toBeLessThanOrEqual(MAX_CLICKS);
  expect(await page.locator('#servers tr', { hasText: 'late' }).textContent()).toContain('behind');
  expect(await findFlaws(page)).toEqual([]);
});

test('the overview has plots without flaws, also without figures', async () => {
  const { page } = await begin();
  await page.goto(`${BASE}/console/`);
  await page.getByRole('img', { name: 'Queries per second by node' }).waitFor();
  expect(await findFlaws(page)).toEqual([]);
  await service.sql`insert into node_samples (node, instance, at, answers, applied, applied_seconds)
    select 'ns' || node, 'a', date_trunc('minute', now()) - slot * interval '15 minutes',
      jsonb_build_object('noerror', 1000 * (100 - slot), 'nxdomain', 10 * (100 - slot)), 100 - slot, 100 - slot
    from generate_series(1, 7) node, generate_series(0, 96) slot`;
  await page.reload();
  await page.getByText('The data has all nodes').waitFor();
  await page.locator('.plot summary').first().click();
  expect(await findFlaws(page)).toEqual([]);
});
