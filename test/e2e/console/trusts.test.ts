// Team → Trusts in a real browser: the form follows the kind of issuer, the preview follows the typing, and every page
// is accessible.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findFlaws, startBrowser } from '../../support/console/browser.ts';
import { startConsoleService } from '../../support/console/console.ts';
import { addPerson } from '../../support/service/people.ts';
import { issuerKey, seconds } from '../../support/tokens/keys.ts';

const origin = 'http://console.test';
const service = await startConsoleService({}, { ZONESTEAD_CONSOLE_URL: origin });
const browser = await startBrowser({ 'console.test:80': new URL(service.url).host });
const ada = await addPerson(service, { team: 'red', email: 'ada@example.org' });
const home = `${origin}/console/teams/${ada.team}/trusts`;
const ISSUER = 'https://west.example.org';
const key = await issuerKey('one');
const tokenOf = (aud: string) => {
  const about = { iss: ISSUER, aud, iat: seconds(), exp: seconds() + 600, sub: 'system:serviceaccount:shop:dns' };
  const account = { namespace: 'shop', serviceaccount: { name: 'dns', uid: 'uid-1' } };
  return key.sign({ ...about, 'kubernetes.io': account });
};

async function signIn(page: Page): Promise<void> {
  await page.goto(`${origin}/console/sign-in`);
  await page.getByLabel('Personal API key').fill(ada.text);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.waitForURL(/\/console\/(?!sign-in)/);
}

test('a person creates a trust whose names are previewed, and tests a token; no page has a serious finding', async () => {
  const page = await browser.open();
  await signIn(page);
  await page.goto(home);
  const flaws = await findFlaws(page);
  await page.getByRole('button', { name: 'Create a trust' }).click();
  const kind = page.getByLabel('Kind of issuer');
  for (const [id, label] of [
    ['github', 'Id of the repository'],
    ['gitlab', 'Id of the project'],
    ['spiffe', 'SPIFFE ID'],
    ['oidc', 'Other claims'],
    ['kubernetes', 'Namespace'],
  ] as const) {
    await kind.selectOption(id);
    await page.getByLabel(label, { exact: true }).waitFor();
    // The others have no other elements than these two.
    if (id === 'github' || id === 'oidc') flaws.push(...(await findFlaws(page)));
  }
  await page.getByLabel('Name', { exact: true }).fill('cluster west');
  await page.getByLabel('Issuer of the cluster').fill(ISSUER);
  await page.getByLabel('The keys', { exact: true }).fill(JSON.stringify({ keys: [key.jwk] }));
  await page.getByLabel('Only these names').fill('all');
  await page.locator('.preview').getByText('namespace shop: all').waitFor();
  await page.getByRole('button', { name: 'Create the trust' }).click();
  await page.locator('#onlyNames-error').waitFor();
  flaws.push(...(await findFlaws(page)));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of the service.
  await page.getByLabel('Only these names').fill('*.${namespace}');
  await page.locator('.preview').getByText('namespace billing: *.billing').waitFor();
  await page.getByRole('button', { name: 'Create the trust' }).click();
  await page.getByText('The trust cluster west was created.').waitFor();

  const used = await service.request('GET', '/zones', undefined, await tokenOf(`zonestead/${ada.team}`));
  expect(used.status).toBe(200);
  const one = page.url();
  for (const path of [
    one,
    home,
    `${one}/edit`,
    `${one}/accept?subject=system:serviceaccount:shop:dns`,
    `${one}/revoke`,
  ]) {
    await page.goto(path);
    flaws.push(...(await findFlaws(page)));
  }
  await page.goto(`${home}/test`);
  for (const [audience, sentence] of [
    [`zonestead/${ada.team}`, 'The trust cluster west accepts the token.'],
    ['https://kubernetes.default.svc', 'No trust of this team accepts the token.'],
  ] as const) {
    await page.getByLabel('Token', { exact: true }).fill(await tokenOf(audience));
    await page.getByRole('button', { name: 'Test the token' }).click();
    await page.getByText(sentence).waitFor();
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('');
    flaws.push(...(await findFlaws(page)));
  }
  expect(flaws).toEqual([]);
});
