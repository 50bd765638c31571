// Updates and queries as clients write them, without compression.
import { randomInt } from 'node:crypto';
import { CLASS, META, OPCODE, writeRecord } from '#dns/message/message.ts';
import type { RecordType } from '#dns/types/index.ts';
import { numberOfType } from '#dns/types/numbers.ts';
import { octetsOfRdata } from '#dns/wire/canonical-rdata.ts';
import { concat, nameToWire, uint16, uint32 } from '#dns/wire/octets.ts';

type Named = Exclude<RecordType, 'ALIAS'> | 'SOA' | 'DNSKEY' | 'RRSIG' | 'NSEC';

export interface Entry {
  /** Absolute, without the final dot. */
  name: string;
  type: number;
  class: number;
  ttl: number;
  rdata: Uint8Array;
}

const NOTHING = new Uint8Array();

const entry = (name: string, type: number, class_: number, ttl = 0, rdata: Uint8Array = NOTHING): Entry => ({
  name,
  type,
  class: class_,
  ttl,
  rdata,
});

/** The five prerequisites (RFC 2136 section 2.4). */
export const when = {
  used: (name: string) => entry(name, META.ANY, CLASS.ANY),
  unused: (name: string) => entry(name, META.ANY, CLASS.NONE),
  exists: (name: string, type: Named) => entry(name, numberOfType(type), CLASS.ANY),
  absent: (name: string, type: Named) => entry(name, numberOfType(type), CLASS.NONE),
  is: (name: string, type: Named, text: string) =>
    entry(name, numberOfType(type), CLASS.IN, 0, encodeRdata(type, text)),
};

/** The four changes (RFC 2136 section 2.5). */
export const change = {
  add: (name: string, ttl: number, type: Named, text: string) =>
    entry(name, numberOfType(type), CLASS.IN, ttl, encodeRdata(type, text)),
  addOctets: (name: string, ttl: number, type: Named, rdata: Uint8Array) =>
    entry(name, numberOfType(type), CLASS.IN, ttl, rdata),
  deleteRrset: (name: string, type: Named) => entry(name, numberOfType(type), CLASS.ANY),
  deleteName: (name: string) => entry(name, META.ANY, CLASS.ANY),
  delete: (name: string, type: Named, text: string) =>
    entry(name, numberOfType(type), CLASS.NONE, 0, encodeRdata(type, text)),
  deleteOctets: (name: string, type: Named, rdata: Uint8Array) => entry(name, numberOfType(type), CLASS.NONE, 0, rdata),
};

/** The service parses no SOA, because it makes them itself. */
function encodeRdata(type: Named, text: string): Uint8Array {
  if (type !== 'SOA') return octetsOfRdata(type, text);
  const [primary = '', mailbox = '', ...numbers] = text.split(' ');
  return concat([nameToWire(primary), nameToWire(mailbox), ...numbers.map((each) => uint32(Number(each)))]);
}

/** A query of class IN, without flags. */
export function queryMessage(name: string, type: number): Uint8Array {
  const head = [randomInt(0x1_0000), 0, 1, 0, 0, 0].map(uint16);
  return concat([...head, nameToWire(name), uint16(type), uint16(CLASS.IN)]);
}

export interface UpdateParts {
  /** (Default: 1.) */
  id?: number;
  zone: string;
  prerequisites?: readonly Entry[];
  changes?: readonly Entry[];
  additional?: readonly Entry[];
}

export function updateMessage({
  id = 1,
  zone,
  prerequisites = [],
  changes = [],
  additional = [],
}: UpdateParts): Uint8Array {
  const sections = [prerequisites, changes, additional];
  return concat([
    uint16(id),
    uint16(OPCODE.UPDATE << 11),
    uint16(1),
    ...sections.map(({ length }) => uint16(length)),
    nameToWire(zone),
    uint16(numberOfType('SOA')),
    uint16(CLASS.IN),
    ...sections.flat().map(({ name, ...record }) => writeRecord(nameToWire(name), record)),
  ]);
}
