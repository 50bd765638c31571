// Validation of answers with the DS records of a zone, against the example of RFC 6605 section 6.1, and against sets
// that the test signs with keys of its own.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { findSignatureProblem, trustKeys } from '#dns/dnssec/validate.ts';
import { NOW_SECONDS, signedSet, testKey } from '../../support/dns/signed-sets.ts';

const ZONE = 'zone.example';
const KEY = testKey(ZONE);
const OTHER = testKey(ZONE);
const DNSKEY = 48;
const TXT = 16;
const TEXT = Uint8Array.of(3, 97, 98, 99);

const keysOf = (...keys: (typeof KEY)[]) => ({ name: ZONE, type: DNSKEY, rdatas: keys.map(({ dnskey }) => dnskey) });
const text = { name: `www.${ZONE}`, type: TXT, rdatas: [TEXT] };

test('a resolver trusts the keys of a zone that a key with a DS record has signed', () => {
  const verdict = trustKeys(ZONE, KEY.ds, signedSet(ZONE, keysOf(KEY, OTHER), KEY), NOW_SECONDS);
  expect(verdict).toEqual({ ok: true, keys: [KEY.dnskey, OTHER.dnskey] });
});

test('a resolver does not trust keys that another key of the set has signed', () => {
  const verdict = trustKeys(ZONE, KEY.ds, signedSet(ZONE, keysOf(KEY, OTHER), OTHER), NOW_SECONDS);
  expect(verdict).toMatchObject({ ok: false, problem: expect.stringContaining('which is not trusted') });
});

test('a resolver does not trust keys without one that a DS record names', () => {
  const problem = 'serves no key that a DS record of the zone names';
  expect(trustKeys(ZONE, KEY.ds, signedSet(ZONE, keysOf(OTHER), OTHER), NOW_SECONDS)).toEqual({ ok: false, problem });
  expect(trustKeys(ZONE, [], signedSet(ZONE, keysOf(KEY), KEY), NOW_SECONDS)).toEqual({ ok: false, problem });
  // The digest belongs to the name of the zone.
  expect(trustKeys('other.example', KEY.ds, signedSet(ZONE, keysOf(KEY), KEY), NOW_SECONDS)).toMatchObject({
    ok: false,
  });
});

test('a resolver does not use a DS record with SHA-1', () => {
  const [good = new Uint8Array()] = KEY.ds;
  const digest = createHash('sha1').update('\x04zone\x07example\0').update(KEY.dnskey).digest();
  const weak = Uint8Array.from([...good.subarray(0, 3), 1, ...digest]);
  expect(trustKeys(ZONE, [weak], signedSet(ZONE, keysOf(KEY), KEY), NOW_SECONDS)).toMatchObject({ ok: false });
});

test('a resolver uses neither a key without the zone flag nor a key of another protocol', () => {
  for (const change of [{ flags: 1 }, { protocol: 2 }]) {
    const bad = testKey(ZONE, change);
    const verdict = trustKeys(ZONE, bad.ds, signedSet(ZONE, keysOf(bad), bad), NOW_SECONDS);
    expect(verdict).toEqual({ ok: false, problem: 'serves no key of the zone' });
  }
});

test('an answer is valid with one signature of a trusted key, next to any others', () => {
  const { set, signatures } = signedSet(ZONE, text, KEY);
  const strange = signedSet(ZONE, text, OTHER).signatures;
  const all = [new Uint8Array(0), Uint8Array.of(1, 2, 3), ...strange, ...signatures];
  expect(findSignatureProblem(ZONE, { set, signatures: all }, [KEY.dnskey], NOW_SECONDS)).toBeNull();
});

test.each([
  ['serves no signature', { signatures: [] }],
  ['serves no signature', { set: { ...text, type: 1 } }],
  ['serves a signature that does not verify', { set: { ...text, rdatas: [Uint8Array.of(3, 97, 98, 100)] } }],
  ['serves a signature that does not verify', { set: { ...text, name: `ftp.${ZONE}` } }],
  ['serves a signature that does not verify', { set: { ...text, rdatas: [TEXT, Uint8Array.of(1, 97)] } }],
  ['serves a signature for another name', { set: { ...text, name: `a.www.${ZONE}` } }],
])('an answer %s if it was changed (%#)', (problem, change) => {
  const answer = { ...signedSet(ZONE, text, KEY), ...change };
  expect(findSignatureProblem(ZONE, answer, [KEY.dnskey], NOW_SECONDS)).toBe(problem);
});

test('an answer is valid from the inception of its signature to the expiration', () => {
  const answer = signedSet(ZONE, text, KEY, { inception: NOW_SECONDS - 60, expiration: NOW_SECONDS + 60 });
  const at = (seconds: number) => findSignatureProblem(ZONE, answer, [KEY.dnskey], NOW_SECONDS + seconds);
  expect([at(-60), at(60)]).toEqual([null, null]);
  expect(at(-61)).toBe('serves a signature that is not valid yet');
  expect(at(61)).toBe('serves a signature that has expired');
});

test('an answer needs the signature of its own zone', () => {
  const problem = 'serves a signature of another zone, other.example.';
  const answer = signedSet('other.example', text, KEY);
  expect(findSignatureProblem(ZONE, answer, [KEY.dnskey], NOW_SECONDS)).toBe(problem);
});

test('the example of RFC 6605 is valid at its time', () => {
  const base64 = (from: string) => Uint8Array.from(Buffer.from(from, 'base64'));
  const hex = (from: string) => Uint8Array.from(Buffer.from(from, 'hex'));
  const key = Uint8Array.from([
    ...hex('0101030d'),
    ...base64('GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA=='),
  ]);
  const signature = Uint8Array.from([
    ...hex('00010d0300000e104c88b1374c63c737d960076578616d706c65036e657400'),
    ...base64('qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw=='),
  ]);
  const set = { name: 'www.example.net', type: 1, rdatas: [hex('c0000201')] };
  const during = Date.parse('2010-08-20T00:00:00Z') / 1000;
  expect(findSignatureProblem('example.net', { set, signatures: [signature] }, [key], during)).toBeNull();
});
