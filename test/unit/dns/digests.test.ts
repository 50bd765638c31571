import { expect, test } from 'vitest';
import { hex, rdata, refusal } from './build.ts';

const SHA1 = 'ab'.repeat(20);
const SHA256 = 'AB'.repeat(32);
const SHA384 = 'ab'.repeat(48);
const SHA512 = 'ab'.repeat(64);

test('a DS record has its digest joined and in lower case', () => {
  // RFC 4034 section 5.4.
  const parsed = rdata('DS', '060485 05 1 2BB183AF5F22588179A53B0A 98631FAD1A292118');
  expect(parsed.rdata).toBe('60485 5 1 2bb183af5f22588179a53b0a98631fad1a292118');
  expect(parsed.content).toBe(parsed.rdata);
  expect(hex(parsed.wire)).toBe('ec4505012bb183af5f22588179a53b0a98631fad1a292118');
});

test.each([`1 13 2 ${SHA256}`, `1 13 4 ${SHA384}`, `65535 255 1 ${SHA1}`, '1 13 200 ab', `0 8 5 ${SHA256}`])(
  'a DS record with %s is accepted',
  (content) => {
    expect(rdata('DS', content).rdata).toBe(content.toLowerCase());
  },
);

test.each([
  '1 13 2',
  `1 13 2 ${SHA1}`,
  `1 13 1 ${SHA256}`,
  `1 13 4 ${SHA256}`,
  `1 13 3 ${SHA1}`,
  '1 13 2 abcd',
  `1 13 0 ${SHA256}`,
  `1 0 2 ${SHA256}`,
  `65536 13 2 ${SHA256}`,
  `1 256 2 ${SHA256}`,
  `-1 13 2 ${SHA256}`,
  `1 ECDSAP256SHA256 2 ${SHA256}`,
  `1 13 2 ${SHA256}g0`,
  '1 13 200 abc',
  `1 13 2 "${SHA256}"`,
])('a DS record with %s is refused', (content) => {
  expect(refusal('DS', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});

test.each([`3 1 1 ${SHA256}`, `2 0 2 ${SHA512}`, '0 0 0 d2ab'])('a TLSA record with %s is accepted', (content) => {
  expect(rdata('TLSA', content).rdata).toBe(content.toLowerCase());
});

test('a TLSA record has three octets in front of its data', () => {
  expect(hex(rdata('TLSA', '3 1 0 DEAD BEEF').wire)).toBe('030100deadbeef');
});

test.each([
  '3 1 1',
  `4 1 1 ${SHA256}`,
  `3 2 1 ${SHA256}`,
  `3 1 3 ${SHA256}`,
  `255 1 1 ${SHA256}`,
  `3 1 255 ${SHA256}`,
  `3 1 1 ${SHA512}`,
  `3 1 2 ${SHA256}`,
  '3 1 0 abc',
  '3 1 0 xy',
  `x 1 1 ${SHA256}`,
])('a TLSA record with %s is refused', (content) => {
  expect(refusal('TLSA', content)).toMatchObject({ code: 'bad_request', field: 'content' });
});
