import { createPrivateKey, createPublicKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { dsRecords, generateCsk, keyTag } from '#dns/dnssec/signing-key.ts';

// RFC 6605 section 6.1.
const KEY = 'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==';
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

test('a new key is in the format that BIND writes', () => {
  const [format, algorithm, secret, end] = generateCsk().privateKey.split('\n');
  expect(format).toBe('Private-key-format: v1.2');
  expect(algorithm).toBe('Algorithm: 13 (ECDSAP256SHA256)');
  expect(Buffer.from(secret!.replace('PrivateKey: ', ''), 'base64')).toHaveLength(32);
  expect(end).toBe('');
});

test('a new key has a public key that matches its private key', () => {
  for (let round = 0; round < 20; round += 1) {
    const { privateKey, publicKey } = generateCsk();
    const d = Buffer.from(privateKey.split('PrivateKey: ')[1]!, 'base64').toString('base64url');
    const point = Buffer.from(publicKey, 'base64');
    expect(point).toHaveLength(64);
    const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((half) => half.toString('base64url'));
    const secret = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', d: d!, x: x!, y: y! } });
    expect(createPublicKey(secret).export({ format: 'jwk' })).toMatchObject({ x, y });
  }
});

test('a new key is another one each time', () => {
  expect(generateCsk().publicKey).not.toBe(generateCsk().publicKey);
});

test('a new key from a damaged row is reported, not used', () => {
  expect(() => keyTag('AAAA')).toThrow('64 octets');
});
