// A real OpenID provider (oidc-provider) on this machine, whose people are defined by the test. Its own pages accept a
// login name (which is the subject) and any password.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import { afterAll } from 'vitest';

export const CLIENT = { id: 'zonestead', secret: 'a secret of the client zonestead' };

export interface IdentityProvider {
  issuer: string;
  /** Claims by login name. A test may change them between two sign-ins. */
  people: Map<string, Record<string, unknown>>;
  /** Sets the addresses to which the client may send people back. To be called before the first sign-in. */
  allow(redirectUri: string): void;
}

/** To be called at the top of a test file, which closes the provider at its end. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, Record<string, unknown>>();
  let handle: ReturnType<Provider['callback']> | null = null;
  const server = createServer((request, response) => {
    if (handle) handle(request, response);
    else response.writeHead(503).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    people,
    allow: (redirectUri) => {
      const provider = new Provider(issuer, {
        clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
        pkce: { required: () => true },
        cookies: { keys: ['only for tests'] },
        findAccount: async (_context: unknown, id: string) => {
          const claims = people.get(id);
          return claims && { accountId: id, claims: async () => ({ sub: id, ...claims }) };
        },
      });
      handle = provider.callback();
    },
  };
}
