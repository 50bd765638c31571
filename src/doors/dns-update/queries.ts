// Queries and transfers at the port of updates. Clients of RFC 2136 look for the SOA record of a zone, and read zones
// by AXFR, at the address that they send updates to.
//
//     AXFR, IXFR       the zone from the database (transfer.ts); they need the signature of a key that may read the
//                      whole zone
//     any other query  the answer of a name server of the service; it is signed if the query was
//
// Name servers never see the TSIG keys of clients: a signature is checked here, and the answer is signed here. A signed
// query waits until the name servers have the zone as it is, so a client reads its own writes. An unsigned query over
// TCP does so too, if its address sent an update a moment ago.
//
// The port has no limit of rate like that of the name servers, and the sender of a datagram may be forged. So over UDP
// an unsigned query for anything but the SOA record is answered as truncated. The same holds for an answer that is too
// long, or, to an unsigned query, more than three times as long as the query. Clients then repeat the query over TCP
// (RFC 7766).
import type { Logger } from 'pino';
import { type Edns, PLAIN_UDP, readEdns } from '#dns/message/edns.ts';
import { META, type Question, readMessage } from '#dns/message/message.ts';
import { signAnswer, sizeOfTsig } from '#dns/message/tsig.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import type { Guard } from '#http/load/load.ts';
import type { ReadLimit } from '#http/load/read-limit.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilNameServed } from '#service/nodes/living.ts';
import { bareAnswer, buildAnswer, truncated, type UpdateOutcome } from './answer.ts';
import type { MessageHandler } from './dispatch.ts';
import type { Forward, ForwardLane } from './forward.ts';
import type { UpdateMetrics } from './metrics.ts';
import type { SoundProof } from './proof.ts';
import { outcomeOfError } from './refusals.ts';
import type { Senders } from './senders.ts';
import { sendTransfer } from './transfer.ts';
import type { MessageTransport } from './transport.ts';

interface QueriesOptions {
  context: ServiceContext;
  forward: Forward;
  /** The requests that wait for name servers; undefined: none waits. */
  arrivals?: Arrivals | undefined;
  senders: Senders;
  load: Guard;
  /** Counts signed queries and transfers; undefined: any number is answered. */
  reads?: ReadLimit | undefined;
  log: Logger;
  metrics: UpdateMetrics;
}

interface Query {
  octets: Uint8Array;
  id: number;
  question: Question;
  edns: Edns | null;
  proof: SoundProof;
}

/** Clients that ask for more over UDP get it over TCP: longer datagrams are fragmented (DNS flag day 2020). */
const MAX_UDP = 1_232;
/**
 * The sender of an unsigned datagram may be forged, and the answer goes to the victim: it has at most so many times its
 * octets.
 */
const MAX_AMPLIFICATION = 3;
/** The longest wait of a signed query for the name servers, in ms. */
const SERVED_MS = 1_500;
const notReady = (text: string): UpdateOutcome => ({ rcode: 'SERVFAIL', text, code: 'notReady' });
const FULL = notReady('Too many queries wait for the name servers. Send the query again.');
const NO_ANSWER = notReady('No name server of the service answers. Send the query again.');

