/**
 * The protocol of Knot DNS' control socket, as octets: units in, units out. Pure.
 *
 * A unit begins with an octet for its kind. END and BLOCK consist of that octet. DATA and EXTRA are followed by
 * sections: an octet for the section, two octets for the length, and text. Nothing marks the end of a DATA unit: it
 * ends where the next unit begins. A command is a DATA unit and a BLOCK; its answer is any number of DATA and EXTRA
 * units and a BLOCK. (Knot DNS, libknot/control/control.h.)
 */
import { Buffer } from 'node:buffer';

/** The sections of a unit, in the order of their numbers. */
export const SECTIONS = [
  'command',
  'flags',
  'error',
  'section',
  'item',
  'id',
  'zone',
  'owner',
  'ttl',
  'type',
  'data',
  'filters',
] as const;

export type KnotSection = (typeof SECTIONS)[number];

/** The sections of one DATA or EXTRA unit. */
export type KnotItem = Partial<Record<KnotSection, string>>;

export type Unit = { readonly kind: 'end' | 'block' } | { readonly kind: 'data' | 'extra'; readonly item: KnotItem };

const KINDS = ['end', 'data', 'extra', 'block'] as const;
const FIRST_SECTION = 0x10;
/** The length of a section has 16 bits. */
export const MAX_SECTION = 65_535;

export const BLOCK = Buffer.of(KINDS.indexOf('block'));
export const END = Buffer.of(KINDS.indexOf('end'));

/**
 * @throws RangeError if a section has more than 65,535 octets, or a NUL, which Knot takes for its end
 */
export function encodeUnit(unit: Unit): Buffer {
  const parts = [Buffer.of(KINDS.indexOf(unit.kind))];
  if ('item' in unit) {
    for (const [index, section] of SECTIONS.entries()) {
      const text = unit.item[section];
      if (text === undefined) continue;
      const octets = Buffer.from(text, 'utf8');
      if (octets.length > MAX_SECTION) {
        throw new RangeError(`the section ${section} has ${octets.length} octets; at most ${MAX_SECTION} fit`);
      }
      if (octets.includes(0)) throw new RangeError(`the section ${section} contains a NUL`);
      parts.push(Buffer.of(FIRST_SECTION + index, octets.length >> 8, octets.length & 0xff), octets);
    }
  }
  return Buffer.concat(parts);
}

/**
 * Reads units from octets that arrive in pieces of any size. It keeps at most the sections of one unit, and the piece
 * of a section that has not arrived as a whole.
 */
export class UnitDecoder {
  #rest: Buffer = Buffer.alloc(0);
  #open: { kind: 'data' | 'extra'; item: KnotItem } | undefined;

  /** @throws RangeError if the octets are not this protocol; the decoder must not be used after that */
  push(chunk: Uint8Array): Unit[] {
    const octets = this.#rest.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#rest, chunk]);
    const units: Unit[] = [];
    let at = 0;
    while (at < octets.length) {
      const code = octets[at]!;
      const kind = KINDS[code];
      if (kind !== undefined) {
        if (this.#open !== undefined) units.push(this.#open);
        this.#open = kind === 'data' || kind === 'extra' ? { kind, item: {} } : undefined;
        if (kind === 'end' || kind === 'block') units.push({ kind });
        at += 1;
        continue;
      }
      const section = SECTIONS[code - FIRST_SECTION];
      if (section === undefined) throw new RangeError(`octet ${code} begins neither a unit nor a section`);
      if (this.#open === undefined) throw new RangeError(`the section ${section} is outside of a unit`);
      if (at + 3 > octets.length) break;
      const end = at + 3 + octets.readUInt16BE(at + 1);
      if (end > octets.length) break;
      this.#open.item[section] = octets.toString('utf8', at + 3, end);
      at = end;
    }
    this.#rest = octets.subarray(at);
    return units;
  }
}
