// Sign-in through the OpenID provider of a test, without a screen.

import type { IdentityProvider } from '../tokens/identity-provider.ts';
import { CONSOLE_ORIGIN } from './console.ts';
import { type Page, type Visit, visit } from './visit.ts';

export interface ProviderVisits {
  /** Signs in at the provider. @returns the path with which the provider sends the browser back */
  atProvider(address: string, login: string): Promise<string>;
  /** The complete sign-in, up to the answer of the console to the returning browser. */
  signIn(login: string, browser?: Visit): Promise<{ browser: Visit; page: Page }>;
}

export function providerVisits(idp: IdentityProvider, service: { url: string }): ProviderVisits {
  async function atProvider(address: string, login: string): Promise<string> {
    const browser = visit({ url: idp.issuer });
    let page = await browser.get(address.replace(idp.issuer, ''));
    for (let step = 0; step < 12; step++) {
      if (page.location?.startsWith(CONSOLE_ORIGIN)) return page.location.slice(CONSOLE_ORIGIN.length);
      if (page.location !== null) {
        page = await browser.get(page.location.replace(idp.issuer, ''));
        continue;
      }
      const [, action] = /action="([^"]+)"/.exec(page.text) ?? [];
      const [, prompt] = /name="prompt" value="(\w+)"/.exec(page.text) ?? [];
      if (!action || !prompt) throw new Error(`the provider shows no form: ${page.status} ${page.text}`);
      page = await browser.post(action.replace(idp.issuer, ''), { prompt, login, password: 'any' });
    }
    throw new Error('the provider does not finish the sign-in');
  }

  async function signIn(login: string, browser: Visit = visit(service)) {
    const { location } = await browser.get('/console/sign-in/provider?to=/console/teams');
    const page = await browser.get(await atProvider(location!, login));
    return { browser, page };
  }

  return { atProvider, signIn };
}
