// The OpenID provider: where to send people, and what it says of those who come back. Authorization code with PKCE, state
// and nonce (OIDC Core section 3.1, RFC 7636). Knows no page and nobody's rights.
import * as oidc from 'openid-client';
import type { Config } from '../config.ts';
import type { ProvidedPerson } from '../zones/provided-people.ts';
import type { GroupRule } from '../zones/provided-roles.ts';
import type { CONSOLE_SETTINGS } from './settings.ts';

/** Of discovery, and of each request to the provider, in seconds. */
const TIMEOUT_S = 10;
export const CALLBACK = '/console/sign-in/provider/back';

/** What the browser has to bring back. */
export interface Started {
  state: string;
  nonce: string;
  verifier: string;
}

export interface Provider {
  /** For people: the host of the issuer. */
  name: string;
  rules: readonly GroupRule[];
  /** @throws when the provider cannot be reached */
  begin(): Promise<{ started: Started; address: string }>;
  /** @param url of the request with which the browser came back. @throws when anything is not as it should be */
  finish(url: string, started: Started): Promise<ProvidedPerson>;
}

/** Null without an issuer. @throws Error that names the setting that is missing beside it */
export function createProvider(settings: Config<(typeof CONSOLE_SETTINGS)[number]>): Provider | null {
  const issuer = settings.ZONESTEAD_OIDC_ISSUER;
  if (issuer === undefined) return null;
  const clientId = settings.ZONESTEAD_OIDC_CLIENT_ID;
  const base = settings.ZONESTEAD_CONSOLE_URL;
  if (clientId === undefined)
    throw new Error('ZONESTEAD_OIDC_CLIENT_ID is missing, which ZONESTEAD_OIDC_ISSUER needs.');
  if (base === undefined)
    throw new Error('ZONESTEAD_CONSOLE_URL is missing: a provider has to know where to send people back.');
  const secret = settings.ZONESTEAD_OIDC_CLIENT_SECRET;
  let known: Promise<oidc.Configuration> | null = null;
  const configuration = () => {
    // Plain HTTP only where the setting itself says so: a provider on this machine, in tests.
    const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
    const authentication = secret === undefined ? oidc.None() : undefined;
    known ??= oidc.discovery(new URL(issuer), clientId, secret, authentication, { execute, timeout: TIMEOUT_S });
    // The next one asks again.
    known.catch(() => {
      known = null;
    });
    return known;
  };
  return {
    name: new URL(issuer).host,
    rules: settings.ZONESTEAD_OIDC_TEAMS,
    begin: async () => {
      const verifier = oidc.randomPKCECodeVerifier();
      const started = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
      const address = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${base}${CALLBACK}`,
        scope: settings.ZONESTEAD_OIDC_SCOPES,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: started.state,
        nonce: started.nonce,
      });
      return { started, address: address.href };
    },
    finish: async (url, { state, nonce, verifier }) => {
      const config = await configuration();
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(config, new URL(url, base), checks);
      const token = tokens.claims();
      if (!token) throw new Error('the provider sent no ID token');
      // Many providers tell e-mail address and groups there only.
      const more = config.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(config, tokens.access_token, token.sub)
        : {};
      return personOf({ ...more, ...token }, token.iss, token.sub, settings.ZONESTEAD_OIDC_GROUPS_CLAIM);
    },
  };
}

/** Claims as a person; what has another form than it should is as if it were not there. */
export function personOf(
  claims: Readonly<Record<string, unknown>>,
  issuer: string,
  subject: string,
  groupsClaim: string,
): ProvidedPerson {
  const text = (name: string) => (typeof claims[name] === 'string' && claims[name] !== '' ? claims[name] : null);
  const groups = claims[groupsClaim];
  const verified = claims.email_verified;
  return {
    issuer,
    subject,
    email: text('email'),
    emailVerified: typeof verified === 'boolean' ? verified : null,
    name: text('name') ?? text('preferred_username'),
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
  };
}