/** @throws (the function) RangeError if the query is malformed; Refusal busy */
export function createQueries({
  context,
  forward,
  arrivals,
  senders,
  load,
  reads,
  log,
  metrics,
}: QueriesOptions): MessageHandler {
  return async ({ octets, header, question, proof }, transport) => {
    if (question === null) return bareAnswer(octets, RCODE.FORMERR);
    const edns = readEdns(readMessage(octets).sections[2]);
    const query = { octets, id: header.id, question, edns, proof };
    const isTransfer = question.type === META.AXFR || question.type === META.IXFR;
    if (transport.protocol === 'udp' && (isTransfer || (isUnsigned(query) && question.type !== TYPE_NUMBERS.SOA))) {
      return retryOverTcp(query);
    }
    if (proof.kind === 'valid') {
      const excess = refuseExcess(proof.key.actor.keyId);
      if (excess !== null) return answerWith(query, excess, transport.protocol);
    }
    return isTransfer ? transfer(query, transport) : passOn(query, transport);
  };

  /** The answer to a key that reads too often; null: it may read. */
  function refuseExcess(keyId: string): UpdateOutcome | null {
    try {
      reads?.take(keyId);
      return null;
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  /** The answer of a name server. */
  async function passOn(query: Query, { protocol, client, signal }: MessageTransport): Promise<Uint8Array> {
    const { octets, question, proof } = query;
    const lane: ForwardLane = proof.kind === 'unsigned' ? protocol : 'signed';
    if (proof.kind === 'unsigned') load.refuseStrangers(null);
    // The address of a datagram may be forged.
    const sender = protocol === 'tcp' ? senders.actorAt(client.address) : null;
    const actor = proof.kind === 'unsigned' ? sender : proof.key.actor;
    if (actor !== null) {
      await untilNameServed(context, arrivals, { actor, name: question.name.join('.'), waitMs: SERVED_MS }, signal);
    }
    try {
      const answer = await forward(proof.kind === 'valid' ? proof.signed.unsigned : octets, lane, signal);
      if (answer !== null) return finish(query, answer, protocol);
      return lane === 'udp' ? retryOverTcp(query) : answerWith(query, FULL, protocol);
    } catch (error) {
      signal.throwIfAborted();
      log.debug({ err: error }, 'a query got no answer from a name server');
      // Over UDP the address may be forged, so the answer is not longer than the request.
      return answerWith(query, lane === 'udp' ? { ...NO_ANSWER, text: null } : NO_ANSWER, protocol);
    }
  }

  /** Null: everything was sent. */
  async function transfer(query: Query, transport: MessageTransport): Promise<Uint8Array | null> {
    const { id, question, proof } = query;
    const { protocol, signal } = transport;
    if (proof.kind === 'unsigned') {
      metrics.answered('REFUSED', 'unsigned');
      const text = 'A transfer must be signed with a TSIG key of this service.';
      return answerWith(query, { rcode: 'REFUSED', text, code: 'prohibited' }, protocol);
    }
    try {
      load.refuseLarge();
      await proof.key.used('RFC 2136');
      if (await sendTransfer(context, { ...proof, query: proof.signed.unsigned, id, question }, transport)) return null;
      const text = `This key reaches no zone ${question.name.join('.')}.`;
      return answerWith(query, { rcode: 'NOTAUTH', text, code: 'notAuthoritative' }, protocol);
    } catch (error) {
      signal.throwIfAborted();
      const { isOurFault, ...outcome } = outcomeOfError(error);
      if (isOurFault) throw error;
      return answerWith(query, outcome, protocol);
    }
  }
}

function isUnsigned({ proof }: Query): boolean {
  return proof.kind === 'unsigned';
}

/** An answer of our own. */
function answerWith(query: Query, outcome: UpdateOutcome, protocol: MessageTransport['protocol']): Uint8Array {
  const { id, question, edns } = query;
  const parts = { id, opcode: 0, question, edns, protocol, reserved: reservedFor(query) };
  return finish(query, buildAnswer(outcome, parts), protocol);
}

/** An empty answer that is marked as truncated: the client repeats the query over TCP. */
function retryOverTcp(query: Query): Uint8Array {
  return finish(query, truncated(bareAnswer(query.octets, RCODE.NOERROR) as Uint8Array, query.question), 'udp');
}

/** Signs an answer if the query was signed, and shortens it if the client cannot take it over UDP. */
function finish(query: Query, answer: Uint8Array, protocol: MessageTransport['protocol']): Uint8Array {
  const { question, edns, proof } = query;
  const room = protocol === 'tcp' ? 65_535 : proof.kind === 'valid' ? sizeFor(edns) : unsignedRoom(query);
  const finalAnswer = answer.length + reservedFor(query) <= room ? answer : truncated(answer, question);
  return proof.kind === 'valid' ? signAnswer(finalAnswer, proof.signed.tsig, proof.key, proof.now) : finalAnswer;
}

function unsignedRoom({ octets }: Query): number {
  return Math.min(PLAIN_UDP, MAX_AMPLIFICATION * octets.length);
}

/** Octets of the signature of the answer. */
function reservedFor({ proof }: Query): number {
  return proof.kind === 'valid' ? sizeOfTsig(proof.signed.tsig) : 0;
}

function sizeFor(edns: Edns | null): number {
  return Math.min(edns?.payload ?? PLAIN_UDP, MAX_UDP);
}
