import { expect, test } from 'vitest';
import { locText } from '#dns/types/loc.ts';
import { hex, rdata, refusal } from './build.ts';

// Examples of RFC 1876 section 4 and the edges of all fields; the octets are those of named-rrchecker (BIND 9.18).
test.each([
  [
    '42 21 54 N 71 06 18 W -24m 30m',
    '42 21 54.000 N 71 6 18.000 W -24.00m 30.00m 10000.00m 10.00m',
    '0033161389172dd070be15f000988d20',
  ],
  [
    '42 21 43.952 N 71 5 6.344 W -24m 1m 200m',
    '42 21 43.952 N 71 5 6.344 W -24.00m 1.00m 200.00m 10.00m',
    '001224138917069070bf2dd800988d20',
  ],
  [
    '52 14 05 n 00 08 50 e 10',
    '52 14 5.000 N 0 8 50.000 E 10.00m 1.00m 10000.00m 10.00m',
    '001216138b3556c88008165000989a68',
  ],
  [
    '32 7 19 S 116 2 25 E 10M',
    '32 7 19.000 S 116 2 25.000 E 10.00m 1.00m 10000.00m 10.00m',
    '00121613791b7d2898e6486800989a68',
  ],
  [
    '42 21 28.764 N 71 00 51.617 W -44m 2000m',
    '42 21 28.764 N 71 0 51.617 W -44.00m 2000.00m 10000.00m 10.00m',
    '002516138916cb3c70c310df00988550',
  ],
  [
    '90 S 180 W -100000m 0m 0m 0m',
    '90 0 0.000 S 180 0 0.000 W -100000.00m 0.00m 0.00m 0.00m',
    '000000006cb0270059604e0000000000',
  ],
  [
    '90 0 0 N 180 0 0 E 42849672.95m 90000000m 90000000m 90000000m',
    '90 0 0.000 N 180 0 0.000 E 42849672.95m 90000000.00m 90000000.00m 90000000.00m',
    '00999999934fd900a69fb200ffffffff',
  ],
  [
    '0 0 0.001 S 0 0 59.999 W 0.29 1234m 0.05m 99m',
    '0 0 0.001 S 0 0 59.999 W 0.29m 1000.00m 0.05m 90.00m',
    '001550937fffffff7fff15a10098969d',
  ],
])('a LOC record with %s is %s', (content, canonical, wire) => {
  const parsed = rdata('LOC', content);
  expect(parsed).toMatchObject({ content: canonical, rdata: canonical, target: null });
  expect(hex(parsed.wire)).toBe(wire);
});

test.each([
  ['52 22 23 N', /A LOC record is "latitude N\|S longitude E\|W altitude/],
  ['52 22 23 4 N 4 E 1m', /A LOC record is/],
  ['N 4 E 1m', /A LOC record is/],
  ['52 N 4 E', /A LOC record is/],
  ['4 E 52 N 1m', /The latitude "4 E 52"/],
  ['52 N 4 E 1m 1m 1m 1m 1m', /A LOC record is/],
  ['90 0 0.001 N 4 E 1m', /The latitude "90 0 0.001" is not accepted: write degrees up to 90/],
  ['52 N 181 E 1m', /The longitude "181 0 0"/],
  ['52 60 N 4 E 1m', /The latitude "52 60 0"/],
  ['52 1 60 N 4 E 1m', /seconds up to 59\.999/],
  ['52 1 1.0001 N 4 E 1m', /seconds up to 59\.999/],
  ['-52 N 4 E 1m', /The latitude "-52 0 0"/],
  ['52 N 4 E 1km', /The altitude is "1km"; it must be a number of metres from -100000\.00 to 42849672\.95/],
  ['52 N 4 E -100000.01m', /The altitude is/],
  ['52 N 4 E 42849672.96m', /The altitude is/],
  ['52 N 4 E 1.234m', /The altitude is/],
  ['52 N 4 E 1m -1m', /The size is "-1m".*0\.00 to 90000000\.00/],
  ['52 N 4 E 1m 1m 90000000.01m', /The horizontal precision is/],
  ['52 N 4 E 1m 1m 1m x', /The vertical precision is "x"/],
])('a LOC record with %s is refused', (content, message) => {
  expect(refusal('LOC', content)).toMatchObject({ field: 'content', message: expect.stringMatching(message) });
});

test('a LOC record writes no text for octets of another version, or out of range', () => {
  const good = Buffer.from('0033161389172dd070be15f000988d20', 'hex');
  for (const [at, octet] of [
    [0, 1],
    [1, 0xa0],
    [2, 0x1a],
    [3, 0x01],
    [4, 0],
    [8, 0],
  ] as const) {
    const octets = Uint8Array.from(good);
    octets[at] = octet;
    expect(() => locText(octets)).toThrow(RangeError);
  }
  expect(() => locText(good.subarray(1))).toThrow(RangeError);
});
