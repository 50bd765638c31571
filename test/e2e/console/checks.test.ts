// The pages of health checks in a real browser: a check is created and chosen for a record, an address is pinned; every
// page under axe-core, wide and narrow, light and dark, and without JavaScript.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFlaws, startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { startWebServers } from '../../support/http/web-servers.ts';
import { addPerson } from '../../support/service/people.ts';

const BASE = 'http://console.test';
const service = await startConsoleService(
  { settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' } },
  { ZONESTEAD_CONSOLE_URL: BASE },
);
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const red = await service.key({ team: 'red' });

async function enter(options = {}): Promise<Page> {
  const page = await browser.open(options);
  await page.goto(`${BASE}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
  return page;
}

test.each([true, false])('a person watches and pins addresses; scripts: %s', async (javaScriptEnabled) => {
  const name = javaScriptEnabled ? 'web' : 'plain';
  const { port, servers } = await startWebServers(2);
  const zone = await service.zone(`${name}.example`, red);
  const page = await enter({ javaScriptEnabled });
  const flaws: string[] = [];
  // axe-core is a script.
  const look = async () => flaws.push(...(javaScriptEnabled ? await findFlaws(page) : []));
  await page.goto(`${BASE}/console/checks`);
  await look();
  await page.getByRole('button', { name: 'New check' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Type').selectOption('http');
  await page.getByLabel('Port').fill('seventy');
  await page.getByRole('button', { name: 'Create the check' }).click();
  await page.locator('#port-error').waitFor();
  await look();
  await page.getByLabel('Port').fill(String(port));
  await page.locator('summary', { hasText: 'Rhythm' }).click();
  await page.getByLabel('Interval', { exact: true }).fill('1');
  await page.getByRole('button', { name: 'Create the check' }).click();
  await page.getByRole('heading', { name: `Check ${name}` }).waitFor();
  const check = page.url();

  await page.goto(`${BASE}/console/zones/${zone.id}`);
  for (const [at, { address }] of servers.entries()) {
    if (at > 0) await page.goto(`${BASE}/console/zones/${zone.id}`);
    await page.getByRole('button', { name: 'Add record' }).click();
    await page.getByLabel('Name', { exact: true }).fill('www');
    await page.getByLabel('IPv4 address').fill(address);
    await page.locator('summary', { hasText: 'Health check' }).click();
    await page.getByLabel('Check', { exact: true }).fill(name);
    if (at > 0) await page.getByLabel('Tier').selectOption('1');
    await look();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('cell', { name: address }).waitFor();
  }
  await servers[0]?.stop();
  await expect
    .poll(async () => {
      await page.goto(check);
      return page.getByRole('cell', { name: 'The connection is refused.' }).count();
    })
    .toBe(1);
  await look();
  await page.getByRole('link', { name: `Pin of ${servers[1]?.address}` }).click();
  await look();
  await page.getByLabel('Reason').fill('kernel update');
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await page.getByText('pinned Unhealthy').waitFor();
  await look();
  await page.getByRole('button', { name: `Unpin ${servers[1]?.address}` }).click();
  await page.getByText('the probes count again').waitFor();
  await page.goto(`${BASE}/console/zones/${zone.id}`);
  await page.getByText(`${name}: failing`).waitFor();
  await look();
  for (const path of ['/edit', '/delete']) {
    await page.goto(`${check}${path}`);
    await look();
  }
  await page.goto(`${BASE}/console/checks`);
  await page.getByText('1 unhealthy').first().waitFor();
  await look();
  expect(flaws).toEqual([]);
});
