// Reads an update with its EDNS, and the serial in the query of an IXFR. src/dns/update reads the changes of an update.
// Pure.
import { type Edns, readEdns } from '#dns/message/edns.ts';
import { type Message, readMessage } from '#dns/message/message.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';

/** A sentence if the message is malformed. */
export function readUpdateMessage(octets: Uint8Array): (Message & { edns: Edns | null }) | string {
  try {
    const message = readMessage(octets);
    return { ...message, edns: readEdns(message.sections[2]) };
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

/** The serial that the client of an IXFR has, from its authority section; null if there is none. */
export function readSerial(query: Uint8Array): number | null {
  const soa = readMessage(query).sections[1].find(({ type }) => type === TYPE_NUMBERS.SOA);
  if (soa === undefined || soa.rdata.length < 20) return null;
  return new DataView(soa.rdata.buffer, soa.rdata.byteOffset + soa.rdata.length - 20).getUint32(0);
}
