// A service with the console on it, for one test file.

export { type Page, type Visit, visit } from './visit.ts';

import { startTestService, type TestService, type TestServiceOptions } from '../service/service.ts';
import { CLIENT, startIdentityProvider } from '../tokens/identity-provider.ts';

export interface ConsoleService extends TestService {
  /**
   * Starts one more api with a console on the same database, with these settings of the console instead of the first
   * one's.
   */
  anotherConsole(settings: Record<string, string>): Promise<{ url: string }>;
}

/** Tests send forms without a CSRF token, or with a wrong one. */
const FORGED_FORMS = ['Missing csrf secret', 'Invalid csrf token'];

/** To be called at the top of a test file. `settings` are the settings of the console, as in the environment. */
export async function startConsoleService(
  options: TestServiceOptions = {},
  settings: Record<string, string> = {},
): Promise<ConsoleService> {
  // Both name servers are the one Knot, which is also the resolver: the parent delegates to neither.
  const service = await startTestService({
    resolvers: ['own'],
    ...options,
    settings: { ZONESTEAD_CONSOLE: 'on', ...settings, ...options.settings },
    warnings: [...FORGED_FORMS, ...(options.warnings ?? [])],
  });
  const unset = Object.fromEntries(Object.keys(settings).map((name) => [name, '']));
  return { ...service, anotherConsole: async (other) => service.anotherApi({ settings: { ...unset, ...other } }) };
}

/** The address of a console whose people sign in through the provider. */
export const CONSOLE_ORIGIN = 'http://console.test';

/** Tests refuse sign-ins, stop the provider, and create teams by hand under the names of rules. */
const PROVIDER_WARNINGS = [
  'sign-in through the OpenID provider failed',
  'the OpenID provider cannot be reached',
  'a team of an OpenID rule was not assigned',
];

/**
 * To be called at the top of a test file.
 * @param teams the value of ZONESTEAD_OIDC_TEAMS
 * @param more further settings
 */
export async function startConsoleWithProvider(teams: string, more: Record<string, string> = {}) {
  const idp = await startIdentityProvider();
  idp.allow(`${CONSOLE_ORIGIN}/console/sign-in/provider/back`);
  const settings = {
    ZONESTEAD_CONSOLE_URL: CONSOLE_ORIGIN,
    ZONESTEAD_OIDC_ISSUER: idp.issuer,
    ZONESTEAD_OIDC_CLIENT_ID: CLIENT.id,
    ZONESTEAD_OIDC_CLIENT_SECRET: CLIENT.secret,
    ZONESTEAD_OIDC_TEAMS: teams,
    ...more,
  };
  return { idp, service: await startConsoleService({ warnings: PROVIDER_WARNINGS }, settings) };
}

/** The words of a page, without its tags. */
export function words(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replace(/\s+/g, ' ');
}

interface StoredRecord {
  id: string;
  name: string;
  type: string;
  content: string;
  ttl: number;
}

/** The records of a zone, as the REST API answers. */
export async function readStoredRecords(
  service: TestService,
  zone: { id: string },
  key: { text: string },
): Promise<StoredRecord[]> {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`, undefined, key.text);
  return body.records as StoredRecord[];
}
