// One probe of one address: a TCP connection, or a GET request of which only the status is read. It follows no
// redirect, reads no body, resolves no name, and ends after the timeout of the check.
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { connect, isIP, isIPv6 } from 'node:net';
import { isExpected, type ProbeDefinition, portOf } from './definition.ts';

/** Null: the address works. Otherwise why not, as a sentence. */
export type ProbeOutcome = string | null;

export type Probe = (address: string, definition: ProbeDefinition, signal: AbortSignal) => Promise<ProbeOutcome>;

/** The octets of a status line with its headers. */
const MAX_HEADER = 8 * 1024;

// Each probe has a connection of its own, and no TLS session of an earlier one: the certificate is verified each time.
const HTTP = new HttpAgent({ keepAlive: false });
const HTTPS = new HttpsAgent({ keepAlive: false, maxCachedSessions: 0 });

/** A probe under way. */
interface Attempt {
  /** The status of the answer; null: a connection was opened. */
  result: Promise<number | null>;
  /** Rejects the result. */
  destroy(error: Error): void;
}

/**
 * The timer and the listener end with the probe. Signals of AbortSignal.any and AbortSignal.timeout last for the whole
 * timeout, and a thousand probes a second would fill the memory with them.
 * @throws the reason of the signal when it aborts
 */
export async function probe(address: string, definition: ProbeDefinition, signal: AbortSignal): Promise<ProbeOutcome> {
  signal.throwIfAborted();
  const attempt = definition.type === 'tcp' ? openConnection(address, portOf(definition)) : ask(address, definition);
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    attempt.destroy(new Error('late'));
  }, definition.timeout * 1_000);
  const onAbort = () => attempt.destroy(new Error('aborted'));
  signal.addEventListener('abort', onAbort);
  try {
    const status = await attempt.result;
    return status === null || isExpected(definition, status) ? null : `The answer has the status ${status}.`;
  } catch (error) {
    signal.throwIfAborted();
    return isLate ? `The server does not answer within ${definition.timeout} s.` : `${describe(error)}.`;
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', onAbort);
  }
}

function openConnection(address: string, port: number): Attempt {
  const socket = connect({ host: address, port });
  const result = new Promise<null>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('connect', () => {
      resolve(null);
      socket.destroy();
    });
  });
  return { result, destroy: (error) => void socket.destroy(error) };
}

function ask(address: string, definition: ProbeDefinition): Attempt {
  const { type, path = '/', host, tls = 'verify' } = definition;
  const port = portOf(definition);
  const name = host ?? (isIPv6(address) ? `[${address}]` : address);
  const isDefaultPort = port === (type === 'https' ? 443 : 80);
  const options = {
    host: address,
    port,
    path,
    maxHeaderSize: MAX_HEADER,
    headers: {
      host: isDefaultPort ? name : `${name}:${port}`,
      'user-agent': 'zonestead-check',
      accept: '*/*',
      connection: 'close',
    },
  };
  const request =
    type === 'http'
      ? requestHttp({ ...options, agent: HTTP })
      : requestHttps({
          ...options,
          agent: HTTPS,
          rejectUnauthorized: tls === 'verify',
          ...(host && isIP(host) === 0 ? { servername: host } : {}),
        });
  const result = new Promise<number>((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
  });
  request.end();
  return { result, destroy: (error) => void request.destroy(error) };
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection is refused',
  ECONNRESET: 'The connection is closed before an answer',
  EHOSTUNREACH: 'No route leads to the address',
  ENETUNREACH: 'No route leads to the address',
  CERT_HAS_EXPIRED: 'The certificate has expired',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for other names',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate is signed by itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate is signed by an unknown authority',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too large',
};

/** Only words of our own: nothing that the server sends is shown to the tenant. */
function describe(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code.startsWith('HPE_')) return SENTENCES[code] ?? 'The answer is not HTTP';
  return SENTENCES[code] ?? `The connection fails (${code === '' ? 'without a reason' : code})`;
}
