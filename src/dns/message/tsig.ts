/** The TSIG record of a message and its signature (RFC 8945). Pure: time and secrets are parameters. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { type TsigKeyAlgorithm, tsigAlgorithm } from '../tsig/key.ts';
import { readName } from '../wire/name.ts';
import { concat, nameToWire, uint16, uint32 } from '../wire/octets.ts';
import { CLASS, HEADER, META, writeRecord } from './message.ts';
import { placeOfTsig } from './outline.ts';

/** The codes of the error field (RFC 8945 section 3). */
export const TSIG_ERROR = { BADSIG: 16, BADKEY: 17, BADTIME: 18, BADTRUNC: 22 } as const;
export type TsigError = keyof typeof TSIG_ERROR;

/** The most seconds between the clocks of a client and of the service (RFC 8945 section 10). */
export const FUDGE = 300;

export interface Tsig {
  /** The name of the key in lower case, without its final dot. */
  keyName: string;
  /** In lower case, without its final dot; perhaps not one of the service. */
  algorithm: string;
  /** Both names on the wire. */
  wire: { keyName: Uint8Array; algorithm: Uint8Array };
  /** Unix time in seconds, of 48 bits. */
  time: number;
  /** Seconds. */
  fudge: number;
  mac: Uint8Array;
  originalId: number;
  error: number;
  other: Uint8Array;
}

export interface TsigKey {
  /** In lower case, without its final dot. */
  name: string;
  algorithm: TsigKeyAlgorithm;
  secret: Uint8Array;
}

/** A message, and its TSIG record if it has one. */
export interface Signed {
  tsig: Tsig;
  /** The message as it was signed: without the TSIG record, and with its original id. */
  unsigned: Uint8Array;
}

/**
 * Takes the TSIG record off a message; null if it has none.
 * @throws RangeError when the message or its TSIG record is malformed, or the record is not the last one (RFC 8945
 * section 5.2)
 */
export function takeTsig(octets: Uint8Array): Signed | null {
  const at = placeOfTsig(octets);
  if (at === null) return null;
  const view = new DataView(octets.buffer, octets.byteOffset, octets.byteLength);
  const owner = readName(octets, at);
  if (view.getUint16(owner.next + 2) !== CLASS.ANY || view.getUint32(owner.next + 4) !== 0) {
    throw new RangeError('the class or the TTL of the TSIG record is wrong');
  }
  const algorithm = readName(octets, owner.next + 10);
  const time = algorithm.next;
  const macSize = view.getUint16(time + 8);
  const end = time + 10 + macSize;
  const other = view.getUint16(end + 4);
  if (end + 6 + other !== octets.length) throw new RangeError('the TSIG record has another length than its fields');
  const unsigned = octets.slice(0, at);
  const count = view.getUint16(10) - 1;
  unsigned.set(octets.subarray(end, end + 2), 0);
  unsigned.set(uint16(count), 10);
  return {
    tsig: {
      keyName: owner.name,
      algorithm: algorithm.name,
      wire: { keyName: owner.wire, algorithm: algorithm.wire },
      time: view.getUint16(time) * 2 ** 32 + view.getUint32(time + 2),
      fudge: view.getUint16(time + 6),
      mac: octets.slice(time + 10, end),
      originalId: view.getUint16(end),
      error: view.getUint16(end + 2),
      other: octets.slice(end + 6),
    },
    unsigned,
  };
}

/** `malformed`: a MAC of a length that no algorithm allows, which is answered FORMERR. */
type Check = { ok: true } | { ok: false; error: TsigError | 'malformed' };

/**
 * Checks the signature of a request in the order of RFC 8945 section 5.2: key, MAC, time, truncation. A valid MAC that
 * is cut short is refused, because no usual client sends one.
 * @param key the one of this name; null if there is none
 * @param now Unix time in seconds
 */
export function checkTsig({ tsig, unsigned }: Signed, key: TsigKey | null, now: number): Check {
  if (key === null || key.name !== tsig.keyName || tsigAlgorithm(key.algorithm).wireName !== tsig.algorithm)
    return failed('BADKEY');
  const expectedMac = computeMac(key, [unsigned, encodeVariables(tsig)]);
  const length = tsig.mac.length;
  if (length > expectedMac.length || length < Math.max(10, expectedMac.length / 2)) return failed('malformed');
  if (!timingSafeEqual(expectedMac.subarray(0, length), tsig.mac)) return failed('BADSIG');
  if (Math.abs(now - tsig.time) > Math.min(tsig.fudge, FUDGE)) return failed('BADTIME');
  return length < expectedMac.length ? failed('BADTRUNC') : { ok: true };
}

function failed(error: TsigError | 'malformed') {
  return { ok: false, error } as const;
}

/**
 * Signs an answer over the MAC of its request (RFC 8945 section 5.3).
 * @param now Unix time in seconds
 * @param error BADTIME carries the service's time and the client's as the time of the signature (section 5.2.3)
 */
