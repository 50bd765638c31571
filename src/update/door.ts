// Answers one message: checks its signature, applies its update, and signs the answer. Sockets and name servers are parameters.
//
//     opcode QUERY              queries.ts
//     no TSIG record            REFUSED
//     a wrong signature         proof.ts
//     refused by the service    refusals.ts
import { createHash, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import { type Edns, ednsOf } from '#dns/message/edns.ts';
import {
  type Header,
  type Message,
  OPCODE,
  type Question,
  readHeader,
  readMessage,
  readOnlyQuestion,
} from '#dns/message/message.ts';
import { type Signed, signAnswer, sizeOfTsig } from '#dns/message/tsig.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import type { FoundTsigKey } from '#service/keys/tsig.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilChallengesServed } from '#service/nodes/living.ts';
import { refusal } from '#service/refusal.ts';
import { applyUpdate } from '#service/updates/update.ts';
import { bareAnswer, buildAnswer, type Outcome } from './answer.ts';
import type { UpdateMetrics } from './metrics.ts';
import { type Proof, prove } from './proof.ts';
import { outcomeOfError } from './refusals.ts';
import { createReplays } from './replays.ts';
import type { Answerer, Transport } from './transport.ts';

export interface DoorOptions {
  context: ServiceContext;
  /** Writes per minute of the key; null: none. */
  limitOf(actor: Actor): number | null;
  /** The requests that wait for name servers; undefined: none waits. */
  arrivals?: Arrivals | undefined;
  /** Answers messages with opcode QUERY. */
  queries: Answerer;
  log: Logger;
  metrics: UpdateMetrics;
}

/**
 * An update with the value of a challenge is answered when the name servers have it, or after this time, in ms. Clients over UDP wait 2 s
 * and more.
 */
const SERVED_MS = 1_500;

/** The function that answers each message. It never rejects because of the message. */
export function createDoor({ context, limitOf, arrivals, queries, log, metrics }: DoorOptions): Answerer {
  const replays = createReplays(() => context.now().getTime());

  return async (octets, transport) => {
    const header = readHeader(octets);
    // An answer to an answer could go back and forth without end.
    if (header === null || header.isAnswer) return;
    if (header.opcode === OPCODE.QUERY) return queries(octets, transport);
    const answer =
      header.opcode === OPCODE.UPDATE ? await answerOrFail(octets, header, transport) : bare(octets, 'NOTIMP');
    if (answer !== null) await transport.send(answer);
  };

  /** The key cannot be looked up while the database is away. */
  async function answerOrFail(octets: Uint8Array, header: Header, transport: Transport): Promise<Uint8Array | null> {
    try {
      return await answerUpdate(octets, header, transport);
    } catch (error) {
      const { isOurFault } = outcomeOfError(error);
      log[isOurFault ? 'error' : 'debug']({ err: error }, 'the key of an update could not be looked up');
      return bare(octets, 'SERVFAIL');
    }
  }

  function bare(octets: Uint8Array, rcode: 'FORMERR' | 'NOTIMP' | 'SERVFAIL'): Uint8Array | null {
    metrics.answered(rcode, null);
    return bareAnswer(octets, RCODE[rcode]);
  }

  async function answerUpdate(octets: Uint8Array, header: Header, transport: Transport): Promise<Uint8Array | null> {
    const { protocol, client } = transport;
    let proof: Proof;
    let question: Question | null;
    try {
      question = readOnlyQuestion(octets);
      proof = await prove(context, octets, client.address);
    } catch (error) {
      if (error instanceof RangeError) return bare(octets, 'FORMERR');
      throw error;
    }
    const parts = { id: header.id, opcode: header.opcode, question, edns: null, protocol };
    if (proof.kind === 'unsigned') {
      metrics.answered('REFUSED', 'unsigned');
      // Over UDP the address may be forged, so the answer is not longer than the request.
      const text = protocol === 'tcp' ? 'An update must be signed with a TSIG key of this service.' : null;
      return buildAnswer({ rcode: 'REFUSED', text, code: 'prohibited' }, { ...parts, reserved: 0 });
    }
    const { signed } = proof;
    const { tsig } = signed;
    const reserved = sizeOfTsig(tsig);
    if (proof.kind === 'valid') {
      const { key, now } = proof;
      const mac = `${key.name} ${Buffer.from(tsig.mac).toString('hex')}`;
      return replays.once(mac, async () => {
        const { outcome, edns } = await outcomeOf(signed, key, transport);
        const answer = buildAnswer(outcome, { ...parts, edns, reserved });
        return { answer: signAnswer(answer, tsig, key, now), isFinal: outcome.rcode !== 'SERVFAIL' };
      });
    }
    const { error } = proof;
    log.debug({ client: client.address, key: tsig.keyName.slice(0, 255), error }, 'an update with a wrong signature');
    if (error === 'malformed') return bare(octets, 'FORMERR');
    metrics.answered('NOTAUTH', error);
    return proof.finish(buildAnswer({ rcode: 'NOTAUTH', text: null, code: 'other' }, { ...parts, reserved }));
  }

  async function outcomeOf(
    { tsig, unsigned }: Signed,
    { actor, used }: FoundTsigKey,
    transport: Transport,
  ): Promise<{ outcome: Outcome; edns: Edns | null }> {
    const started = performance.now();
    const requestId = randomUUID();
    const { address } = transport.client;
    let edns: Edns | null = null;
    let outcome: Outcome;
    let zone: string | undefined;
    try {
      const message = readWhole(unsigned);
      if (typeof message === 'string') throw refusal('update-malformed', { problem: message });
      edns = message.edns;
      zone = message.questions[0]?.name.join('.');
      await used('RFC 2136');
      const token = `tsig ${Buffer.from(tsig.mac).toString('hex')}`;
      const once = { token, requestHash: createHash('sha256').update(unsigned).digest() };
      const caller: Caller = { actor, requestId, once };
      const { added, ...result } = await applyUpdate(context, caller, message, limitOf(actor));
      outcome = { ...result, code: 'other' };
      if (added !== null) {
        const arrival = { ...added, holder: actor.keyId, waitMs: SERVED_MS };
        await untilChallengesServed(context, arrivals, arrival, transport.signal);
      }
      if (outcome.rcode === 'NOTAUTH') outcome.code = 'notAuthoritative';
    } catch (error) {
      const judged = outcomeOfError(error);
      outcome = judged;
      if (judged.isOurFault) log.error({ err: error, requestId }, 'an update failed');
    }
    const ms = performance.now() - started;
    metrics.answered(outcome.rcode, null);
    metrics.took(ms / 1000);
    const { rcode } = outcome;
    log.info({ requestId, zone, keyId: actor.keyId, client: address, rcode, ms: Math.round(ms) }, 'update');
    return { outcome, edns };
  }
}

/** A sentence if the message is malformed. */
function readWhole(octets: Uint8Array): (Message & { edns: Edns | null }) | string {
  try {
    const message = readMessage(octets);
    return { ...message, edns: ednsOf(message.sections[2]) };
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
