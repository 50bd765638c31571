// Queries and transfers at the port of updates. Clients of RFC 2136 look for the SOA record of a zone, and read zones by AXFR, at
// the address that they send updates to.
//
//     AXFR, IXFR          the zone from the database (transfer.ts); they need the signature of a key that may read the whole zone
//     any other query     the answer of a name server of the service; it is signed if the query was
//
// Name servers never see the TSIG keys of clients: a signature is checked here, and the answer is signed here.
//
// The port has no limit of rate like that of the name servers, and the sender of a datagram may be forged. So over UDP an unsigned query
// for anything but the SOA record, and every answer that is too long, is told to come again over TCP (RFC 7766).
import type { Logger } from 'pino';
import { type Edns, ednsOf, PLAIN_UDP } from '#dns/message/edns.ts';
import { HEADER, META, type Message, type Question, readMessage } from '#dns/message/message.ts';
import { signAnswer, sizeOfTsig } from '#dns/message/tsig.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import type { ServiceContext } from '#service/context.ts';
import { bareAnswer, buildAnswer, truncated } from './answer.ts';
import type { Forward } from './forward.ts';
import type { UpdateMetrics } from './metrics.ts';
import { type Proof, prove } from './proof.ts';
import { outcomeOfError } from './refusals.ts';
import { sendTransfer } from './transfer.ts';
import type { Answerer, Transport } from './transport.ts';

interface QueriesOptions {
  context: ServiceContext;
  forward: Forward;
  log: Logger;
  metrics: UpdateMetrics;
}

interface Query {
  octets: Uint8Array;
  id: number;
  question: Question;
  edns: Edns | null;
}

/** Clients that ask for more over UDP get it over TCP: longer datagrams are fragmented (DNS flag day 2020). */
const MOST_UDP = 1_232;

export function createQueries({ context, forward, log, metrics }: QueriesOptions): Answerer {
  return async (octets, transport) => {
    const query = readQuery(octets);
    let answer: Uint8Array | null;
    if (query === null) answer = bareAnswer(octets, RCODE.FORMERR);
    else {
      try {
        const proof = await prove(context, octets, transport.client.address);
        answer = await answerTo(query, proof, transport);
      } catch (error) {
        if (transport.signal.aborted) return;
        const isMalformed = error instanceof RangeError;
        if (!isMalformed) log.debug({ err: error, client: transport.client.address }, 'a query got no answer');
        answer = bareAnswer(octets, isMalformed ? RCODE.FORMERR : RCODE.SERVFAIL);
      }
    }
    if (answer !== null) await transport.send(answer);
  };

  /** Null: everything was sent. */
  async function answerTo(query: Query, proof: Proof, transport: Transport): Promise<Uint8Array | null> {
    const { id, question, edns, octets } = query;
    const { protocol } = transport;
    const parts = { id, opcode: 0, question, edns, protocol };
    if (proof.kind === 'wrong') {
      if (proof.error === 'malformed') return bareAnswer(octets, RCODE.FORMERR);
      metrics.answered('NOTAUTH', proof.error);
      const reserved = sizeOfTsig(proof.signed.tsig);
      return proof.finish(buildAnswer({ rcode: 'NOTAUTH', text: null, code: 'other' }, { ...parts, reserved }));
    }
    const finish = (answer: Uint8Array): Uint8Array => {
      const reserved = proof.kind === 'valid' ? sizeOfTsig(proof.signed.tsig) : 0;
      const room = protocol === 'tcp' ? 65_535 : proof.kind === 'valid' ? sizeFor(edns) : PLAIN_UDP;
      const sent = answer.length + reserved <= room ? answer : truncated(answer, question);
      return proof.kind === 'valid' ? signAnswer(sent, proof.signed.tsig, proof.key, proof.now) : sent;
    };
    const refuse = (text: string) =>
      finish(buildAnswer({ rcode: 'REFUSED', text, code: 'prohibited' }, { ...parts, reserved: 0 }));
    const isTransfer = question.type === META.AXFR || question.type === META.IXFR;
    const comeAgain = () => finish(truncated(bareAnswer(octets, RCODE.NOERROR) as Uint8Array, question));
    if (protocol === 'udp' && (isTransfer || (proof.kind === 'unsigned' && question.type !== TYPE_NUMBERS.SOA))) {
      return comeAgain();
    }
    if (!isTransfer)
      return finish(await forward(proof.kind === 'valid' ? proof.signed.unsigned : octets, transport.signal));
    if (proof.kind === 'unsigned') {
      metrics.answered('REFUSED', 'unsigned');
      return refuse('A transfer must be signed with a TSIG key of this service.');
    }
    const reserved = sizeOfTsig(proof.signed.tsig);
    try {
      await proof.key.used('RFC 2136');
      if (await sendTransfer(context, { ...proof, query: proof.signed.unsigned, id, question }, transport)) return null;
      const text = `This key reaches no zone ${question.name.join('.')}.`;
      return finish(buildAnswer({ rcode: 'NOTAUTH', text, code: 'notAuthoritative' }, { ...parts, reserved }));
    } catch (error) {
      transport.signal.throwIfAborted();
      const { isOurFault, ...outcome } = outcomeOfError(error);
      if (isOurFault) throw error;
      return finish(buildAnswer(outcome, { ...parts, reserved }));
    }
  }
}

function sizeFor(edns: Edns | null): number {
  return Math.min(edns?.payload ?? PLAIN_UDP, MOST_UDP);
}

/** Null: it is malformed, or has another number of questions than one. */
function readQuery(octets: Uint8Array): Query | null {
  try {
    const message: Message = readMessage(octets);
    const [question, ...others] = message.questions;
    if (question === undefined || others.length > 0 || octets.length < HEADER) return null;
    return { octets, id: message.id, question, edns: ednsOf(message.sections[2]) };
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
