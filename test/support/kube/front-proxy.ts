// kube-apiserver as a client of the solver: the certificates that it and others have, and a request as any of them.
import { type Agent, request as httpsRequest } from 'node:https';
import { readFrontProxy } from '#solver/front-proxy.ts';
import { type Credential, ensureAuthority, ensureCertificate } from '../../../deploy/local/parts/certificates.ts';

export interface Pki {
  readonly serving: Credential;
  readonly authority: Credential;
  readonly frontProxyCa: Credential;
  /** As kube-apiserver has it. */
  readonly frontProxy: Credential;
  readonly otherName: Credential;
  readonly notClient: Credential;
  /** The authority of the cluster's clients, and one of them. */
  readonly clientCa: Credential;
  readonly client: Credential;
}

export async function createPki(dir: string): Promise<Pki> {
  const authority = await ensureAuthority({ dir, name: 'authority', commonName: 'authority' });
  const frontProxyCa = await ensureAuthority({ dir, name: 'front-proxy-ca', commonName: 'front-proxy-ca' });
  const clientCa = await ensureAuthority({ dir, name: 'client-ca', commonName: 'client-ca' });
  const client = (name: string, commonName: string, by: Credential, hosts?: string[]) =>
    ensureCertificate({ dir, name, commonName, authority: by, ...(hosts ? { hosts } : {}) });
  return {
    authority,
    frontProxyCa,
    clientCa,
    serving: await client('serving', 'solver', authority, ['localhost']),
    frontProxy: await client('front-proxy', 'front-proxy-client', frontProxyCa),
    otherName: await client('other-name', 'somebody', frontProxyCa),
    notClient: await client('not-client', 'front-proxy-client', frontProxyCa, ['localhost']),
    client: await client('client', 'front-proxy-client', clientCa),
  };
}

export interface Answer {
  status: number;
  type: string;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: Record<string, unknown>;
}

export interface Ask {
  path: string;
  method?: string;
  as?: Credential | undefined;
  headers?: Record<string, string | string[]>;
  body?: string;
  agent?: Agent;
}

/** @param at where the solver listens, and who certifies it */
export function askSolver(
  at: { port: number; authority: string },
  { path, method = 'GET', as, headers = {}, body, agent }: Ask,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = httpsRequest(
      {
        host: '127.0.0.1',
        servername: 'localhost',
        port: at.port,
        path,
        method,
        headers,
        ca: at.authority,
        agent: agent ?? false,
        ...(as ? { cert: as.certificate, key: as.key } : {}),
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => (text += chunk));
        answer.on('end', () => {
          const type = answer.headers['content-type'] ?? '';
          const json = type.startsWith('application/json') && text !== '' ? JSON.parse(text) : {};
          resolve({ status: answer.statusCode ?? 0, type, headers: answer.headers, text, json });
        });
      },
    );
    call.once('error', reject);
    call.end(body);
  });
}

/** The authority of request headers as kube-apiserver publishes it. */
export function published(bundle: string, names = ['front-proxy-client']) {
  return readFrontProxy({
    'requestheader-client-ca-file': bundle,
    'requestheader-allowed-names': JSON.stringify(names),
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
}
