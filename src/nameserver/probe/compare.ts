// Compares the answer of a server with the expected one. The verdicts end up in conditions, so a text stays the same
// while the situation does. Pure.
import { plainName } from '#dns/names/plain.ts';
import { isLater } from '#dns/serial.ts';
import { numberOfType, TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { equalBytes } from '#dns/wire/octets.ts';
import { NXDOMAIN, rcodeName } from '#dns/wire/rcodes.ts';
import type { ProbeMessage, ResourceRecord } from './message.ts';
import { serialOfSoa } from './rdata.ts';
import type { WireType } from './types.ts';

export interface ExpectedRrset {
  /** Absolute; case and a final dot do not matter. */
  readonly name: string;
  readonly type: WireType;
  /** Seconds; the served set must have this TTL. Absent: any TTL is right. */
  readonly ttl?: number | undefined;
  /**
   * Canonical RDATA (`wire` in dns/). The server must have all of these; other values of the set may have other owners.
   */
  readonly rdatas: readonly Uint8Array[];
  /** The values that the server must no longer have. */
  readonly absent?: readonly Uint8Array[] | undefined;
  /** The records have weights: one of the values is enough. The TTL is that of the weights of the zone. */
  readonly isDrawn?: boolean | undefined;
}

/** Null if the answer is right, otherwise what is wrong with it. */
export function judgeRrset(expectedRrset: ExpectedRrset, answer: ProbeMessage): string | null {
  const name = plainName(expectedRrset.name);
  const type = numberOfType(expectedRrset.type);
  const { rdatas, absent = [], isDrawn = false } = expectedRrset;
  if (answer.rcode !== 0 && answer.rcode !== NXDOMAIN) return refusal(answer.rcode);
  if (answer.rcode === NXDOMAIN) return rdatas.length === 0 ? authority(answer) : 'says the name does not exist';
  const referral = isReferral(answer);
  if (!referral && !answer.aa) return NO_AUTHORITY;
  const source = referral ? [...answer.authorities, ...answer.additionals] : answer.answers;
  const servedRecords = source.filter((record) => record.name === name && record.type === type);
  const missingCount = rdatas.filter((rdata) => !holds(servedRecords, rdata)).length;
  const enough = isDrawn && missingCount < rdatas.length;
  if (missingCount > 0 && !enough)
    return missingCount === rdatas.length
      ? 'does not serve it yet'
      : `lacks ${missingCount} of ${rdatas.length} values`;
  const staleCount = absent.filter((rdata) => holds(servedRecords, rdata)).length;
  if (staleCount > 0)
    return staleCount === 1 ? 'still serves a removed value' : `still serves ${staleCount} removed values`;
  const other = servedRecords.find((record) => expectedRrset.ttl !== undefined && record.ttl !== expectedRrset.ttl);
  return other === undefined ? null : `serves TTL ${other.ttl} instead of ${expectedRrset.ttl}`;
}

/** The verdict on an answer for an ALIAS without an address. */
export const NO_ADDRESS = 'serves no address for it yet: the target must have one';

/** Whether an answer to A or AAAA contains an address. Any address is right, because the ALIAS target decides which. */
export function judgeAddresses(name: string, type: 'A' | 'AAAA', answer: ProbeMessage): string | null {
  if (answer.rcode !== 0 && answer.rcode !== NXDOMAIN) return refusal(answer.rcode);
  if (!answer.aa) return NO_AUTHORITY;
  const hasAddress = answer.answers.some(
    (record) => record.name === plainName(name) && record.type === TYPE_NUMBERS[type],
  );
  return hasAddress ? null : NO_ADDRESS;
}

interface SoaVerdict {
  readonly serial: number | null;
  readonly problem: string | null;
}

/** Whether the answer to a SOA question at the apex shows the zone, at `minSerial` or later if it is given. */
export function judgeSoa(zone: string, minSerial: number | undefined, answer: ProbeMessage): SoaVerdict {
  if (answer.rcode !== 0) return { serial: null, problem: refusal(answer.rcode) };
  if (!answer.aa) return { serial: null, problem: NO_AUTHORITY };
  const soa = answer.answers.find(({ name, type }) => name === plainName(zone) && type === TYPE_NUMBERS.SOA);
  const serial = soa === undefined ? null : serialOfSoa(soa.rdata);
  if (serial === null) return { serial, problem: 'has no SOA for the zone' };
  const late = minSerial !== undefined && isLater(minSerial, serial);
  return { serial, problem: late ? `has serial ${serial}, older than ${minSerial}` : null };
}

const NO_AUTHORITY = 'answers without authority for the zone';

function refusal(rcode: number): string {
  const name = rcodeName(rcode);
  return name === 'REFUSED' ? 'answers REFUSED: it does not serve the zone' : `answers ${name}`;
}

function authority(answer: ProbeMessage): string | null {
  return answer.aa ? null : NO_AUTHORITY;
}

/**
 * At and below a zone cut the parent answers without authority: NS in the authority section, then glue (RFC 1034
 * 4.2.1).
 */
function isReferral(answer: ProbeMessage): boolean {
  return !answer.aa && answer.answers.length === 0 && answer.authorities.some(({ type }) => type === TYPE_NUMBERS.NS);
}

function holds(servedRecords: readonly ResourceRecord[], rdata: Uint8Array): boolean {
  return servedRecords.some((record) => equalBytes(record.rdata, rdata));
}
