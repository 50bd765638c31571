// Asks one name server, and accepts only an answer with authority, for the proofs of key rolls. One that is refused, or
// that has no authority, is a problem, and does not prove that records are absent.
import { Buffer } from 'node:buffer';
import type { DsSighting } from '#dns/dnssec/key-sightings.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { NXDOMAIN, rcodeName } from '#dns/wire/rcodes.ts';
import {
  ask,
  NoAnswer,
  type ProbeAnswer,
  type ProbeEndpoint,
  type ProbeQuestion,
  type ResourceRecord,
} from './probe.ts';

const ATTEMPT = { timeoutMs: 1_000, attempts: 3 };

/**
 * @returns the answer, or why there is none, as a sentence without its period
 * @throws the reason of the signal
 */
export async function askWithAuthority(
  server: ProbeEndpoint,
  question: ProbeQuestion,
  signal: AbortSignal,
): Promise<ProbeAnswer | string> {
  try {
    const answer = await ask(server, question, { ...ATTEMPT, signal });
    const { rcode, aa } = answer;
    if (rcode !== 0 && rcode !== NXDOMAIN) return `it answers ${rcodeName(rcode)}`;
    return aa ? answer : 'it answers without authority';
  } catch (error) {
    if (error instanceof NoAnswer) return error.message;
    throw error;
  }
}

/** The DS records of a zone at one name server of its parent. @param name that of the server, for people */
export async function sightDs(
  server: ProbeEndpoint,
  name: string,
  zone: string,
  signal: AbortSignal,
): Promise<DsSighting> {
  const answer = await askWithAuthority(server, { name: zone, type: 'DS' }, signal);
  if (typeof answer === 'string') return { server: name, problem: answer, ds: [], dsTtl: 0 };
  const { rdatas, ttl } = pickSet(answer.answers, zone, TYPE_NUMBERS.DS);
  return { server: name, problem: null, ds: rdatas, dsTtl: ttl };
}

/** The RDATA of an RRset in hex, and its longest TTL in seconds. */
export function pickSet(records: readonly ResourceRecord[], name: string, type: number) {
  const set = records.filter((record) => record.name === name && record.type === type);
  return {
    rdatas: set.map(({ rdata }) => Buffer.from(rdata).toString('hex')),
    ttl: Math.max(0, ...set.map(({ ttl }) => ttl)),
  };
}
