// Damaged UPDATE messages: good ones with octets changed, cut out, repeated or moved. The same seed gives the same
// messages.
import { CLASS, META } from '#dns/message/message.ts';
import { concat, uint16 } from '#dns/wire/octets.ts';
import { change, type Entry, updateMessage, when } from './message.ts';

/** A generator of numbers of 32 bits (xorshift). */
export function createNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

const TYPES = [
  0, 1, 2, 5, 6, 12, 15, 16, 28, 33, 35, 39, 41, 43, 46, 49, 52, 64, 65, 99, 249, 250, 251, 252, 255, 257, 65_280,
  65_535,
];
const CLASSES = [CLASS.IN, CLASS.IN, CLASS.NONE, CLASS.ANY, 3, 0, 65_535];
const OCTETS = [0, 1, 5, 63, 64, 127, 191, 192, 255];

interface Table {
  names: readonly string[];
  changes: readonly Entry[];
  prerequisites: readonly Entry[];
}

const tables = new Map<string, Table>();

/** The entries of good messages. */
function buildTable(zone: string): Table {
  const known = tables.get(zone);
  if (known !== undefined) return known;
  const names = [zone, `www.${zone}`, `a.b.${zone}`, `*.${zone}`, 'outside.test', `${'x'.repeat(63)}.${zone}`];
  const changes = names.flatMap((name) => [
    change.add(name, 300, 'A', '192.0.2.1'),
    change.add(name, 300, 'A', '192.0.2.2'),
    change.add(name, 60, 'TXT', '"text" "more"'),
    change.add(name, 60, 'MX', '10 mail.example.net.'),
    change.add(name, 60, 'CNAME', 'www.example.net.'),
    change.add(name, 60, 'HTTPS', '1 . alpn=h2'),
    change.addOctets(name, 60, 'NAPTR', Uint8Array.of(0, 1, 0, 1, 1, 0x75, 0, 0, 0)),
    change.deleteName(name),
    change.deleteRrset(name, 'A'),
    change.delete(name, 'A', '192.0.2.1'),
  ]);
  const prerequisites = names.flatMap((name) => [
    when.used(name),
    when.unused(name),
    when.exists(name, 'A'),
    when.is(name, 'A', '192.0.2.1'),
  ]);
  const table = { names, changes, prerequisites };
  tables.set(zone, table);
  return table;
}

/** An unsigned message, whose header is mostly that of an update. */
export function fuzzedMessage(number: (below: number) => number, zone: string): Uint8Array {
  const table = buildTable(zone);
  const one = <T>(list: readonly T[]): T => list[number(list.length)] as T;
  const random = (): Entry => ({
    name: one(table.names),
    type: one(TYPES),
    class: one(CLASSES),
    ttl: one([0, 0, 300, 2 ** 31, 2 ** 32 - 1]),
    rdata: Uint8Array.from({ length: number(4) === 0 ? 0 : number(40) }, () => octet(number)),
  });
  const entries = (good: readonly Entry[]) =>
    Array.from({ length: number(4) }, () => (number(3) === 0 ? random() : one(good)));
  const opt = { name: '', type: META.OPT, class: 512, ttl: 0, rdata: new Uint8Array() };
  const message = updateMessage({
    id: number(65_536),
    zone: number(20) === 0 ? one(table.names) : zone,
    prerequisites: number(2) === 0 ? [] : entries(table.prerequisites),
    changes: entries(table.changes),
    additional: number(4) === 0 ? [opt, ...(number(8) === 0 ? [random()] : [])] : [],
  });
  return number(3) === 0 ? message : damaged(number, message);
}

function octet(number: (below: number) => number): number {
  return number(2) === 0 ? number(256) : (OCTETS[number(OCTETS.length)] as number);
}

/** The header mostly stays, so that the message is read further than to its opcode. */
function damaged(number: (below: number) => number, message: Uint8Array): Uint8Array {
  let octets: Uint8Array = Uint8Array.from(message);
  for (let times = 1 + number(4); times > 0; times -= 1) {
    const at = number(10) === 0 ? number(12) : 12 + number(Math.max(1, octets.length - 12));
    const length = number(20);
    const part = octets.subarray(at, at + length);
    switch (number(7)) {
      case 0:
        octets = octets.slice(0, at);
        break;
      case 1:
        octets = concat([octets.subarray(0, at), octets.subarray(at + length)]);
        break;
      case 2:
        octets = concat([octets.subarray(0, at), part, octets.subarray(at)]);
        break;
      case 3:
        // A pointer to somewhere.
        if (at + 2 <= octets.length) octets.set(Uint8Array.of(0xc0 | number(2), number(256)), at);
        break;
      case 4:
        octets.set(uint16(number(8)), 4 + 2 * number(4));
        break;
      default:
        if (at < octets.length) octets[at] = octet(number);
    }
    if (octets.length < 12) octets = concat([octets, new Uint8Array(12 - octets.length)]);
  }
  return octets;
}
