// SSHFP, SMIMEA, CERT, OPENPGPKEY and DHCID: keys, certificates and their digests.
import { expect, test } from 'vitest';
import type { NamedType } from '#dns/types/record-type.ts';
import { hex, rdata, refusal } from './build.ts';

const SHA1 = '123456789abcdef67890123456789abcdef67890';
const SHA256 = '0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef';

// The octets are those of named-rrchecker (BIND 9.18); the first SSHFP is the example of RFC 4255 section 3.2, the
// DHCID records are those of RFC 4701 section 3.6.
test.each<[NamedType, string, string, string]>([
  ['SSHFP', `2 1 ${SHA1}`, `2 1 ${SHA1}`, `0201${SHA1}`],
  ['SSHFP', `4  02\t${SHA256.toUpperCase()}`, `4 2 ${SHA256}`, `0402${SHA256}`],
  ['SSHFP', '255 7 AB cd', '255 7 abcd', 'ff07abcd'],
  ['SMIMEA', `3 1 1 ${SHA256}`, `3 1 1 ${SHA256}`, `030101${SHA256}`],
  ['SMIMEA', '0 0 0 30 82', '0 0 0 3082', '0000003082'],
  ['CERT', 'PKIX 65535 RSASHA256 MIIBIjAN', '1 65535 8 MIIBIjAN', '0001ffff0830820122300d'],
  ['CERT', 'ipgp 0 0 aGVs bG8=', '6 0 0 aGVsbG8=', '000600000068656c6c6f'],
  ['CERT', '65280 1 255 AA==', '65280 1 255 AA==', 'ff000001ff00'],
  ['OPENPGPKEY', 'mQENBFit wwoBCADA', 'mQENBFitwwoBCADA', '99010d0458adc30a010800c0'],
  [
    'DHCID',
    'AAIBY2/AuCccgoJbsaxcQc9TUapptP69l OjxfNuVAA2kjEA=',
    'AAIBY2/AuCccgoJbsaxcQc9TUapptP69lOjxfNuVAA2kjEA=',
    '000201636fc0b8271c82825bb1ac5c41cf5351aa69b4febd94e8f17cdb95000da48c40',
  ],
  [
    'DHCID',
    'AAABxLmlskllE0MVjd57zHcWmEH3pCQ6VytcKD//7es/deY=',
    'AAABxLmlskllE0MVjd57zHcWmEH3pCQ6VytcKD//7es/deY=',
    '000001c4b9a5b249651343158dde7bcc77169841f7a4243a572b5c283fffedeb3f75e6',
  ],
])('the %s value %s is %s', (type, content, canonical, wire) => {
  const parsed = rdata(type, content);
  expect(parsed).toMatchObject({ content: canonical, rdata: canonical, target: null, priority: null });
  expect(hex(parsed.wire)).toBe(wire);
});

test.each<[NamedType, string, RegExp]>([
  ['SSHFP', '4 2', /An SSHFP record is "algorithm type fingerprint".*ssh-keygen -r/],
  ['SSHFP', `0 2 ${SHA256}`, /Algorithm 0 is reserved/],
  ['SSHFP', `4 0 ${SHA256}`, /Fingerprint type 0 is reserved/],
  ['SSHFP', `256 2 ${SHA256}`, /algorithm is "256".*0 to 255/],
  ['SSHFP', `4 1 ${SHA256}`, /has 64 hexadecimal digits; fingerprint type 1 has 40/],
  ['SSHFP', `4 2 ${SHA1}`, /has 40 hexadecimal digits; fingerprint type 2 has 64/],
  ['SSHFP', '4 3 abc', /even number of hexadecimal digits/],
  ['SMIMEA', `3 1 ${SHA256}`, /An SMIMEA record is "usage selector matching data"/],
  ['SMIMEA', `4 1 1 ${SHA256}`, /certificate usage is "4"/],
  ['SMIMEA', '3 1 2 abcd', /has 4 hexadecimal digits; matching type 2 has 128/],
  ['CERT', 'PKIX 0 0', /A CERT record is "type keytag algorithm certificate"/],
  ['CERT', 'X509 0 0 AA==', /certificate type is "X509"/],
  ['CERT', '0 0 0 AA==', /Certificate type 0 is reserved/],
  ['CERT', 'PKIX 65536 0 AA==', /key tag is "65536"/],
  ['CERT', 'PKIX 0 RSA AA==', /algorithm is "RSA"/],
  ['CERT', 'PKIX 0 0 A', /certificate is "A"; it must be base64/],
  ['OPENPGPKEY', '-----BEGIN PGP PUBLIC KEY BLOCK-----', /base64 alone: without the lines that begin with "-----"/],
  ['OPENPGPKEY', 'aGVsbG8=', /not an OpenPGP key; write the output of "gpg --export/],
  ['OPENPGPKEY', 'mQENBA', /must be base64 with padding/],
  ['OPENPGPKEY', 'mQENBA=', /must be base64 with padding/],
  ['OPENPGPKEY', 'mQ%NBA==', /must be base64 with padding/],
  ['DHCID', 'AAIB', /The DHCID has 3 octets/],
  ['DHCID', 'AAIBY2/A', /The DHCID has 6 octets.*32 for SHA-256/],
  ['DHCID', 'x', /must be base64/],
])('the refusal of the %s value %s says how to correct it', (type, content, message) => {
  expect(refusal(type, content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
});
