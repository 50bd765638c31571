// A kubeconfig file that contains everything (addresses, authority, credentials).
import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import type { Credential } from './certificates.ts';

export interface KubeconfigOptions {
  file: string;
  /** https://host:port of kube-apiserver. */
  server: string;
  /** PEM of the authority that signed the server's certificate. */
  authority: string;
  /** The user's name in the file only; kube-apiserver learns the real one from the credential. */
  user: string;
  /** A client certificate, or a bearer token. */
  credential: Pick<Credential, 'certificate' | 'key'> | { token: string };
}

/** Writes the file with mode 600: it holds a private key or a token. */
export async function writeKubeconfig({ file, server, authority, user, credential }: KubeconfigOptions): Promise<void> {
  const name = 'zonestead';
  const text = stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user:
          'token' in credential
            ? credential
            : {
                'client-certificate-data': base64(credential.certificate),
                'client-key-data': base64(credential.key),
              },
      },
    ],
    contexts: [{ name, context: { cluster: name, user } }],
    'current-context': name,
  });
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function base64(pem: string): string {
  return Buffer.from(pem).toString('base64');
}
