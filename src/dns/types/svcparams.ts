/**
 * The SvcParams of an SVCB or HTTPS record (RFC 9460 sections 2.1 and 7, appendix A): reads the `key=value` pairs and
 * applies the rules across keys. The values of single keys are in svckeys.ts; priority and target are in svcb.ts.
 */
import { Buffer } from 'node:buffer';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { concat, uint16 } from '../wire/octets.ts';
import { ALPN, keyName, keyNumber, laterValue, MANDATORY, mandatoryKeys, NO_DEFAULT_ALPN, svcKey } from './svckeys.ts';
import { type CharacterString, isBlank, readCharacterString, skipBlanks } from './tokens.ts';

export interface SvcParams {
  /** In ascending order of the key; `''` for none. */
  text: string;
  wire: Uint8Array;
}

const EMPTY: CharacterString = { octets: new Uint8Array(0), quoted: false, escaped: false, next: 0 };
const EQUALS = 0x3d;

export function parseSvcParams(text: string): Verdict<SvcParams> {
  const source = Buffer.from(text, 'utf8');
  const values = new Map<number, Uint8Array>();
  let at = skipBlanks(source, 0);
  while (at < source.length) {
    const param = readParam(source, at);
    if (!param.ok) return param;
    const { number, wire, next } = param.value;
    if (values.has(number)) return refuse('content', `The key ${keyName(number)} is given twice; give it once.`);
    values.set(number, wire);
    at = skipBlanks(source, next);
  }
  const verdict = judgeTogether(values);
  if (!verdict.ok) return verdict;
  const sortedEntries = [...values].sort(([a], [b]) => a - b);
  return accept({
    text: sortedEntries.map(([number, wire]) => svcKey(number).format(wire)).join(' '),
    wire: concat(sortedEntries.flatMap(([number, wire]) => [uint16(number), uint16(wire.length), wire])),
  });
}

function readParam(source: Uint8Array, at: number): Verdict<{ number: number; wire: Uint8Array; next: number }> {
  let end = at;
  while (end < source.length && source[end] !== EQUALS && !isBlank(source[end])) end += 1;
  const keyText = Buffer.from(source.subarray(at, end)).toString('utf8');
  const number = keyNumber(keyText.toLowerCase());
  if (number === null) {
    return refuse(
      'content',
      `${clip(keyText)} is not a SvcParamKey of RFC 9460; write alpn, port, ipv4hint, … or a newer key as "keyN" with its number.`,
    );
  }
  const value = readValue(source, end, keyText);
  if (!value.ok) return value;
  const wire = wireValue(number, keyText, value.value);
  if (!wire.ok) return wire;
  // The length has sixteen bits on the wire. The limit of the whole record is checked where its size is known.
  if (wire.value.length > 65_535)
    return refuse('content', `The value of ${clip(keyText)} is longer than 65535 octets.`);
  return accept({ number, wire: wire.value, next: value.value.next });
}

/** The value after `=`, or an empty one when there is no `=`. */
function readValue(source: Uint8Array, at: number, keyText: string): Verdict<CharacterString> {
  if (source[at] !== EQUALS) return accept({ ...EMPTY, next: at });
  const start = at + 1;
  if (start >= source.length || isBlank(source[start])) {
    return refuse('content', `${clip(`${keyText}=`)} has no value: write it right after "=", or leave out the "=".`);
  }
  const value = readCharacterString(source, start);
  if (!value.ok) return value;
  const { next } = value.value;
  if (next < source.length && !isBlank(source[next])) {
    return refuse('content', `A blank is missing after the quoted value of ${clip(keyText)}.`);
  }
  return value;
}

/** `alpn=h2` and `key1=\002h2` mean the same: a key in its generic form takes the wire value (RFC 9460 section 2.1). */
function wireValue(number: number, keyText: string, value: CharacterString): Verdict<Uint8Array> {
  const key = svcKey(number);
  const generic = keyText.toLowerCase() !== key.name;
  if (key.name !== 'no-default-alpn' && key.name !== `key${number}` && value.octets.length === 0) {
    return refuse(
      'content',
      `The key ${key.name} needs a value: write ${clip(`${key.name}=…`)} without blanks around "=".`,
    );
  }
  const later = laterValue(keyText.toLowerCase(), value);
  const wire = later ?? (generic ? accept(value.octets) : key.fromText(value));
  if (!wire.ok) return wire;
  const flaw = key.flaw(wire.value);
  return flaw === null ? wire : refuse('content', `The value of ${key.name} ${flaw}.`);
}

function judgeTogether(values: ReadonlyMap<number, Uint8Array>): Verdict<null> {
  // RFC 9460 section 8: a client must ignore the record when a mandatory key is missing.
  const absent = mandatoryKeys(values.get(MANDATORY) ?? EMPTY.octets).find((key) => !values.has(key));
  if (absent !== undefined) {
    return refuse(
      'content',
      `mandatory lists ${keyName(absent)}, which the record does not have; add it or take it off the list.`,
    );
  }
  // RFC 9460 section 7.1.1: without alpn no protocol would be left, so the record is not self-consistent.
  if (values.has(NO_DEFAULT_ALPN) && !values.has(ALPN)) {
    return refuse('content', 'no-default-alpn needs alpn: without it no protocol is left; add alpn or remove it.');
  }
  return accept(null);
}
