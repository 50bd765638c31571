/**
 * LOC: a place on Earth with its size and precision (RFC 1876). Sizes have one digit and a power of ten on the wire, so
 * 1,234 m becomes 1,000 m, as in the algorithm of the RFC (appendix A).
 */
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat, uint32 } from '../wire/octets.ts';
import { defineType } from './define.ts';
import { type ParsedRdata, plainRdata } from './rdata.ts';
import { fields } from './tokens.ts';

const SHAPE =
  'A LOC record is "latitude N|S longitude E|W altitude size horizontal vertical", for instance "52 22 23 N 4 53 32 E -2m 1m 10000m 10m".';
const OCTETS = 16;
/** Thousandths of a second of arc in a degree; 0° is in the middle of the 32 bits. */
const DEGREE = 3_600_000;
const MIDDLE = 2 ** 31;
/** Centimetres; the altitude counts from 100,000 m below the WGS 84 spheroid. */
const BASE = 10_000_000;
const MAX_ALTITUDE = 2 ** 32 - 1 - BASE;
const MAX_SIZE = 9_000_000_000;
/** RFC 1876 section 3: 1 m, 10,000 m, 10 m. */
const DEFAULT_SIZES = [100, 1_000_000, 1_000];
const SIZES = ['size', 'horizontal precision', 'vertical precision'];

interface Axis {
  name: string;
  signs: readonly [positive: string, negative: string];
  degrees: number;
}
const LATITUDE: Axis = { name: 'latitude', signs: ['N', 'S'], degrees: 90 };
const LONGITUDE: Axis = { name: 'longitude', signs: ['E', 'W'], degrees: 180 };

export const LOC = defineType({
  number: 29,
  layout: ['rest'],
  text: locText,
  form: 'latitude, longitude and altitude; size and precision may follow',
  example: '52 22 23 N 4 53 32 E -2m 1m 10000m 10m',
  fields: [
    { name: 'latitude', label: 'Latitude', hint: 'Degrees, minutes, seconds, N or S.', until: 'NS' },
    { name: 'longitude', label: 'Longitude', hint: 'Degrees, minutes, seconds, E or W.', until: 'EW' },
    { name: 'altitude', label: 'Altitude' },
    {
      name: 'sizes',
      label: 'Size and precision',
      hint: 'Size, horizontal and vertical precision.',
      isRest: true,
      isOptional: true,
    },
  ],
  parse,
});

function parse(content: string): Verdict<ParsedRdata> {
  const words = fields(content);
  const latitude = takeAngle(words, LATITUDE);
  if (!latitude.ok) return latitude;
  const longitude = takeAngle(words, LONGITUDE);
  if (!longitude.ok) return longitude;
  const [height, ...rest] = words;
  if (height === undefined || rest.length > SIZES.length) return refuse('content', SHAPE);
  const altitude = parseMetres(height, 'altitude', -BASE, MAX_ALTITUDE);
  if (!altitude.ok) return altitude;
  const sizes: number[] = [];
  for (const [index, name] of SIZES.entries()) {
    const text = rest[index];
    const size = text === undefined ? accept(DEFAULT_SIZES[index] as number) : parseMetres(text, name, 0, MAX_SIZE);
    if (!size.ok) return size;
    sizes.push(sizeOctet(size.value));
  }
  const numbers = [latitude.value + MIDDLE, longitude.value + MIDDLE, altitude.value + BASE];
  const wire = concat([Uint8Array.of(0, ...sizes), ...numbers.map(uint32)]);
  const text = locText(wire);
  return accept(plainRdata(text, text, wire));
}

/** Takes one to three numbers and a sign off the words; thousandths of a second of arc. */
function takeAngle(words: string[], { name, signs, degrees: most }: Axis): Verdict<number> {
  const end = words.findIndex((word) => signs.includes(word.toUpperCase()));
  if (end < 1 || end > 3) return refuse('content', SHAPE);
  const [degrees = '', minutes = '0', seconds = '0'] = words.splice(0, end);
  const [sign] = words.splice(0, 1);
  const isRight =
    [degrees, minutes].every((text) => /^[0-9]{1,3}$/.test(text)) && /^[0-9]{1,2}(?:\.[0-9]{1,3})?$/.test(seconds);
  // In thousandths at once: 0.29 * 1000 is not 290.
  const [whole = '', fraction = ''] = seconds.split('.');
  const thousandths = Number(whole) * 1_000 + Number(fraction.padEnd(3, '0'));
  const angle = Number(degrees) * DEGREE + Number(minutes) * 60_000 + thousandths;
  if (!isRight || Number(minutes) > 59 || thousandths >= 60_000 || angle > most * DEGREE) {
    const coordinateText = [degrees, minutes, seconds].join(' ');
    return refuse(
      'content',
      `The ${name} ${clip(coordinateText)} is not accepted: write degrees up to ${most}, minutes up to 59 and seconds up to 59.999.`,
    );
  }
  return accept(sign?.toUpperCase() === signs[0] ? angle : -angle);
}

/** Centimetres of a number of metres with at most two decimals and an optional `m`. */
function parseMetres(text: string, what: string, min: number, max: number): Verdict<number> {
  const [, sign, whole, fraction = ''] = /^(-?)([0-9]{1,8})(?:\.([0-9]{1,2}))?m?$/i.exec(text) ?? [];
  const size = whole === undefined ? Number.NaN : Number(whole) * 100 + Number(fraction.padEnd(2, '0'));
  const value = sign === '-' ? 0 - size : size;
  if (value >= min && value <= max) return accept(value);
  return refuse(
    'content',
    `The ${what} is ${clip(text)}; it must be a number of metres from ${metres(min)} to ${metres(max)}, such as "10m".`,
  );
}

/** The first digit in the high half, the power of ten in the low half. */
function sizeOctet(centimetres: number): number {
  const digits = String(centimetres);
  return (Number(digits[0]) << 4) | (digits.length - 1);
}

/** The canonical text. @throws RangeError for octets that are not a LOC of version 0 */
export function locText(rdata: Uint8Array): string {
  if (rdata.length !== OCTETS || rdata[0] !== 0) throw new RangeError('not a LOC');
  const view = new DataView(rdata.buffer, rdata.byteOffset, rdata.byteLength);
  const sizes = [1, 2, 3].map((at) => {
    const [digit, power] = [rdata[at]! >> 4, rdata[at]! & 0x0f];
    if (digit > 9 || power > 9 || (digit === 0 && power > 0)) throw new RangeError('not a size');
    return `${metres(digit * 10 ** power)}m`;
  });
  const places = [
    angleText(view.getUint32(4) - MIDDLE, LATITUDE),
    angleText(view.getUint32(8) - MIDDLE, LONGITUDE),
    `${metres(view.getUint32(12) - BASE)}m`,
  ];
  return [...places, ...sizes].join(' ');
}

function angleText(angle: number, { signs, degrees }: Axis): string {
  const size = Math.abs(angle);
  if (size > degrees * DEGREE) throw new RangeError('not an angle');
  const seconds = (size % 60_000) / 1_000;
  const sign = angle < 0 ? signs[1] : signs[0];
  return `${Math.trunc(size / DEGREE)} ${Math.trunc(size / 60_000) % 60} ${seconds.toFixed(3)} ${sign}`;
}

function metres(centimetres: number): string {
  return (centimetres / 100).toFixed(2);
}
