// An issuer of tokens that the test plays: its discovery document and its keys over HTTP, and every fault that an
// issuer may have.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import type { TokenIssuer } from '#tokens/issuer.ts';
import type { IssuerKey } from './keys.ts';

export interface PlayedIssuer {
  /** As a trust names it, with discovery. Tests may override members. */
  readonly terms: TokenIssuer;
  /** The address of the keys. */
  readonly jwksUrl: string;
  /** The keys that it publishes. */
  keys: readonly Pick<IssuerKey, 'jwk'>[];
  /** Members of the discovery document that differ from the right ones. */
  discovery: Record<string, unknown>;
  /** Answers instead of the issuer. Null: the issuer answers itself. */
  fault: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /** The paths that were requested. */
  readonly requests: string[];
}

export const AUDIENCE = 'zonestead';

/**
 * To be called in a test file, which closes it at its end.
 * @param options the issuer's TLS certificate and key (default: it speaks HTTP), and the host in its address
 */
export async function playIssuer(
  keys: PlayedIssuer['keys'],
  { tls, host = '127.0.0.1' }: { tls?: { cert: string; key: string }; host?: string } = {},
): Promise<PlayedIssuer> {
  const requests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    requests.push(request.url ?? '');
    if (played.fault !== null) return played.fault(request, response);
    const documents: Record<string, object> = {
      '/.well-known/openid-configuration': {
        issuer: played.terms.issuer,
        jwks_uri: played.jwksUrl,
        ...played.discovery,
      },
      '/keys': { keys: played.keys.map(({ jwk }) => jwk) },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? {}));
  };
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const issuer = `${tls === undefined ? 'http' : 'https'}://${host}:${(server.address() as AddressInfo).port}`;
  const played: PlayedIssuer = {
    terms: { issuer, audience: AUDIENCE, keySource: { kind: 'discovery' }, maxAgeS: 3_600, privateAddresses: true },
    jwksUrl: `${issuer}/keys`,
    keys,
    discovery: {},
    fault: null,
    requests,
  };
  return played;
}
