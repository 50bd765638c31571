// A service with the console on it, for one test file.

export { type Page, type Visit, visit } from './visit.ts';

import type { Console } from '../../src/api/app.ts';
import { readConfig } from '../../src/config.ts';
import type { LookLive } from '../../src/console/parts.ts';
import { createConsole } from '../../src/console/plugin.ts';
import { CONSOLE_SETTINGS } from '../../src/console/settings.ts';
import { createLiveLook } from '../../src/nameserver/live.ts';
import type { Endpoint } from '../../src/nameserver/probe.ts';
import { createResolver } from '../../src/nameserver/resolver.ts';
import { CLIENT, startIdentityProvider } from './identity-provider.ts';
import { NAMESERVERS, startTestService, type TestService, type TestServiceOptions } from './service.ts';

export interface ConsoleService extends TestService {
  /** One more api with a console on the same database, as another replica or set up otherwise. */
  anotherConsole(settings: Record<string, string>): Promise<{ url: string }>;
}

/** To be called at the top of a test file. `settings`: of the console, as in the environment. */
export async function startConsoleService(
  options: TestServiceOptions = {},
  settings: Record<string, string> = {},
): Promise<ConsoleService> {
  let dns: Endpoint | null = null;
  const live: LookLive = (question, signal) => {
    if (dns === null) throw new Error('asked before the service is there');
    return lookAt(dns)(question, signal);
  };
  const service = await startTestService({ ...options, console: pagesWith(settings, live) });
  dns = service.dns;
  return { ...service, anotherConsole: async (other) => service.anotherApi({ console: pagesWith(other, live) }) };
}

function pagesWith(settings: Record<string, string>, live: LookLive): Console {
  return createConsole(readConfig(CONSOLE_SETTINGS, settings), live);
}

/** Both name servers are the one PowerDNS, which is the resolver too: nobody delegates to it. */
function lookAt({ address, port }: Endpoint): LookLive {
  const none = async () => Promise.reject(new Error('there is no resolver for addresses'));
  return createLiveLook({
    overrides: new Map(NAMESERVERS.map((name) => [name, { address, port }])),
    resolver: { resolve4: none, resolve6: none },
    resolve: createResolver({ servers: [{ address, port }] }),
    elapsed: () => performance.now(),
    now: () => new Date(),
  });
}

/** Where browsers find a console that people sign in to through the provider. */
export const CONSOLE_ORIGIN = 'http://console.test';

/** To be called at the top of a test file. @param teams as ZONESTEAD_OIDC_TEAMS */
export async function startConsoleWithProvider(teams: string) {
  const idp = await startIdentityProvider();
  idp.allow(`${CONSOLE_ORIGIN}/console/sign-in/provider/back`);
  const settings = {
    ZONESTEAD_CONSOLE_URL: CONSOLE_ORIGIN,
    ZONESTEAD_OIDC_ISSUER: idp.issuer,
    ZONESTEAD_OIDC_CLIENT_ID: CLIENT.id,
    ZONESTEAD_OIDC_CLIENT_SECRET: CLIENT.secret,
    ZONESTEAD_OIDC_TEAMS: teams,
  };
  return { idp, service: await startConsoleService({}, settings) };
}
