// The console in a real browser: sign-in, Team → Apps and Members, by keyboard, without JavaScript, and through a
// provider.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFlaws, measureWeight, startBrowser } from '../../support/console/browser.ts';
import { CONSOLE_ORIGIN, startConsoleWithProvider } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';

const { idp, service } = await startConsoleWithProvider('ops=platform:owner');
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
await addPerson(service, { team: 'red', role: 'member', email: 'ben@example.org' });
const home = `${CONSOLE_ORIGIN}/console/teams/${ada.team}`;

const status = async (key: string) => (await service.request('GET', '/zones', undefined, key)).status;

async function signIn(page: Page): Promise<void> {
  await page.goto(`${CONSOLE_ORIGIN}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
}

/** Presses Tab until the element of this name has the focus. @throws if no such element gets it */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 60; step++) {
    await page.keyboard.press('Tab');
    const text = await page.evaluate<string>(
      `(() => { const e = document.activeElement; return e.labels?.[0]?.textContent ?? e.textContent ?? ''; })()`,
    );
    if (name.test(text.trim())) return;
  }
  throw new Error(`the Tab key does not reach ${name}`);
}

test('a person signs in, creates a key, uses it, revokes it and signs out by keyboard alone', async () => {
  const page = await browser.open();
  await page.goto(`${CONSOLE_ORIGIN}/console/sign-in`);
  await tabTo(page, /^Personal API key/);
  await page.keyboard.type(ada.text);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/console\/(?!sign-in)/);
  await tabTo(page, /^Teams$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/teams$/);
  await tabTo(page, /^red$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/apps$/);
  await tabTo(page, /^Create a key for certificates$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/new/);
  await tabTo(page, /^Name/);
  await page.keyboard.type('typed by hand');
  await tabTo(page, /^Create the key$/);
  await page.keyboard.press('Enter');
  const secret = (await page.locator('#key').textContent()) ?? '';
  expect(secret).toMatch(/^yk_/);
  expect(await status(secret)).toBe(200);
  await tabTo(page, /^Done$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys of red' }).waitFor();
  expect(await page.content()).not.toContain(secret);
  await tabTo(page, /^Revoke typed by hand$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/revoke$/);
  await tabTo(page, /^Revoke the key$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys of red' }).waitFor();
  expect(await page.getByRole('status').textContent()).toContain('The key typed by hand was revoked.');
  expect(await status(secret)).toBe(401);
  await tabTo(page, /^Sign out$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/sign-in$/);
  await page.goBack();
  expect(await page.content()).not.toContain('typed by hand');
});

test('the console works without JavaScript, and with it offers to copy', async () => {
  const [bare, full] = [await browser.open({ javaScriptEnabled: false }), await browser.open()];
  for (const page of [bare, full]) {
    await signIn(page);
    await page.goto(`${home}/apps/new`);
    await page.getByLabel('Name', { exact: true }).fill('from a form');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const secret = (await page.locator('#key').textContent()) ?? '';
    expect(await status(secret)).toBe(200);
    const copy = page.getByRole('button', { name: 'Copy The key' });
    // The script of the page adds it.
    await expect.poll(() => copy.count()).toBe(page === full ? 1 : 0);
    if (page === bare) continue;
    await copy.click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.goto(`${home}/members`);
    await page.getByLabel('E-mail address').click();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('E-mail address').inputValue()).toBe(secret);
  }
});

test('the console signs people in through their provider', async () => {
  idp.people.set('carol', { email: 'carol@example.org', email_verified: true, name: 'Carol', groups: ['ops'] });
  const page = await browser.open();
  await page.goto(`${CONSOLE_ORIGIN}/console/teams`);
  await page.getByRole('button', { name: /^Sign in with / }).click();
  await page.locator('[name=login]').fill('carol');
  await page.locator('[name=password]').fill('any');
  await page.locator('[type=submit]').click();
  await page.waitForURL(/\/interaction\//);
  await page.locator('[type=submit]').click();
  await page.waitForURL(`${CONSOLE_ORIGIN}/console/teams`);
  expect(await page.getByRole('link', { name: 'platform' }).count()).toBe(1);
});

test('the console has no page with serious findings, sideways scrolling or more than 200 kB, light and dark, small and wide', async () => {
  const page = await browser.open();
  await page.goto(`${CONSOLE_ORIGIN}/console/sign-in`);
  const flaws = await findFlaws(page);
  await signIn(page);
  await page.goto(`${home}/apps/new?for=certificates`);
  await page.getByLabel('TSIG key for DNS updates').selectOption('hmac-sha256');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.locator('#tsig-file').waitFor();
  flaws.push(...(await findFlaws(page)));
  // With errors at several fields.
  await page.goto(`${home}/apps/new`);
  await page.getByLabel('Name', { exact: true }).fill('x');
  await page.locator('summary').click();
  await page.getByLabel('Only from these networks').fill('no network');
  await page.getByRole('button', { name: 'Create the key' }).click();
  expect(await page.locator('#networks-error').textContent()).toContain('no network');
  expect(await page.getByLabel('Only from these networks').inputValue()).toBe('no network');
  flaws.push(...(await findFlaws(page)));
  const key = (await service.sql`select id from api_keys where team_id = ${ada.team} limit 1`)[0]?.id;
  // With invitations in both directions, and keys that a member created.
  const other = await addPerson(service, { team: 'other' });
  const invite = (who: { text: string }, team: string, email: string) =>
    service.request('POST', `/../account/teams/${team}/members`, { email }, who.text);
  await invite(ada, ada.team, 'invited@example.org');
  await invite(other, other.team, ada.email);
  const removal = `/members/${ada.id}/remove`;
  for (const path of ['/apps', `/apps/${key}`, `/apps/${key}/revoke`, '/members', removal, '/history']) {
    await page.goto(`${home}${path}`);
    flaws.push(...(await findFlaws(page)));
  }
  expect(await measureWeight(page, `${home}/apps`)).toBeLessThan(200_000);
  for (const path of ['teams', 'nowhere']) {
    await page.goto(`${CONSOLE_ORIGIN}/console/${path}`);
    flaws.push(...(await findFlaws(page)));
  }
  expect(flaws).toEqual([]);
});
