// Looks a name up from outside: the answer of each name server with its time and serial, and the records of the chain
// of trust. The verdicts are in dns/.
import { formatHostPort } from '#base/address.ts';
import type { AncestorFound } from '#dns/dnssec/ancestors.ts';
import { type ChainFound, type ChainOfTrust, judgeChain } from '#dns/dnssec/chain-of-trust.ts';
import type { LiveAnswer, LiveServer, LiveView } from '#dns/live.ts';
import { numberOfType, TYPE_NUMBERS } from '#dns/types/numbers.ts';
import type { RecordType } from '#dns/types/record-type.ts';
import { rcodeName } from '#dns/wire/rcodes.ts';
import { rdataText, typeName } from '#dns/wire/rdata-text.ts';
import { type Resolve, ResolveFailure } from '../resolver/resolver.ts';
import {
  type AddressResolver,
  ask,
  type NameServer,
  NoAnswer,
  type ProbeAnswer,
  type ProbeEndpoint,
  type ResourceRecord,
  resolveServers,
  type WireType,
} from './probe.ts';
import { serialOfSoa } from './rdata.ts';

export interface LiveQuestion {
  zone: string;
  /** Absolute, without final dot. */
  name: string;
  /** For ALIAS the question is A, because it is served as addresses. */
  type: RecordType | 'SOA' | 'DNSKEY';
  nameservers: readonly string[];
  /** Whether the same name servers serve the parent zone: it may not delegate the zone yet. */
  parentHosted: boolean;
}

/** Takes at most 8 s, if no server answers. @throws the signal's reason when it aborts */
export type LookLive = (question: LiveQuestion, signal: AbortSignal) => Promise<LiveView>;

interface LiveOptions {
  /** Addresses of name servers whose names have no public address. */
  overrides: ReadonlyMap<string, ProbeEndpoint>;
  resolver: AddressResolver;
  /** Asks a resolver for the DS records at the parent. */
  resolve: Resolve;
  /** Milliseconds of a clock that never goes back. */
  elapsed(): number;
  now(): Date;
}

const ATTEMPT = { timeoutMs: 800, attempts: 2 };
const PARENT_MS = 2_500;
/** Zones above the zone that are asked for, from the root downwards. */
const MAX_ABOVE = 6;

export function createLiveLook(options: LiveOptions): LookLive {
  return async (question, signal) => {
    const { overrides, resolver, elapsed } = options;
    const { servers, unresolved } = await resolveServers(question.nameservers, { overrides, resolver, signal });
    const looks = await Promise.all(servers.map((server) => lookAt(server, question, elapsed, signal)));
    const silentServers = unresolved.map(
      ({ name, problem }): LiveServer => ({ ...NO_ANSWER, name, address: null, problem }),
    );
    const first = looks.find(({ answer }) => answer !== null);
    return {
      servers: [...looks.map(({ seen }) => seen), ...silentServers],
      chain: await readChain(options, question, first?.server ?? null, first?.answer ?? null, signal),
    };
  };
}

const NO_ANSWER = { rcode: null, aa: false, node: null, serial: null, ms: null, answers: [] as LiveAnswer[] };

async function lookAt(
  server: NameServer,
  { zone, name, type }: LiveQuestion,
  elapsed: () => number,
  signal: AbortSignal,
): Promise<{ server: NameServer; seen: LiveServer; answer: ProbeAnswer | null }> {
  const address = formatHostPort(server.address, server.port);
  const host = { name: server.name, address };
  const began = elapsed();
  try {
    // The serial is queried in the same moment, so that it belongs to the answer.
    const [[answer, ms], soa] = await Promise.all([
      ask(server, { name, type: wireType(type), dnssec: true }, { ...ATTEMPT, signal }).then(
        (each) => [each, elapsed() - began] as const,
      ),
      ask(server, { name: zone, type: 'SOA', nsid: true }, { ...ATTEMPT, signal }),
    ]);
    const answers = answer.answers.filter((each) => each.type !== TYPE_NUMBERS.RRSIG).map(toLiveAnswer);
    const soaRecord = soa.answers.find((each) => each.name === zone && each.type === TYPE_NUMBERS.SOA);
    const serial = soaRecord === undefined ? null : serialOfSoa(soaRecord.rdata);
    const { aa } = answer;
    const liveServer = {
      ...host,
      problem: null,
      rcode: rcodeName(answer.rcode),
      aa,
      node: soa.nsid,
      serial,
      ms,
      answers,
    };
    return { server, seen: liveServer, answer };
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return { server, seen: { ...host, ...NO_ANSWER, problem: error.message }, answer: null };
  }
}

