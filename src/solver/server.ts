// The HTTPS server that kube-apiserver connects to: sockets, certificates, bodies. The router makes the answers.
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { chooseListenAddress } from '#base/listen-address.ts';
import type { HostPort } from '#config.ts';
import type { ServingCertificate } from '#http/connections/serving-certificate.ts';
import { limitConnections } from '#http/connections/sockets.ts';
import type { Identity, ProxyHeaders } from './front-proxy.ts';
import type { Router } from './router.ts';
import type { HttpAnswer } from './status.ts';

interface ServerOptions {
  readonly listen: HostPort;
  readonly router: Router;
  readonly identify: (certificate: X509Certificate | undefined, headers: ProxyHeaders) => Identity;
}

export interface SolverServer {
  readonly port: number;
  /** Used for new connections; open ones keep theirs. */
  setCertificate(pair: ServingCertificate): void;
  /** PEM bundle of the request-header authority. */
  setClientAuthority(bundle: string): void;
  /** Stops accepting connections, and waits at most `graceMs` for requests in progress. */
  close(graceMs: number): Promise<void>;
}

/** kube-apiserver keeps idle connections for 90 s. Ours must stay open longer, or a POST meets a closing socket. */
const KEEP_ALIVE_MS = 120_000;
/**
 * From the first octet, or from the start of the connection, to the end of the headers; idle connections do not count.
 */
const HEADERS_MS = 10_000;
const BODY_MS = 30_000;
const HANDSHAKE_MS = 10_000;
/**
 * kube-apiserver has one address, and each waiting challenge holds one of its connections. Other clients that reach the
 * port must not use up all connections, nor the memory.
 */
const CONNECTIONS = { total: 1_000, perAddress: 500 };
const MAX_BODY_BYTES = 256 * 1024;

/** Starts listening with this certificate. @throws when the address is in use */
export async function startSolverServer(options: ServerOptions, first: ServingCertificate): Promise<SolverServer> {
  let pair = first;
  let authority: string | undefined;
  // Probes send no certificate; the router decides for each request whether one is needed and valid.
  const verification = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
  const context = () => ({
    cert: pair.certificate,
    key: pair.key,
    minVersion: verification.minVersion,
    // The request-header authority and no other: with the cluster's client authority every client could impersonate any
    // user.
    ...(authority === undefined ? {} : { ca: authority }),
  });
  const server: Server = createServer(
    {
      ...context(),
      ...verification,
      handshakeTimeout: HANDSHAKE_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      headersTimeout: HEADERS_MS,
      // Longer than the body of a challenge may take to arrive.
      requestTimeout: HEADERS_MS + BODY_MS,
      connectionsCheckingInterval: 1_000,
    },
    // A failure of one request must not end the process, and with it the discovery of the group.
    (request, response) => void answer(options, request, response).catch(() => response.destroy()),
  );
  limitConnections(server, CONNECTIONS);
  const host = await chooseListenAddress(options.listen.host);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.listen.port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return {
    port: (server.address() as AddressInfo).port,
    setCertificate: (next) => {
      pair = next;
      server.setSecureContext(context());
    },
    setClientAuthority: (bundle) => {
      authority = bundle;
      server.setSecureContext(context());
    },
    close: (graceMs) => closeServer(server, graceMs),
  };
}

async function answer(
  { router, identify }: ServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const clientAbort = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) clientAbort.abort(new Error('The client went away'));
  });
  const { path, query } = splitTarget(request.url ?? '/');
  const { accept, 'content-type': contentType, 'if-none-match': ifNoneMatch } = request.headers;
  const result: HttpAnswer = await router({
    method: request.method ?? 'GET',
    path,
    query,
    accept,
    contentType,
    ifNoneMatch,
    identity: () => identify((request.socket as TLSSocket).getPeerX509Certificate(), request.headersDistinct),
    body: () => readBody(request),
    signal: clientAbort.signal,
  });
  if (clientAbort.signal.aborted) return;
  // An unread body would be taken for the next request on this connection.
  const unread = !request.complete;
  response.writeHead(result.status, {
    ...result.headers,
    'content-length': Buffer.byteLength(result.body),
    ...(unread && request.method !== 'GET' ? { connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' || result.status === 304 ? undefined : result.body);
}

/** Split by hand: a target such as `//` is not a URL, and everyone who reaches the port can send one. */
function splitTarget(target: string): { path: string; query: URLSearchParams } {
  const cut = target.indexOf('?');
  if (cut < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, cut), query: new URLSearchParams(target.slice(cut + 1)) };
}

/** @throws when the body does not arrive within 30 s */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const timer = setTimeout(() => request.destroy(new Error('The body did not arrive in time')), BODY_MS);
  try {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of request) {
      size += (chunk as Buffer).length;
      if (size > MAX_BODY_BYTES) return undefined;
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    clearTimeout(timer);
  }
}

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
