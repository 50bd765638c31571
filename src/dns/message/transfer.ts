/**
 * The messages of a zone transfer (RFC 5936 section 2.2): the SOA record, all other records, and the SOA record again.
 * Pure.
 */
import { fqdn } from '../names/name.ts';
import type { ServedSet } from '../served.ts';
import { numberOfType } from '../types/numbers.ts';
import { octetsOfRdata } from '../wire/canonical-rdata.ts';
import { concat, nameToWire, uint32 } from '../wire/octets.ts';
import { CLASS, HEADER, type Question, writeRecord, writeRecordsAnswer } from './message.ts';

/** A message with several records has at most so many octets. One with a single longer record is longer. */
const MESSAGE_OCTETS = 16 * 1024;

interface Soa {
  mname: string;
  rname: string;
  refresh: number;
  retry: number;
  expire: number;
  minimum: number;
  ttl: number;
}

/** The SOA record of a zone. @param zone without final dot */
export function soaRecord(zone: string, soa: Soa, serial: number): Uint8Array {
  const times = [serial, soa.refresh, soa.retry, soa.expire, soa.minimum].map(uint32);
  const rdata = concat([nameToWire(soa.mname), nameToWire(soa.rname), ...times]);
  return writeRecord(nameToWire(zone), { type: SOA, class: CLASS.IN, ttl: soa.ttl, rdata });
}

const SOA = 6;

/** The records of an RRset. @param zone without final dot */
export function encodeServedSet(zone: string, { name, type, ttl, rdata }: ServedSet): Uint8Array[] {
  const owner = nameToWire(fqdn(name, zone));
  const number = numberOfType(type as Parameters<typeof numberOfType>[0]);
  return rdata.map((text) =>
    writeRecord(owner, { type: number, class: CLASS.IN, ttl, rdata: octetsOfRdata(type, text) }),
  );
}

/**
 * Whole messages without signatures, as records arrive. Only the first one repeats the question (RFC 5936 section
 * 2.2.1).
 * @param records with the SOA record at both ends
 */
export async function* transferMessages(
  { id, question }: { id: number; question: Question },
  records: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let [collectedRecords, octets, isFirst] = [[] as Uint8Array[], HEADER, true];
  const message = () => {
    const messageOctets = writeRecordsAnswer({ id, question: isFirst ? question : null, records: collectedRecords });
    [collectedRecords, octets, isFirst] = [[], HEADER, false];
    return messageOctets;
  };
  for await (const record of records) {
    if (collectedRecords.length > 0 && octets + record.length > MESSAGE_OCTETS) yield message();
    collectedRecords.push(record);
    octets += record.length;
  }
  if (collectedRecords.length > 0) yield message();
}