async function readChain(
  { resolve, now }: LiveOptions,
  { zone, parentHosted }: LiveQuestion,
  server: NameServer | null,
  answer: ProbeAnswer | null,
  signal: AbortSignal,
): Promise<ChainOfTrust> {
  const [above, ds, dnskey] = await Promise.all([
    findAncestors(resolve, zone, signal),
    parentHosted
      ? server === null
        ? null
        : rdatasFrom(server, zone, 'DS', signal)
      : resolved(resolve, zone, 'DS', signal),
    server === null ? null : keysFrom(server, zone, signal),
  ]);
  const chainFacts: ChainFound = { zone, above, ds, dnskey, answer: answer === null ? null : signedIn(answer) };
  return judgeChain(chainFacts, now());
}

/** The zones above, as far as a resolver knows them. A name without an SOA record is not a zone. */
async function findAncestors(resolve: Resolve, zone: string, signal: AbortSignal): Promise<AncestorFound[]> {
  const labels = zone.split('.');
  const names = labels.map((_, at) => labels.slice(at + 1).join('.')).reverse();
  const ancestors = await Promise.all(
    names.slice(0, MAX_ABOVE).map(async (name) => {
      const query = (type: WireType) => resolved(resolve, name, type, signal);
      const [soa, ds, keys] = await Promise.all([query('SOA'), name === '' ? [] : query('DS'), query('DNSKEY')]);
      return soa === null || soa.length === 0 ? [] : [{ zone: name, ds, keys }];
    }),
  );
  return ancestors.flat();
}

/** Null if no resolver answers in time. */
async function resolved(
  resolve: Resolve,
  name: string,
  type: WireType,
  signal: AbortSignal,
): Promise<readonly Uint8Array[] | null> {
  const limit = AbortSignal.timeout(PARENT_MS);
  try {
    return (await resolve(name, type, AbortSignal.any([signal, limit]))).rdatas;
  } catch (error) {
    if (signal.aborted || !(error instanceof ResolveFailure || limit.aborted)) throw error;
    return null;
  }
}

async function rdatasFrom(
  server: NameServer,
  name: string,
  type: WireType,
  signal: AbortSignal,
): Promise<Uint8Array[] | null> {
  const records = await recordsFrom(server, name, type, signal);
  return records === null ? null : pickRdatas(records, name, numberOfType(type));
}

async function keysFrom(server: NameServer, zone: string, signal: AbortSignal): Promise<ChainFound['dnskey']> {
  const records = await recordsFrom(server, zone, 'DNSKEY', signal);
  if (records === null) return null;
  return {
    keys: pickRdatas(records, zone, TYPE_NUMBERS.DNSKEY),
    signatures: pickRdatas(records, zone, TYPE_NUMBERS.RRSIG),
  };
}

async function recordsFrom(
  server: NameServer,
  name: string,
  type: WireType,
  signal: AbortSignal,
): Promise<readonly ResourceRecord[] | null> {
  try {
    return (await ask(server, { name, type, dnssec: true }, { ...ATTEMPT, signal })).answers;
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

function pickRdatas(records: readonly ResourceRecord[], name: string, type: number): Uint8Array[] {
  return records.filter((each) => each.name === name && each.type === type).map(({ rdata }) => rdata);
}

/** The first RRset of the answer; for a negative answer the SOA, which is signed too (RFC 4035 section 3.1.3). */
function signedIn({ answers, authorities }: ProbeAnswer): ChainFound['answer'] {
  const isSigned = ({ type }: ResourceRecord) => type !== TYPE_NUMBERS.RRSIG;
  const first = answers.find(isSigned) ?? authorities.find(({ type }) => type === TYPE_NUMBERS.SOA);
  if (first === undefined) return { set: null, signatures: [] };
  const { name, type } = first;
  const section = answers.includes(first) ? answers : authorities;
  return {
    set: { name, type, rdatas: pickRdatas(section, name, type) },
    signatures: pickRdatas(section, name, TYPE_NUMBERS.RRSIG),
  };
}

function toLiveAnswer({ name, type, ttl, rdata }: ResourceRecord): LiveAnswer {
  return { name, type: typeName(type), ttl, text: rdataText(type, rdata) };
}

function wireType(type: LiveQuestion['type']): WireType {
  return type === 'ALIAS' ? 'A' : type;
}
