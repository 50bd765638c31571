// The keys with which zones move in: the formats of other DNS servers, and the keys that are refused.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { expect, test } from 'vitest';
import { readDnskeys } from '#dns/dnssec/dnskey-text.ts';
import { listOtherKeys, readImportedKey } from '#dns/dnssec/imported-key.ts';
import { dnskeyText, generateSigningKey, keyTag, readSigningKey } from '#dns/dnssec/signing-key.ts';
import { writeBindRsa } from '../../support/dns/key-files.ts';

const bindKey = (algorithm: string, privateKey: string) =>
  `Private-key-format: v1.2\nAlgorithm: ${algorithm}\nPrivateKey: ${privateKey}\n`;
const pemOf = (key: KeyObject, type: 'pkcs8' | 'sec1' | 'pkcs1' = 'pkcs8') =>
  key.export({ type: type as 'pkcs8', format: 'pem' }).toString();

/** The examples of RFC 6605 section 6 and RFC 8080 section 6.1. */
const EXAMPLES = [
  {
    zone: 'example.net',
    tag: 55_648,
    privateKey: bindKey('13 (ECDSAP256SHA256)', 'GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ='),
    dnskey:
      'example.net. 3600 IN DNSKEY 257 3 13 (\n GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edb\n krSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA== )',
  },
  {
    zone: 'example.net',
    tag: 10_771,
    privateKey: bindKey('14 (ECDSAP384SHA384)', 'WURgWHCcYIYUPWgeLmiPY2DJJk02vgrmTfitxgqcL4vwW7BOrbawVmVe0d9V94SR'),
    dnskey:
      'example.net. 3600 IN DNSKEY 257 3 14 xKYaNhWdGOfJ+nPrL8/arkwf2EY3MDJ+SErKivBVSum1w/egsXvSADtNJhyem5RCOpgQ6K8X1DRSEkrbYQ+OB+v8/uX45NBwY8rp65F6Glur8I/mlVNgF6W/qTI37m40',
  },
  {
    zone: 'example.com',
    tag: 3_613,
    privateKey: bindKey('15 (ED25519)', 'ODIyNjAzODQ2MjgwODAxMjI2NDUxOTAyMDQxNDIyNjI='),
    dnskey: 'example.com. 3600 IN DNSKEY 257 3 15 l02Woi0iS8Aa25FQkUd9RMzZHJpBoRQwAQEX1SxZJA4=',
  },
] as const;

test.each(EXAMPLES)('the example key $tag of an RFC is read in the format of BIND, and fits its DNSKEY', (example) => {
  const read = readImportedKey(example.zone, example);
  if (!read.ok) throw new Error(read.problem.message);
  expect(keyTag(read.value)).toBe(example.tag);
  expect(readSigningKey(read.value.privateKey)).toEqual(read.value);
  const windows = readImportedKey(example.zone, { privateKey: example.privateKey.replaceAll('\n', '\r\n') });
  expect(windows).toEqual(read);
});

test('keys of each algorithm are read as PEM: PKCS#8, SEC 1 and PKCS#1', () => {
  const pairs = [
    ...[generateKeyPairSync('ec', { namedCurve: 'P-256' }), generateKeyPairSync('ec', { namedCurve: 'P-384' })],
    ...[generateKeyPairSync('ed25519'), generateKeyPairSync('rsa', { modulusLength: 2_048 })],
  ].map(({ privateKey }) => privateKey);
  const algorithms = pairs.map((key) => {
    const read = readImportedKey('example.org', { privateKey: pemOf(key) });
    expect(read).toEqual({ ok: true, value: readSigningKey(pemOf(key)) });
    return read.ok ? read.value.algorithm : null;
  });
  expect(algorithms).toEqual([13, 14, 15, 8]);
  const [ec, , , rsa] = pairs as [KeyObject, KeyObject, KeyObject, KeyObject];
  expect(readImportedKey('example.org', { privateKey: pemOf(ec, 'sec1') }).ok).toBe(true);
  expect(readImportedKey('example.org', { privateKey: pemOf(rsa, 'pkcs1') }).ok).toBe(true);
  expect(readImportedKey('example.org', { privateKey: writeBindRsa(rsa) })).toEqual(
    readImportedKey('example.org', { privateKey: pemOf(rsa) }),
  );
});

const RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const OTHER_RSA = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
const KEY = generateSigningKey();
const OTHER = generateSigningKey();
const record = (rdata: string, owner = 'example.org.') => `${owner} 3600 IN DNSKEY ${rdata}\n`;
const withFlags = (flags: number) => record(dnskeyText(KEY).replace('257', String(flags)));
const rsaOf = (options: { modulusLength: number; publicExponent?: number }) =>
  generateKeyPairSync('rsa', options).privateKey;

