// Certificates, judged by Node's own X.509 implementation (OpenSSL), not by the library that makes them.
import { createPrivateKey, createPublicKey, sign, verify, X509Certificate } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureAuthority, ensureCertificate, ensureKeyPair } from '../../../../deploy/local/parts/certificates.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const dir = join(await temporaryFolder('certificates'), 'pki');
const DAY_MS = 24 * 60 * 60_000;
const authority = await ensureAuthority({ dir, name: 'ca', commonName: 'test-ca' });
const issuer = new X509Certificate(authority.certificate);

const server = { dir, name: 'server', authority, commonName: 'server', hosts: ['localhost', '127.0.0.1', 'a.svc'] };
const later = (days: number) => () => new Date(Date.now() + days * DAY_MS);

test('an authority may sign certificates and verifies itself', () => {
  expect(issuer.ca).toBe(true);
  expect(issuer.verify(issuer.publicKey)).toBe(true);
});

test('a certificate of a server is issued by the authority for exactly its names and addresses', async () => {
  const certificate = new X509Certificate((await ensureCertificate(server)).certificate);
  expect(certificate.checkIssued(issuer)).toBe(true);
  expect(certificate.verify(issuer.publicKey)).toBe(true);
  expect(certificate.ca).toBe(false);
  expect(certificate.checkHost('a.svc')).toBe('a.svc');
  expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(certificate.checkHost('b.svc')).toBeUndefined();
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
});

test('a certificate of a server may be a client too when asked for', async () => {
  const both = await ensureCertificate({ ...server, name: 'member', client: true });
  expect(new X509Certificate(both.certificate).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
});

test('a certificate of a client names the user and every group, with any characters in them', async () => {
  const client = { dir, name: 'client', authority, commonName: 'system:jane, x=y', organizations: ['g:1', 'g 2'] };
  const certificate = new X509Certificate((await ensureCertificate(client)).certificate);
  expect(certificate.subject.split('\n')).toEqual(['O=g:1', 'O=g 2', 'CN=system:jane\\, x=y']);
  expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
});

test('the private key belongs to the certificate, and the files are for their owner only', async () => {
  const { certificate, key, certificateFile, keyFile } = await ensureCertificate(server);
  expect(new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))).toBe(true);
  for (const file of [certificateFile, keyFile]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(certificateFile, 'utf8')).toBe(certificate);
});

test('an existing certificate is kept while it is good for more than 7 days', async () => {
  const kept = { ...server, name: 'kept' };
  const first = await ensureCertificate(kept);
  expect((await ensureCertificate({ ...kept, now: later(357) })).certificate).toBe(first.certificate);
  expect((await ensureCertificate({ ...kept, now: later(359) })).certificate).not.toBe(first.certificate);
});

test('an existing certificate is made again for other hosts, another subject or another authority', async () => {
  const changed = { ...server, name: 'changed' };
  const other = await ensureAuthority({ dir, name: 'other-ca', commonName: 'test-ca' });
  const seen = new Set<string>();
  for (const change of [
    {},
    { hosts: ['localhost'] },
    { commonName: 'x' },
    { organizations: ['x'] },
    { authority: other },
  ]) {
    seen.add((await ensureCertificate({ ...changed, ...change })).certificate);
  }
  expect(seen.size).toBe(5);
});

test('an existing certificate is made again when the key is damaged or of another certificate', async () => {
  const damaged = { ...server, name: 'damaged' };
  const { keyFile, certificate } = await ensureCertificate(damaged);
  await writeFile(keyFile, authority.key);
  const mended = await ensureCertificate(damaged);
  expect(mended.certificate).not.toBe(certificate);
  expect(new X509Certificate(mended.certificate).checkPrivateKey(createPrivateKey(mended.key))).toBe(true);
});

test('a key pair signs and verifies, and stays the same', async () => {
  const { keyFile, publicFile } = await ensureKeyPair({ dir, name: 'pair' });
  const [key, publicKey] = [await readFile(keyFile, 'utf8'), await readFile(publicFile, 'utf8')];
  const signature = sign('sha256', Buffer.from('x'), createPrivateKey(key));
  expect(verify('sha256', Buffer.from('x'), createPublicKey(publicKey), signature)).toBe(true);
  expect((await stat(keyFile)).mode & 0o777).toBe(0o600);
  await ensureKeyPair({ dir, name: 'pair' });
  expect(await readFile(keyFile, 'utf8')).toBe(key);
});
