// The inputs of a release: the address of the registry, the key for signatures, and the words of a registry that
// refuses.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isMissing, refusal } from '../../../../deploy/release/refusals.ts';
import { parseAddress } from '../../../../deploy/release/registry.ts';
import { readSigningKey } from '../../../../deploy/release/signing-key.ts';
import { signingKeys } from '../../../support/release/release.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const folder = await temporaryFolder('signing');

test.each([
  ['registry.example.net/dns', 'registry.example.net', 'dns'],
  ['localhost:5000', 'localhost:5000', ''],
  ['registry.example.net:5000/a/b-c/', 'registry.example.net:5000', 'a/b-c'],
])('the address of a registry is read: %s', (address, host, path) =>
  expect(parseAddress(address)).toEqual({ host, path }),
);

test.each(['https://registry.example.net', 'oci://registry.example.net/dns', 'registry.example.net/DNS', 'a b', ''])(
  'the address "%s" of a registry is refused with the accepted form',
  (address) => expect(() => parseAddress(address)).toThrow('like registry.example.net:5000/zonestead'),
);

const inFile = async (name: string, text: string) => {
  await writeFile(join(folder, name), text);
  return join(folder, name);
};

test('a key for signatures that openssl made is read', async () => {
  const file = join(folder, 'openssl.key');
  execFileSync('openssl', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256', '-out', file]);
  await expect(readSigningKey(file)).resolves.toBeDefined();
});

test('a key for signatures is refused with the way to one that fits', async () => {
  const [encrypted] = await signingKeys(folder, 'encrypted', 'secret');
  await expect(readSigningKey(encrypted)).rejects.toThrow('Check --sign-passphrase-file');
  await expect(readSigningKey(encrypted, await inFile('wrong', 'no\n'))).rejects.toThrow('--sign-passphrase-file');
  await expect(readSigningKey(encrypted, await inFile('right', 'secret\n'))).resolves.toBeDefined();
  await expect(readSigningKey(join(folder, 'none.key'))).rejects.toThrow('Make a key with: openssl genpkey');
  await expect(readSigningKey(await inFile('text.key', 'no key'))).rejects.toThrow('Make a key with: openssl');
  const rsa = join(folder, 'rsa.key');
  execFileSync('openssl', ['genpkey', '-algorithm', 'RSA', '-out', rsa], { stdio: 'ignore' });
  await expect(readSigningKey(rsa)).rejects.toThrow('is a key of type rsa, and must be EC P-256');
  const cosign = await inFile('cosign.key', '-----BEGIN ENCRYPTED SIGSTORE PRIVATE KEY-----\n');
  await expect(readSigningKey(cosign)).rejects.toThrow('import-key-pair');
});

test.each([
  ['manifest unknown', true],
  ['repository name not known to registry', true],
  ['response status code 404: name unknown', true],
  ['unauthorized: authentication required', false],
  ['exec: "docker-credential-desktop": executable file not found in $PATH', false],
])('"%s": the registry has no such tag: %s', (words, missing) => expect(isMissing(words)).toBe(missing));

test.each([
  ['UNAUTHORIZED: authentication required; [map[Action:push]]', 'h wants a login (401)'],
  ['DENIED: requested access to the resource is denied', 'h refuses this login (403)'],
  ['tls: failed to verify certificate: x509: certificate signed by unknown authority', 'Add --ca-file'],
  ['http: server gave HTTP response to HTTPS client', 'add --plain-http'],
  ['dial tcp 127.0.0.1:1: connect: connection refused', 'h does not answer'],
])('"%s" of cosign becomes "%s"', (words, sentence) => {
  const error = `Error: signing [h/a@sha256:0]: accessing image: Get "https://h/v2/": ${words}`;
  expect(refusal(error, 'signing h/a', 'h').message).toContain(sentence);
});

test('words that are not known are shown as they are', () => {
  expect(refusal('disk full', 'pushing a', 'h').message).toBe('pushing a failed:\ndisk full');
});
