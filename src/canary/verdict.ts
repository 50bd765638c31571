// The verdict on one answer of a name server, in this order:
//
//     silent   no answer
//     wrong    an error, no authority, no record, or a value that was overtaken longer ago than the limit
//     bogus    records whose signature a resolver does not accept: it answers SERVFAIL to its clients
//     right    everything else
//
// Pure.
import { findSignatureProblem, type KeyVerdict, trustKeys } from '#dns/dnssec/validate.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { NXDOMAIN, rcodeName } from '#dns/wire/rcodes.ts';
import type { ResourceRecord } from '#nameserver/probe/probe.ts';
import { NO_VALUE, type Values } from './values.ts';

export const RESULTS = ['right', 'wrong', 'bogus', 'silent'] as const;
export type Result = (typeof RESULTS)[number];

export interface Verdict {
  readonly result: Result;
  /** To be read after the address: "answers SERVFAIL". Null if the answer is right. */
  readonly problem: string | null;
}

/** The parts of an answer that the verdict needs. */
export interface Answer {
  readonly rcode: number;
  readonly aa: boolean;
  readonly answers: readonly ResourceRecord[];
}

export interface KeysVerdict extends Verdict {
  /** Null if the answer has no keys that can be trusted. */
  readonly keys: readonly Uint8Array[] | null;
}

export interface ValueVerdict extends Verdict {
  /** The number of the value that was answered; null if none was. */
  readonly number: number | null;
}

export const SILENT: Verdict = { result: 'silent', problem: 'does not answer' };
const RIGHT: Verdict = { result: 'right', problem: null };

export interface Facts {
  /** Without final dot. */
  readonly zone: string;
  /** RDATA. */
  readonly ds: readonly Uint8Array[];
  /** Unix time in seconds, for the times of signatures. */
  readonly nowSeconds: number;
}

/** The answer to a DNSKEY query at the apex. */
export function judgeKeys({ zone, ds, nowSeconds }: Facts, answer: Answer | null): KeysVerdict {
  const read = readAnswer(zone, TYPE_NUMBERS.DNSKEY, answer);
  if ('result' in read) return { ...read, keys: null };
  if (read.set === null) return { ...wrong('serves no key of the zone'), keys: null };
  const verdict: KeyVerdict = trustKeys(zone, ds, { ...read, set: read.set }, nowSeconds);
  return verdict.ok ? { ...RIGHT, keys: verdict.keys } : { ...bogus(verdict.problem), keys: null };
}

/** The answer to an SOA query at the apex, the same at all times. @param keys null: none is trusted */
export function judgeSoa(facts: Facts, keys: readonly Uint8Array[] | null, answer: Answer | null): Verdict {
  const { zone } = facts;
  const read = readAnswer(zone, TYPE_NUMBERS.SOA, answer);
  if ('result' in read) return read;
  if (read.set === null) return wrong('serves no SOA record of the zone');
  return judgeSignature(facts, keys, { ...read, set: read.set });
}

/** The value that is expected at a name. */
export interface ExpectedValue {
  /** Absolute, without final dot. */
  readonly name: string;
  readonly values: Pick<Values, 'numberOf' | 'overtakenAt'>;
  /** The clock when the query began: a value that is overtaken on the way back is right. */
  readonly askedAt: number;
  /** For this long after the api acknowledged another value, in ms, an answer may have the one before. */
  readonly limitMs: number;
}

/** The answer to a TXT query at the name of the canary. */
export function judgeValue(
  facts: Facts,
  keys: readonly Uint8Array[] | null,
  expected: ExpectedValue,
  answer: Answer | null,
): ValueVerdict {
  const { name, values, askedAt, limitMs } = expected;
  const read = readAnswer(name, TYPE_NUMBERS.TXT, answer);
  if ('result' in read) return { ...read, number: null };
  if (read.set !== null) {
    const verdict = judgeSignature(facts, keys, { ...read, set: read.set });
    if (verdict.result !== 'right') return { ...verdict, number: null };
  }
  // One that has two values is the wrong one: the canary writes one.
  const [rdata, ...others] = read.set?.rdatas ?? [];
  const number = rdata === undefined || others.length > 0 ? NO_VALUE : values.numberOf(readText(rdata));
  const overtakenAt = values.overtakenAt(number);
  if (overtakenAt === null || askedAt - overtakenAt < limitMs) return { ...RIGHT, number };
  return { ...wrong(rdata === undefined ? 'still has no record' : 'still answers an old value'), number };
}

type ReadAnswer = { set: { name: string; type: number; rdatas: Uint8Array[] } | null; signatures: Uint8Array[] };

/** The records at the name, with their signatures; a null set if there are none. */
function readAnswer(name: string, type: number, answer: Answer | null): ReadAnswer | Verdict {
  if (answer === null) return SILENT;
  if (answer.rcode !== 0 && answer.rcode !== NXDOMAIN) return wrong(`answers ${rcodeName(answer.rcode)}`);
  if (!answer.aa) return wrong('answers without authority for the zone');
  const rdatas = (wanted: number) =>
    answer.answers.filter((record) => record.name === name && record.type === wanted).map(({ rdata }) => rdata);
  const records = rdatas(type);
  const set = records.length === 0 ? null : { name, type, rdatas: records };
  return { set, signatures: rdatas(TYPE_NUMBERS.RRSIG) };
}

function judgeSignature(
  { zone, nowSeconds }: Facts,
  keys: readonly Uint8Array[] | null,
  answered: { set: NonNullable<ReadAnswer['set']>; signatures: Uint8Array[] },
): Verdict {
  if (keys === null) return bogus('has no key that can be trusted');
  const problem = findSignatureProblem(zone, answered, keys, nowSeconds);
  return problem === null ? RIGHT : bogus(problem);
}

/** The strings of a TXT record as one text. */
function readText(rdata: Uint8Array): string {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < rdata.length; at += 1 + (rdata[at] ?? 0)) {
    parts.push(rdata.subarray(at + 1, at + 1 + (rdata[at] ?? 0)));
  }
  return Buffer.concat(parts).toString('latin1');
}

function wrong(problem: string): Verdict {
  return { result: 'wrong', problem };
}

function bogus(problem: string): Verdict {
  return { result: 'bogus', problem };
}
