// The OpenID provider: the address to send people to, and the claims about a person who comes back. Authorization code
// flow with PKCE, state and nonce (OIDC Core section 3.1, RFC 7636).
import * as oidc from 'openid-client';
import type { Config } from '#config.ts';
import type { ProvidedPerson, ProviderTerms } from '#service/accounts/provided-people.ts';
import type { CONSOLE_SETTINGS } from '../settings.ts';

/** The time limit of discovery, and of each request to the provider, in seconds. */
const TIMEOUT_S = 10;
const CALLBACK = '/console/sign-in/provider/back';

/** The values that the browser must bring back. */
export interface Started {
  state: string;
  nonce: string;
  verifier: string;
}

export interface SignInProvider {
  /** The host of the issuer, as people see it. */
  name: string;
  terms: ProviderTerms;
  /** @throws if the provider cannot be reached */
  begin(): Promise<{ started: Started; address: string }>;
  /**
   * @param url the address of the request with which the browser came back.
   * @throws if the answer of the provider is not valid
   */
  finish(url: string, started: Started): Promise<ProvidedPerson>;
  /**
   * Where a person signs out of the provider (OpenID Connect RP-Initiated Logout 1.0); null if it has no such address.
   * @throws as begin
   */
  endAddress(): Promise<string | null>;
}

/** Null without an issuer. @throws Error that names a missing setting that the issuer requires */
export function createSignInProvider(settings: Config<(typeof CONSOLE_SETTINGS)[number]>): SignInProvider | null {
  const issuer = settings.ZONESTEAD_OIDC_ISSUER;
  if (issuer === undefined) return null;
  const clientId = settings.ZONESTEAD_OIDC_CLIENT_ID;
  const base = settings.ZONESTEAD_CONSOLE_URL;
  if (clientId === undefined)
    throw new Error('ZONESTEAD_OIDC_CLIENT_ID is missing: ZONESTEAD_OIDC_ISSUER requires it.');
  if (base === undefined)
    throw new Error('ZONESTEAD_CONSOLE_URL is missing: the provider needs an address to send people back to.');
  const secret = settings.ZONESTEAD_OIDC_CLIENT_SECRET;
  let pendingConfiguration: Promise<oidc.Configuration> | null = null;
  const configuration = () => {
    // Plain HTTP is allowed only if the setting itself says so, as tests with a provider on this machine do.
    const execute = issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [];
    const authentication = secret === undefined ? oidc.None() : undefined;
    pendingConfiguration ??= oidc.discovery(new URL(issuer), clientId, secret, authentication, {
      execute,
      timeout: TIMEOUT_S,
    });
    // The next sign-in tries again.
    pendingConfiguration.catch(() => {
      pendingConfiguration = null;
    });
    return pendingConfiguration;
  };
  return {
    name: new URL(issuer).host,
    terms: { rules: settings.ZONESTEAD_OIDC_TEAMS, trustEmail: settings.ZONESTEAD_OIDC_TRUST_EMAIL },
    begin: async () => {
      const verifier = oidc.randomPKCECodeVerifier();
      const startedSignIn = { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier };
      const address = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: `${base}${CALLBACK}`,
        scope: settings.ZONESTEAD_OIDC_SCOPES,
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: startedSignIn.state,
        nonce: startedSignIn.nonce,
      });
      return { started: startedSignIn, address: address.href };
    },
    finish: async (url, { state, nonce, verifier }) => {
      const config = await configuration();
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await oidc.authorizationCodeGrant(config, new URL(url, base), checks);
      const token = tokens.claims();
      if (!token) throw new Error('the provider sent no ID token');
      // Many providers put e-mail address and groups in the user info only.
      const more = config.serverMetadata().userinfo_endpoint
        ? await oidc.fetchUserInfo(config, tokens.access_token, token.sub)
        : {};
      return toProvidedPerson([token, more], token.iss, token.sub, settings.ZONESTEAD_OIDC_GROUPS_CLAIM);
    },
    endAddress: async () => {
      const config = await configuration();
      if (config.serverMetadata().end_session_endpoint === undefined) return null;
      return oidc.buildEndSessionUrl(config, { post_logout_redirect_uri: `${base}/console/sign-in` }).href;
    },
  };
}

/**
 * Converts claims to a person. A claim of an unexpected form counts as absent, but for `email_verified`: it is true,
 * `"true"` (some providers send texts), absent, or false.
 * @param documents the ID token and the user info. The first one with a claim decides about it; address and
 * verification come from one
 */
export function toProvidedPerson(
  documents: readonly Readonly<Record<string, unknown>>[],
  issuer: string,
  subject: string,
  groupsClaim: string,
): ProvidedPerson {
  const findClaim = (name: string) => documents.find((claims) => claims[name] !== undefined)?.[name];
  const asText = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  const groups = findClaim(groupsClaim);
  const { email, email_verified: verifiedClaim } = documents.find((claims) => asText(claims.email) !== null) ?? {};
  return {
    issuer,
    subject,
    email: asText(email),
    emailVerified: verifiedClaim === undefined ? null : verifiedClaim === true || verifiedClaim === 'true',
    name: asText(findClaim('name')) ?? asText(findClaim('preferred_username')),
    groups: (Array.isArray(groups) ? groups : [groups]).filter((group) => typeof group === 'string'),
  };
}
