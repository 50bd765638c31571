// The chain of trust as data, against the example of RFC 6605 section 6.1 and faults made of it.
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { type ChainFound, judgeChain } from '#dns/dnssec/chain-of-trust.ts';
import { nameToWire } from '#dns/wire/octets.ts';

const base64 = (text: string) => Uint8Array.from(Buffer.from(text, 'base64'));
const hex = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));
const join = (...parts: Uint8Array[]) => Uint8Array.from(Buffer.concat(parts));

const KEY = join(
  hex('0101030d'),
  base64('GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA=='),
);
const DS = join(hex('d9600d02'), hex('b4c8c1fe2e7477127b27115656ad6256f424625bf5c1e2770ce6d6e37df61d17'));
const time = (text: string) => {
  const seconds = Date.parse(text) / 1000;
  return Uint8Array.of(seconds >>> 24, seconds >>> 16, seconds >>> 8, seconds);
};
const SIGNATURE = join(
  hex('00010d0300000e10'),
  time('2010-09-09T10:04:39Z'),
  time('2010-08-12T10:04:39Z'),
  hex('d960'),
  nameToWire('example.net'),
  base64('qx6wLYqmh+l9oCKTN6qIc+bw6ya+KJ8oMz0YP107epXAyGmt+3SNruPFKG7tZoLBLlUzGGus7ZwmwWep666VCw=='),
);
const DURING = new Date('2010-08-20T00:00:00Z');

function found(change: Partial<ChainFound> = {}): ChainFound {
  return {
    zone: 'example.net',
    above: [],
    ds: [DS],
    dnskey: { keys: [KEY], signatures: [] },
    answer: { set: { name: 'www.example.net', type: 1, rdatas: [hex('c0000201')] }, signatures: [SIGNATURE] },
    ...change,
  };
}

test('the chain of trust verifies the DS and the signature of the example of RFC 6605', () => {
  const chain = judgeChain(found(), DURING);
  expect(chain.ds).toMatchObject({ state: 'valid', entries: [{ keyTag: 55648, algorithm: 13, digestType: 2 }] });
  expect(chain.rrsig).toMatchObject({
    state: 'valid',
    entries: [{ keyTag: 55648, expiration: new Date('2010-09-09T10:04:39Z'), state: 'valid' }],
  });
  expect(chain.dnskey.entries).toEqual([{ keyTag: 55648, algorithm: 13, flags: 257, state: 'valid' }]);
});

test('the chain of trust accepts no signature over another address or name, and no damaged signature', () => {
  const wrong = (answer: ChainFound['answer']) => judgeChain(found({ answer }), DURING).rrsig;
  const set = { name: 'www.example.net', type: 1, rdatas: [hex('c0000201')] };
  expect(wrong({ set: { ...set, rdatas: [hex('c0000202')] }, signatures: [SIGNATURE] }).state).toBe('mismatch');
  expect(wrong({ set: { ...set, name: 'ftp.example.net' }, signatures: [SIGNATURE] }).state).toBe('mismatch');
  const bent = Uint8Array.from(SIGNATURE);
  bent[bent.length - 1] = (bent.at(-1) as number) ^ 1;
  expect(wrong({ set, signatures: [bent] })).toMatchObject({
    state: 'mismatch',
    reason: 'The signature is not that of the key 55648.',
  });
});

test('the chain of trust says when a signature has expired, is not valid yet, or is missing', () => {
  expect(judgeChain(found(), new Date('2010-09-10T00:00:00Z')).rrsig.reason).toBe('The signature has expired.');
  expect(judgeChain(found(), new Date('2010-08-01T00:00:00Z')).rrsig.reason).toBe('The signature is not valid yet.');
  const { answer } = found();
  expect(judgeChain(found({ answer: { set: answer?.set ?? null, signatures: [] } }), DURING).rrsig.state).toBe(
    'missing',
  );
  expect(judgeChain(found({ answer: { set: null, signatures: [] } }), DURING).rrsig.state).toBe('missing');
});

test('the chain of trust distinguishes a parent without DS, one with the DS of another key, and no answer', () => {
  expect(judgeChain(found({ ds: [] }), DURING).ds.state).toBe('missing');
  const other = Uint8Array.from(DS);
  other[10] = (other[10] as number) ^ 1;
  expect(judgeChain(found({ ds: [other] }), DURING).ds.state).toBe('mismatch');
  // One that fits is enough: the other belongs to a key that is not served any more.
  const both = judgeChain(found({ ds: [other, DS] }), DURING).ds;
  expect(both.state).toBe('valid');
  expect(both.entries.map(({ state }) => state)).toEqual(['mismatch', 'valid']);
  expect(judgeChain(found({ ds: null }), DURING).ds.state).toBe('unknown');
  const silent = judgeChain(found({ dnskey: null, answer: null }), DURING);
  expect([silent.ds.state, silent.dnskey.state, silent.rrsig.state]).toEqual(['unknown', 'unknown', 'unknown']);
});

test('the chain of trust requires that the keys exist and are signed', () => {
  expect(judgeChain(found({ dnskey: { keys: [], signatures: [] } }), DURING).dnskey.state).toBe('missing');
  expect(judgeChain(found(), DURING).dnskey).toMatchObject({
    state: 'mismatch',
    reason: 'The DNSKEY records have no signature.',
  });
});

test('the chain of trust ignores records that are not RRSIG', () => {
  const { answer } = found();
  const signatures = [new Uint8Array(0), Uint8Array.of(1, 2, 3), SIGNATURE.subarray(0, 20)];
  expect(judgeChain(found({ answer: { set: answer?.set ?? null, signatures } }), DURING).rrsig.state).toBe('missing');
});
