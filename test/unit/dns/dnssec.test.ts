import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { readPublicKey } from '#dns/dnssec/algorithms.ts';
import { dsRecords, generateSigningKey, keyTag, readSigningKey } from '#dns/dnssec/signing-key.ts';

// RFC 6605 section 6.1.
const PUBLIC_KEY = 'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==';
const KEY = { algorithm: 13, publicKey: PUBLIC_KEY } as const;
const DIGEST = 'b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17';

test('the key of RFC 6605 section 6.1 has key tag 55648', () => {
  expect(keyTag(KEY)).toBe(55_648);
});

test('the key of RFC 6605 section 6.1 has its DS record for example.net, SHA-256 first', () => {
  const [sha256, sha384, ...more] = dsRecords('example.net', KEY);
  expect(sha256).toEqual({
    keyTag: 55_648,
    algorithm: 13,
    digestType: 2,
    digest: DIGEST,
    record: `example.net. IN DS 55648 13 2 ${DIGEST}`,
  });
  expect(sha384).toMatchObject({ keyTag: 55_648, algorithm: 13, digestType: 4 });
  expect(sha384!.digest).toMatch(/^[0-9a-f]{96}$/);
  expect(more).toEqual([]);
});

test.each([13, 14, 15] as const)(
  'a new key of algorithm %s has a public key that fits its private key',
  (algorithm) => {
    for (let round = 0; round < 5; round += 1) {
      const { privateKey, ...key } = generateSigningKey(algorithm);
      expect(readSigningKey(privateKey)).toMatchObject(key);
      const octets = readPublicKey(algorithm, Buffer.from(key.publicKey, 'base64'))?.export({ format: 'jwk' });
      expect(octets).toEqual(createPublicKey(createPrivateKey(privateKey)).export({ format: 'jwk' }));
    }
  },
);

test('keys of RSA have the form of RFC 3110, and other keys are not read', () => {
  const pem = (key: { privateKey: KeyObject }) => key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const rsa = readSigningKey(pem(generateKeyPairSync('rsa', { modulusLength: 2048 })));
  expect(rsa?.algorithm).toBe(8);
  expect(Buffer.from(rsa?.publicKey ?? '', 'base64').subarray(0, 4)).toEqual(Buffer.from([3, 1, 0, 1]));
  expect(readPublicKey(8, Buffer.from(rsa?.publicKey ?? '', 'base64'))?.asymmetricKeyDetails).toMatchObject({
    modulusLength: 2048,
  });
  expect(readSigningKey(pem(generateKeyPairSync('ec', { namedCurve: 'secp256k1' })))).toBeNull();
  expect(readSigningKey('no key')).toBeNull();
});

test('a new key is another one each time', () => {
  expect(generateSigningKey().publicKey).not.toBe(generateSigningKey().publicKey);
});