export function signAnswer(
  answer: Uint8Array,
  request: Tsig,
  key: TsigKey,
  now: number,
  error: 'BADTIME' | 'BADTRUNC' | null = null,
): Uint8Array {
  const tsig: Tsig = {
    ...request,
    time: error === 'BADTIME' ? request.time : now,
    fudge: FUDGE,
    error: error === null ? 0 : TSIG_ERROR[error],
    other: error === 'BADTIME' ? uint48(now) : new Uint8Array(),
  };
  const mac = computeMac(key, [
    uint16(request.mac.length),
    request.mac,
    withId(answer, tsig.originalId),
    encodeVariables(tsig),
  ]);
  return append(answer, { ...tsig, mac });
}

/**
 * Signs the messages of one answer in their order: the first as signAnswer does, and each later one over the MAC of the
 * one before (RFC 8945 section 5.3.1).
 * @param now Unix time in seconds
 */
export function createSigner(request: Tsig, key: TsigKey): (message: Uint8Array, now: number) => Uint8Array {
  let before: Uint8Array | null = null;
  return (message, now) => {
    const tsig: Tsig = { ...request, time: now, fudge: FUDGE, error: 0, other: new Uint8Array() };
    const prior = before ?? request.mac;
    // Later messages cover the times alone of the variables.
    const variables = before === null ? encodeVariables(tsig) : encodeTimes(tsig);
    before = computeMac(key, [uint16(prior.length), prior, withId(message, tsig.originalId), variables]);
    return append(message, { ...tsig, mac: before });
  };
}

/**
 * The answer to a request whose key or MAC is wrong: with the error, and without a signature (RFC 8945 section 5.3.2).
 */
export function answerUnsigned(answer: Uint8Array, request: Tsig, error: 'BADKEY' | 'BADSIG'): Uint8Array {
  return append(answer, { ...request, mac: new Uint8Array(), error: TSIG_ERROR[error], other: new Uint8Array() });
}

/** Signs a request. For tests and tools. @param time Unix time in seconds */
export function signRequest(request: Uint8Array, key: TsigKey, time: number, fudge = FUDGE): Uint8Array {
  const [high = 0, low = 0] = request;
  const { wireName } = tsigAlgorithm(key.algorithm);
  const tsig: Tsig = {
    keyName: key.name,
    algorithm: wireName,
    wire: { keyName: nameToWire(key.name), algorithm: nameToWire(wireName) },
    time,
    fudge,
    mac: new Uint8Array(),
    originalId: (high << 8) | low,
    error: 0,
    other: new Uint8Array(),
  };
  return append(request, { ...tsig, mac: computeMac(key, [request, encodeVariables(tsig)]) });
}

/** The octets of all other fields, with the longest MAC and a time. */
const MAX_OTHERS = 10 + 16 + 64 + 6;

/** Octets that an answer grows by with its TSIG record. */
export function sizeOfTsig({ wire }: Tsig): number {
  return wire.keyName.length + wire.algorithm.length + MAX_OTHERS;
}

export function computeMac({ algorithm, secret }: TsigKey, parts: readonly Uint8Array[]): Uint8Array {
  const hmac = createHmac(tsigAlgorithm(algorithm).hash, secret);
  for (const part of parts) hmac.update(part);
  return hmac.digest();
}

/** The fields that later messages of an answer cover (RFC 8945 section 5.3.1). */
export function encodeTimes({ time, fudge }: Tsig): Uint8Array {
  return concat([uint48(time), uint16(fudge)]);
}

/** RFC 8945 section 4.3.3. */
export function encodeVariables({ wire, time, fudge, error, other }: Tsig): Uint8Array {
  return concat([
    wire.keyName,
    uint16(CLASS.ANY),
    uint32(0),
    wire.algorithm,
    uint48(time),
    uint16(fudge),
    uint16(error),
    uint16(other.length),
    other,
  ]);
}

function append(message: Uint8Array, tsig: Tsig): Uint8Array {
  const { mac, other } = tsig;
  const rdata = concat([
    tsig.wire.algorithm,
    uint48(tsig.time),
    ...[tsig.fudge, mac.length].map(uint16),
    mac,
    ...[tsig.originalId, tsig.error, other.length].map(uint16),
    other,
  ]);
  const whole = concat([message, writeRecord(tsig.wire.keyName, { type: META.TSIG, class: CLASS.ANY, ttl: 0, rdata })]);
  const view = new DataView(whole.buffer);
  if (message.length < HEADER) throw new RangeError('shorter than a header');
  view.setUint16(10, view.getUint16(10) + 1);
  return whole;
}

function withId(message: Uint8Array, id: number): Uint8Array {
  const copy = Uint8Array.from(message);
  copy.set(uint16(id), 0);
  return copy;
}

function uint48(value: number): Uint8Array {
  return concat([uint16(Math.floor(value / 2 ** 32)), uint32(value % 2 ** 32)]);
}
