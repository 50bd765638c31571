// TLS to Postgres: the request for it, the handshake, and the proof that the server is the one of the address. The
// driver gets a connection that is proven. Left to itself, postgres.js 3.4.9 ends the process when a connection fails
// before its handshake, and checks the certificate of a server with an IP address for the name "localhost".
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, connect } from 'node:tls';
import { type Host, hostText, type PostgresTls } from '#base/postgres-address.ts';
import { explainTls, type TlsPeer } from '#base/tls-fault.ts';
import { Outage } from './outage.ts';

/**
 * Makes a new connection one that is encrypted, and with verify-full one to the server that the address names.
 * @throws Outage if the server does not do so within the time limit; the connection is closed then
 */
export type Protect = (socket: Socket, host: Host) => Promise<Socket>;

/** PostgreSQL manual, "Message Formats": SSLRequest, and the two answers to it. */
const REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);
const [YES, NO] = ['S'.charCodeAt(0), 'N'.charCodeAt(0)];
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;

/**
 * The file of the authorities is read for each connection, because they can be replaced while the process runs.
 * @param limitMs the server has this long
 * @returns null if connections are not encrypted
 * @throws Error if the file of the authorities has no certificates
 */
export function createProtect(tls: PostgresTls, limitMs: number): Protect | null {
  if (tls.mode === 'disable') return null;
  if (tls.mode === 'verify-full' && tls.authorities !== null) readAuthorities(tls.authorities);
  return async (socket, host) => {
    const limit = AbortSignal.timeout(limitMs);
    try {
      return await protect(socket, host, tls, limit);
    } catch (error) {
      socket.destroy();
      throw toFailure(error, host, limit);
    }
  };
}

async function protect(socket: Socket, { host }: Host, tls: PostgresTls, signal: AbortSignal): Promise<Socket> {
  socket.write(REQUEST);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  // A byte beyond the answer would be one that an attacker between us and the server put there (CVE-2021-23222).
  if (answer.length !== 1) throw new Error('the server does not answer the request for TLS');
  if (answer[0] === NO && tls.mode === 'prefer') return socket;
  if (answer[0] !== YES) throw new Error('the server does not offer TLS');
  const securedSocket = connect({
    socket,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...buildProof(tls, host),
  });
  await once(securedSocket, 'secureConnect', { signal });
  return securedSocket;
}

function buildProof(tls: PostgresTls, host: string) {
  if (tls.mode !== 'verify-full') return { rejectUnauthorized: false };
  const { authorities } = tls;
  return {
    ...(authorities === null ? {} : { ca: readAuthorities(authorities) }),
    checkServerIdentity: (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
      checkServerIdentity(host, certificate),
  };
}

/** Other authorities do not count, not even those that the machine trusts. */
function readAuthorities(file: string): string[] {
  try {
    const certificates = readFileSync(file, 'utf8').match(CERTIFICATE) ?? [];
    if (certificates.length === 0) throw new Error('it contains no certificate in PEM');
    for (const pem of certificates) new X509Certificate(pem);
    return certificates;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new Error(`the authorities of the database in ${file} cannot be read: ${code ?? message}`);
  }
}

const DATABASE: TlsPeer = {
  server: 'the database',
  authorities: 'ZONESTEAD_DATABASE_CA',
  address: 'the address of the database',
};

/** Errors of the connection itself keep their code, which says more. */
function toFailure(error: unknown, host: Host, limit: AbortSignal): Error {
  const { message, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) return error as Error;
  if (limit.aborted)
    return new Outage('CONNECT_TIMEOUT', 'nothing', `the database server ${hostText(host)} does not answer`, error);
  const explanation = explainTls(error, DATABASE);
  const text = `no TLS to the database server ${hostText(host)}: ${explanation ?? message}`;
  // Messages show the deepest cause, which would be the text of OpenSSL.
  return new Outage('TLS_FAILED', 'nothing', text, explanation === null ? error : undefined);
}
