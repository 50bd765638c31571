// The HTTPS server that kube-apiserver speaks to: sockets, certificates, bodies. Everything it answers comes from the
// router.
import type { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { HostPort } from '../config.ts';
import type { Headers, Identity } from './front-proxy.ts';
import type { Router } from './router.ts';
import type { ServingCertificate } from './serving-certificate.ts';
import type { HttpAnswer } from './status.ts';

export interface ServerOptions {
  readonly listen: HostPort;
  readonly router: Router;
  readonly identify: (certificate: X509Certificate | undefined, headers: Headers) => Identity;
}

export interface SolverServer {
  readonly port: number;
  /** For connections from now on; open ones go on as they are. */
  setCertificate(pair: ServingCertificate): void;
  /** PEM bundle of the request-header authority. */
  setClientAuthority(bundle: string): void;
  /** Takes no new connection, lets what is under way end, at most `graceMs`. */
  close(graceMs: number): Promise<void>;
}

/** kube-apiserver keeps idle connections for 90 s: ours must stay open longer, or a POST meets a closing socket. */
const KEEP_ALIVE_MS = 120_000;
const HEADERS_MS = 130_000;
const BODY_MS = 30_000;
const MAX_BODY_BYTES = 256 * 1024;

/** Starts listening with this certificate. @throws when the address is taken */
export async function startSolverServer(options: ServerOptions, first: ServingCertificate): Promise<SolverServer> {
  let pair = first;
  let authority: string | undefined;
  // Probes come without a certificate; whether one is needed, and is good, is judged for each request.
  const verification = { requestCert: true, rejectUnauthorized: false, minVersion: 'TLSv1.2' } as const;
  const context = () => ({
    cert: pair.certificate,
    key: pair.key,
    minVersion: verification.minVersion,
    // Only the request-header authority, ever: with the cluster's client authority every client could name any user.
    ...(authority === undefined ? {} : { ca: authority }),
  });
  const server: Server = createServer(
    { ...context(), ...verification, keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: 0 },
    // Whatever goes wrong with one request must not end the process, and with it the discovery of the group.
    (request, response) => void answer(options, request, response).catch(() => response.destroy()),
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.listen.port, options.listen.host, () => {
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
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('The client went away'));
  });
  const { path, query } = targetOf(request.url ?? '/');
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
    signal: gone.signal,
  });
  if (gone.signal.aborted) return;
  // A body that nobody read would stand before the next request on this connection.
  const unread = !request.complete;
  response.writeHead(result.status, {
    ...result.headers,
    'content-length': Buffer.byteLength(result.body),
    ...(unread && request.method !== 'GET' ? { connection: 'close' } : {}),
  });
  response.end(request.method === 'HEAD' || result.status === 304 ? undefined : result.body);
}

/** Cut by hand: a target such as `//` is no URL, and anybody who reaches the port can send one. */
function targetOf(target: string): { path: string; query: URLSearchParams } {
  const cut = target.indexOf('?');
  if (cut < 0) return { path: target, query: new URLSearchParams() };
  return { path: target.slice(0, cut), query: new URLSearchParams(target.slice(cut + 1)) };
}

/** @throws when it does not come within 30 s */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const timer = setTimeout(() => request.destroy(new Error('The body did not come in time')), BODY_MS);
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
