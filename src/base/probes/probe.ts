// One probe of one address: a TCP connection, or a GET request of which only the status is read. It follows no
// redirect, reads no body, resolves no name, and ends after the timeout of the check.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect, isIP, isIPv6 } from 'node:net';
import { isExpected, type ProbeDefinition, portOf } from './definition.ts';

/** Null: the address works. Otherwise why not, as a sentence. */
export type ProbeOutcome = string | null;

export type Probe = (address: string, definition: ProbeDefinition, signal: AbortSignal) => Promise<ProbeOutcome>;

/** The octets of a status line with its headers. */
const MAX_HEADER = 8 * 1024;

/** @throws the reason of the signal when it aborts */
export async function probe(address: string, definition: ProbeDefinition, signal: AbortSignal): Promise<ProbeOutcome> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(definition.timeout * 1_000)]);
  try {
    if (definition.type === 'tcp') return await openConnection(address, portOf(definition), limit);
    const status = await askStatus(address, definition, limit);
    return isExpected(definition, status) ? null : `The answer has the status ${status}.`;
  } catch (error) {
    signal.throwIfAborted();
    return limit.aborted ? `The server does not answer within ${definition.timeout} s.` : `${describe(error)}.`;
  }
}

function openConnection(address: string, port: number, signal: AbortSignal): Promise<null> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: address, port });
    const end = () => socket.destroy();
    const onAbort = () => {
      end();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('connect', () => resolve(null));
    socket.on('error', reject);
    socket.on('connect', end);
    socket.on('close', () => signal.removeEventListener('abort', onAbort));
  });
}

function askStatus(address: string, definition: ProbeDefinition, signal: AbortSignal): Promise<number> {
  const { type, path = '/', host, tls = 'verify' } = definition;
  const port = portOf(definition);
  const name = host ?? (isIPv6(address) ? `[${address}]` : address);
  const isDefaultPort = port === (type === 'https' ? 443 : 80);
  const options = {
    host: address,
    port,
    path,
    signal,
    agent: false,
    maxHeaderSize: MAX_HEADER,
    headers: {
      host: isDefaultPort ? name : `${name}:${port}`,
      'user-agent': 'zonestead-check',
      accept: '*/*',
      connection: 'close',
    },
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    };
    const request =
      type === 'http'
        ? requestHttp(options, onResponse)
        : requestHttps(
            {
              ...options,
              rejectUnauthorized: tls === 'verify',
              ...(host && isIP(host) === 0 ? { servername: host } : {}),
            },
            onResponse,
          );
    request.on('error', reject);
    request.end();
  });
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
