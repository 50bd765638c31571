/**
 * RDATA as canonical text, as the feed and the digest of a zone carry it, and as octets. The canonical text of a value
 * is the field `rdata` of its ParsedRdata.
 */
import { PLACEHOLDER } from '../own-records.ts';
import { isRecordType, type ParsedRdata, parseRdata, type RecordType } from '../types/index.ts';
import { formatRdata } from './generic-rdata.ts';

/**
 * The octets on the wire.
 * @param text canonical, or another presentation form of the value with absolute names
 * @throws RangeError if the type is not one of the service, or the text is not a value of the type
 */
export function octetsOfRdata(type: string, text: string): Uint8Array {
  if (type === PLACEHOLDER.type && text === PLACEHOLDER.rdata) return new Uint8Array();
  const parsed = parsePresentation(type, text);
  if (parsed === null) throw new RangeError(`${text.slice(0, 100)} is not a value of type ${type}`);
  return parsed.wire;
}

/** The canonical text of octets; null if they are not a value of the type. */
export function rdataOfOctets(type: string, octets: Uint8Array): string | null {
  if (!isServed(type)) return null;
  const text = formatRdata(type, octets);
  return text === null ? null : canonicalRdata(type, text);
}

/** The canonical text of a value in any presentation form; null if it is not a value of a type of the service. */
export function canonicalRdata(type: string, text: string): string | null {
  if (type === PLACEHOLDER.type) return text === PLACEHOLDER.rdata ? text : null;
  return parsePresentation(type, text)?.rdata ?? null;
}

function parsePresentation(type: string, text: string): ParsedRdata | null {
  if (!isServed(type)) return null;
  // The preference of an MX is a field of its own in the REST API.
  const [, preference, host] = (type === 'MX' && /^([0-9]{1,5})[ \t]+(.+)$/.exec(text)) || [];
  const parsed =
    preference === undefined ? parseRdata(type, text, null) : parseRdata(type, host as string, Number(preference));
  return parsed.ok ? parsed.value : null;
}

/** ALIAS is served as A and AAAA. */
function isServed(type: string): type is Exclude<RecordType, 'ALIAS'> {
  return isRecordType(type) && type !== 'ALIAS';
}
