// RRsets as items of Knot's control socket, and back. Pure.
import { Buffer } from 'node:buffer';
import type { ServedSet } from '#dns/served.ts';
import { genericText } from '#dns/types/generic.ts';
import { isOwnType } from '#dns/types/numbers.ts';
import { canonicalRdata, octetsOfRdata } from '#dns/wire/canonical-rdata.ts';
import { nameToWire, uint32 } from '#dns/wire/octets.ts';
import { asStored } from '#dns/wire/shown-rdata.ts';
import type { OnSignature, ZoneSoa } from '../engine.ts';
import type { KnotArguments, KnotItem } from './control.ts';
import { KnotError } from './errors.ts';
import { MAX_SECTION } from './protocol.ts';

/** The zone as Knot names it. */
export function absolute(zone: string): string {
  return `${zone}.`;
}

/**
 * The longest text of a value. A value whose text has more than 65,535 characters can be written but not read back:
 * Knot 3.2 leaves the unit incomplete, and is silent until it closes the connection after 5 s.
 */
const MAX_TEXT = 65_000;

/**
 * The units that add one RRset to a transaction.
 * @throws RangeError for a value that is none of its type; KnotError for one that is too long
 */
export function* unitsOfSet(zone: string, { name, type, ttl, rdata }: ServedSet): Iterable<KnotArguments> {
  for (const text of rdata) {
    if (text.length > MAX_TEXT) {
      const size = `has ${text.length} characters as text; Knot can return at most ${MAX_TEXT}`;
      throw new KnotError('refused', 'value too long', `a value of ${name} ${type} in the zone ${zone} ${size}`);
    }
    yield buildUnit(zone, name, type, ttl, octetsOfRdata(type, text));
  }
}

/** The unit that puts the SOA into a transaction. */
export function unitOfSoa(zone: string, soa: ZoneSoa, serial: number): KnotArguments {
  const numbers = [serial, soa.refresh, soa.retry, soa.expire, soa.minimum];
  const octets = Buffer.concat([nameToWire(soa.mname), nameToWire(soa.rname), ...numbers.map(uint32)]);
  return buildUnit(zone, '@', 'SOA', soa.ttl, octets);
}

/** The unit that removes one RRset. */
export function unitOfRemoval(zone: string, { name, type }: Pick<ServedSet, 'name' | 'type'>): KnotArguments {
  return { zone: absolute(zone), owner: name, type };
}

function buildUnit(zone: string, name: string, type: string, ttl: number, octets: Uint8Array): KnotArguments {
  const unit = { zone: absolute(zone), owner: name };
  const data = genericText(octets);
  if (data.length <= MAX_SECTION) return { ...unit, ttl: String(ttl), type, data };
  // Knot writes owner, TTL, type and data into one line and parses that, so a value that is too long for one section
  // can be spread over three. Blanks between the octets have no meaning (RFC 3597 section 5).
  const third = Math.ceil(octets.length / 3);
  const [first, second, last] = [0, 1, 2].map((part) =>
    Buffer.from(octets.subarray(part * third, (part + 1) * third)).toString('hex'),
  );
  return { ...unit, ttl: `${ttl} ${type} \\# ${octets.length} ${first}`, type: second!, data: last! };
}

/**
 * Collects the items of an answer to RRsets. The items of an RRset follow one another, and so do the RRsets of a name.
 */
export class SetCollector {
  readonly #suffix: string;
  readonly #apex: string;
  readonly #onSignature: OnSignature;
  #open: { name: string; type: string; ttl: number; rdata: Set<string> } | undefined;

  constructor(zone: string, onSignature: OnSignature = () => undefined) {
    this.#onSignature = onSignature;
    this.#apex = absolute(zone);
    this.#suffix = `.${this.#apex}`;
  }

  /** @returns the RRsets that these items complete */
  push(items: readonly KnotItem[]): ServedSet[] {
    const complete: ServedSet[] = [];
    for (const { owner = '', type: shownType = '', ttl = '0', data = '' } of items) {
      if (shownType === 'RRSIG') this.#onSignature(readSignatureEnd(data));
      if (isOwnType(shownType)) continue;
      const { type, text } = asStored(shownType, data);
      const name = this.#relative(owner);
      if (this.#open?.name !== name || this.#open.type !== type) {
        complete.push(...this.end());
        this.#open = { name, type, ttl: Number(ttl), rdata: new Set() };
      }
      // A value that another client put there is shown as Knot writes it: it equals no value of the service.
      this.#open.rdata.add(canonicalRdata(type, type === 'HTTPS' || type === 'SVCB' ? withQuotes(text) : text) ?? text);
    }
    return complete;
  }

  /** The last RRset. */
  end(): ServedSet[] {
    const open = this.#open;
    this.#open = undefined;
    return open === undefined ? [] : [{ ...open, rdata: [...open.rdata].sort() }];
  }

  #relative(owner: string): string {
    if (owner === this.#apex) return '@';
    return owner.endsWith(this.#suffix) ? owner.slice(0, -this.#suffix.length) : owner;
  }
}

/**
 * The expiration of an RRSIG in s since 1970: its fifth field, as YYYYMMDDHHmmSS or as a number (RFC 4034 section 3.2).
 * NaN if it is neither.
 */
export function readSignatureEnd(data: string): number {
  const text = data.split(' ', 5)[4] ?? '';
  if (!/^\d{14}$/.test(text)) return /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  const iso = text.replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6Z');
  return Date.parse(iso) / 1_000;
}

/**
 * Knot writes the protocols of `alpn` without quotes, even those with characters that need them in a zone file. No
 * protocol of the service contains a quote or a blank.
 */
function withQuotes(text: string): string {
  return text.replace(/^([0-9]+ [^ ]+(?: mandatory=[^ ]+)?) alpn=([^" ]+)/, '$1 alpn="$2"');
}

/** The SOA of an answer; null if there is none. */
export function readSoaItem(items: readonly KnotItem[]): { soa: ZoneSoa; serial: number } | null {
  const item = items.find(({ type }) => type === 'SOA');
  const [mname, rname, ...numbers] = item?.data?.split(' ') ?? [];
  const [serial, refresh, retry, expire, minimum] = numbers.map(Number);
  if (mname === undefined || rname === undefined || minimum === undefined) return null;
  return {
    soa: { mname, rname, refresh: refresh!, retry: retry!, expire: expire!, minimum, ttl: Number(item?.ttl) },
    serial: serial!,
  };
}