test.each([
  { flaw: 'no key', privateKey: 'secret', says: 'must be the text of a K….private file' },
  { flaw: 'the public half', privateKey: record(dnskeyText(KEY)), says: 'must not be the public half' },
  { flaw: 'a long text', privateKey: 'x'.repeat(20_000), says: 'at most 16384 characters' },
  {
    flaw: 'a password',
    privateKey: generateKeyPairSync('ed25519')
      .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' })
      .toString(),
    says: 'openssl pkcs8 -in FILE',
  },
  { flaw: 'SHA-1', privateKey: writeBindRsa(RSA, { Algorithm: '7 (NSEC3RSASHA1)' }), says: '7 (NSEC3RSASHA1)' },
  { flaw: 'SHA-512', privateKey: writeBindRsa(RSA, { Algorithm: '10 (RSASHA512)' }), says: '8, 13, 14, 15' },
  { flaw: 'no algorithm', privateKey: 'Private-key-format: v1.3\n', says: 'algorithm (none)' },
  {
    flaw: 'another curve',
    privateKey: pemOf(generateKeyPairSync('ec', { namedCurve: 'P-521' }).privateKey),
    says: 'P-521',
  },
  { flaw: 'Ed448', privateKey: pemOf(generateKeyPairSync('ed448').privateKey), says: 'Ed448' },
  { flaw: 'a weak RSA key', privateKey: pemOf(rsaOf({ modulusLength: 1_024 })), says: '1024 bits' },
  { flaw: 'a huge RSA key', privateKey: pemOf(rsaOf({ modulusLength: 4_160 })), says: 'more than 4096 bits' },
  {
    flaw: 'a small exponent',
    privateKey: pemOf(rsaOf({ modulusLength: 2_048, publicExponent: 3 })),
    says: 'RSA exponent 3,',
  },
  {
    flaw: 'a prime of another key',
    privateKey: writeBindRsa(RSA, {
      Prime1: Buffer.from(OTHER_RSA.export({ format: 'jwk' }).p ?? '', 'base64url').toString('base64'),
    }),
    says: 'is damaged',
  },
  {
    flaw: 'a coefficient of another key, with which OpenSSL signs without a complaint,',
    privateKey: writeBindRsa(RSA, {
      Coefficient: Buffer.from(OTHER_RSA.export({ format: 'jwk' }).qi ?? '', 'base64url').toString('base64'),
    }),
    says: 'is damaged',
  },
  { flaw: 'a missing line', privateKey: writeBindRsa(RSA).replace(/^Prime2.*\n/m, ''), says: '"Prime2"' },
  { flaw: 'a short number', privateKey: bindKey('15 (ED25519)', 'AAAA'), says: 'Ed25519 needs 32' },
  { flaw: 'a long number', privateKey: bindKey('13 (ECDSAP256SHA256)', 'A'.repeat(64)), says: 'has 48 octets' },
  { flaw: 'the number 0', privateKey: bindKey('13 (ECDSAP256SHA256)', 'AAAA'), says: 'is damaged' },
  {
    flaw: 'a hardware module',
    privateKey: 'Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nEngine: AAAA\nLabel: a\n',
    says: 'hardware module',
  },
  { flaw: 'another DNSKEY', dnskey: record(dnskeyText(OTHER)), says: 'does not fit the private key' },
  { flaw: 'a ZSK', dnskey: withFlags(256), says: 'zone-signing key (flags 256)' },
  { flaw: 'a revoked key', dnskey: withFlags(385), says: 'revoked key (flags 385)' },
  { flaw: 'flags of no zone key', dnskey: withFlags(1), says: 'not a key of a zone' },
  { flaw: 'unknown flags', dnskey: withFlags(259), says: 'has the flags 259' },
  { flaw: 'another protocol', dnskey: record(dnskeyText(KEY).replace(' 3 ', ' 2 ')), says: 'its protocol 3' },
  { flaw: 'an old algorithm', dnskey: record(dnskeyText(KEY).replace(' 13 ', ' 5 ')), says: 'has the algorithm 5' },
  { flaw: 'another zone', dnskey: record(dnskeyText(KEY), 'example.net.'), says: 'the zone "example.net"' },
  { flaw: 'two records', dnskey: record(dnskeyText(KEY)) + withFlags(256), says: 'must be one DNSKEY record' },
  { flaw: 'no record', dnskey: 'nothing', says: 'must be a DNSKEY record' },
])(
  '$flaw is refused with a sentence that shows nothing of the key',
  ({ privateKey = KEY.privateKey, dnskey, says }) => {
    const read = readImportedKey('example.org', { privateKey, dnskey });
    if (read.ok) throw new Error('it was accepted');
    expect(read.problem.field).toBe(dnskey === undefined ? 'key.privateKey' : 'key.dnskey');
    expect(read.problem.message).toContain(says);
    expect(read.problem.message).toMatch(/^the .*\.$/s);
    const secrets = privateKey.split(/\s+/).filter((word) => word.length > 20);
    for (const secret of secrets) expect(read.problem.message).not.toContain(secret);
  },
);

test.each([
  record(dnskeyText(KEY)),
  record(dnskeyText(KEY), 'Example.ORG'),
  record(dnskeyText(KEY), '@'),
  `; This is a key-signing key, keyid 1, for example.org.\nexample.org. IN DNSKEY ${dnskeyText(KEY)}\n`,
  dnskeyText(KEY),
  ' ',
])('the DNSKEY record %j of the key is accepted', (dnskey) => {
  expect(readImportedKey('example.org', { privateKey: KEY.privateKey, dnskey })).toEqual({ ok: true, value: KEY });
});

test('the keys of a signed zone that are not the imported one are found in its text', () => {
  const text = `$ORIGIN example.org.\n@ SOA a b 1 2 3 4 5\n${record(dnskeyText(KEY), '@')}${record(dnskeyText(OTHER), '@')} IN DNSKEY 256 3 ( 13\n${KEY.publicKey} )\nwww TXT DNSKEY\n@ RRSIG DNSKEY 13 2 60 1 2 3 a b\n@ 60 IN NSEC a A DNSKEY\n`;
  expect(readDnskeys(text).map(({ flags, algorithm }) => [flags, algorithm])).toEqual([
    [257, 13],
    [257, 13],
    [256, 13],
  ]);
  const others = listOtherKeys(text, KEY);
  expect(others.map(({ flags }) => flags)).toEqual([257, 256]);
  expect(others[0]?.tag).toBe(keyTag(OTHER));
});
