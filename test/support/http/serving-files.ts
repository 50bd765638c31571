// A folder with a certificate that changes as the kubelet changes a mounted Secret: all files at once, by the swap of a
// symlink.
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { expect } from 'vitest';
import { type OwnCertificate, renewed } from '#kube/certificates/own-certificate.ts';

/** The texts of a Secret with a certificate. */
type Served = Pick<OwnCertificate, 'authorities' | 'certificate' | 'key'>;

export interface ServingFiles {
  /** The settings of the api. */
  readonly settings: Readonly<Record<string, string>>;
  /** The file with the authorities. */
  readonly ca: string;
  put(certificate: Served): Promise<void>;
}

export async function servingFiles(folder: string, first: Served): Promise<ServingFiles> {
  let versions = 0;
  const put: ServingFiles['put'] = async ({ authorities, certificate, key }) => {
    const version = `..${++versions}`;
    await mkdir(join(folder, version));
    for (const [name, text] of Object.entries({ 'ca.crt': authorities, 'tls.crt': certificate, 'tls.key': key }))
      await writeFile(join(folder, version, name), text);
    await symlink(version, join(folder, '..next'));
    await rename(join(folder, '..next'), join(folder, '..data'));
  };
  await mkdir(folder, { recursive: true });
  await put(first);
  for (const name of ['ca.crt', 'tls.crt', 'tls.key']) await symlink(join('..data', name), join(folder, name));
  return {
    settings: {
      ZONESTEAD_TLS_LISTEN: '127.0.0.1:0',
      ZONESTEAD_TLS_CERT_FILE: join(folder, 'tls.crt'),
      ZONESTEAD_TLS_KEY_FILE: join(folder, 'tls.key'),
    },
    ca: join(folder, 'ca.crt'),
    put,
  };
}

/** Waits until new connections to this machine get the certificate. @param url its port */
export async function untilServed(url: string, { certificate }: Served): Promise<void> {
  const { port } = new URL(url);
  const served = () =>
    new Promise<string>((resolve) => {
      const socket = connect({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false }, () => {
        resolve(socket.getPeerX509Certificate()?.toString() ?? '');
        socket.destroy();
      });
      socket.on('error', () => resolve(''));
    });
  await expect.poll(served, { timeout: 60_000 }).toBe(certificate);
}

const HOSTS = ['localhost', '127.0.0.1'];

/** A certificate for this machine, with an authority of its own. @param days its age */
export function localCertificate(days = 0): Promise<OwnCertificate> {
  return renewed(undefined, { hosts: HOSTS, now: new Date(Date.now() - days * 86_400_000) });
}

/** The next certificate of the same authority. */
export function nextCertificate(before: OwnCertificate): Promise<OwnCertificate> {
  return renewed({ ...before, certificate: '' }, { hosts: HOSTS, now: new Date() });
}
