// Answers each message: checks its signature, and hands it over by its opcode. Sockets and name servers are parameters.
//
//     opcode QUERY              queries.ts
//     opcode UPDATE             updates.ts
//     another opcode            NOTIMP
//     a malformed message       FORMERR
//     a wrong signature         proof.ts
//     the process is overloaded, or the key cannot be looked up    SERVFAIL
import type { Logger } from 'pino';
import { type Header, OPCODE, type Question, readHeader, readOnlyQuestion } from '#dns/message/message.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import type { Guard } from '#http/load/load.ts';
import type { ServiceContext } from '#service/context.ts';
import { bareAnswer, buildAnswer } from './answer.ts';
import type { UpdateMetrics } from './metrics.ts';
import { answerWrong, type MessageProof, prove, type SoundProof } from './proof.ts';
import { outcomeOfError } from './refusals.ts';
import type { Answerer, MessageTransport } from './transport.ts';

/** A message whose signature is valid, or that has none. */
export interface ReceivedMessage {
  octets: Uint8Array;
  header: Header;
  /** Null: it has another number of questions, or zones of an update, than one. */
  question: Question | null;
  proof: SoundProof;
}

/** Answers a message. Null: nothing is left to send. */
export type MessageHandler = (message: ReceivedMessage, transport: MessageTransport) => Promise<Uint8Array | null>;

export interface DispatcherOptions {
  context: Pick<ServiceContext, 'db' | 'now'>;
  queries: MessageHandler;
  updates: MessageHandler;
  load: Guard;
  log: Logger;
  metrics: UpdateMetrics;
}

/** The function that answers each message. It rejects only if the answer cannot be sent, or the transport ended. */
export function createDispatcher({ context, queries, updates, load, log, metrics }: DispatcherOptions): Answerer {
  return async (octets, transport) => {
    const header = readHeader(octets);
    // An answer to an answer could go back and forth without end.
    if (header === null || header.isAnswer) return;
    const answer = await answerTo(octets, header, transport);
    if (answer !== null) await transport.send(answer);
  };

  async function answerTo(octets: Uint8Array, header: Header, transport: MessageTransport): Promise<Uint8Array | null> {
    const isQuery = header.opcode === OPCODE.QUERY;
    const bare = (rcode: 'FORMERR' | 'NOTIMP' | 'SERVFAIL'): Uint8Array | null => {
      if (!isQuery) metrics.answered(rcode, null);
      return bareAnswer(octets, RCODE[rcode]);
    };
    if (!isQuery && header.opcode !== OPCODE.UPDATE) return bare('NOTIMP');
    const { protocol, client, signal } = transport;
    let proof: MessageProof;
    let question: Question | null = null;
    try {
      question = readOnlyQuestion(octets);
      proof = await prove(context, load, octets, client.address);
      if (proof.kind !== 'wrong') {
        return await (isQuery ? queries : updates)({ octets, header, question, proof }, transport);
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof RangeError) return bare('FORMERR');
      const { isOurFault, ...outcome } = outcomeOfError(error);
      log[isOurFault ? 'error' : 'debug']({ err: error, client: client.address }, 'a message could not be answered');
      if (outcome.code !== 'notReady') return bare('SERVFAIL');
      if (!isQuery) metrics.answered(outcome.rcode, null);
      const parts = { id: header.id, opcode: header.opcode, question, edns: null, protocol, reserved: 0 };
      // Over UDP the address may be forged, so the answer is not longer than the request.
      return buildAnswer(outcome, protocol === 'tcp' ? parts : { ...parts, most: octets.length });
    }
    const { error, signed } = proof;
    log.debug({ client: client.address, key: signed.tsig.keyName.slice(0, 255), error }, 'a wrong signature');
    if (error === 'malformed') return bare('FORMERR');
    metrics.answered('NOTAUTH', error);
    return answerWrong(proof, { id: header.id, opcode: header.opcode, question, protocol });
  }
}
