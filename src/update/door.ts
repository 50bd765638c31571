// Answers one message: checks its signature, applies its update, and signs the answer. Sockets and name servers are parameters.
//
//     no TSIG record                              REFUSED
//     unknown key, or one that may not be used    NOTAUTH with BADKEY, without a signature
//     wrong MAC                                   NOTAUTH with BADSIG, without a signature
//     time too far away, MAC cut short            NOTAUTH with BADTIME or BADTRUNC, signed
//     refused by the service                      refusals.ts
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
import {
  answerUnsigned,
  checkTsig,
  type Signed,
  signAnswer,
  sizeOfTsig,
  type TsigKey,
  takeTsig,
} from '#dns/message/tsig.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import { type FoundTsigKey, findTsigKey } from '#service/keys/tsig.ts';
import { refusal } from '#service/refusal.ts';
import { applyUpdate } from '#service/updates/update.ts';
import { bareAnswer, buildAnswer, type Outcome } from './answer.ts';
import type { UpdateMetrics } from './metrics.ts';
import { outcomeOfError } from './refusals.ts';
import type { Relay, Transport } from './relay.ts';
import { createReplays } from './replays.ts';

export interface DoorOptions {
  context: ServiceContext;
  /** Writes per minute of the key; null: none. */
  limitOf(actor: Actor): number | null;
  relay: Relay;
  log: Logger;
  metrics: UpdateMetrics;
}

/** Answers a message over its transport. It never rejects because of the message. */
export type Door = (octets: Uint8Array, transport: Transport) => Promise<void>;

export function createDoor({ context, limitOf, relay, log, metrics }: DoorOptions): Door {
  const replays = createReplays(() => context.now().getTime());

  return async (octets, transport) => {
    const header = readHeader(octets);
    // An answer to an answer could go back and forth without end.
    if (header === null || header.isAnswer) return;
    if (header.opcode === OPCODE.QUERY) return relay(octets, transport);
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
    let signed: Signed | null;
    let question: Question | null;
    try {
      [signed, question] = [takeTsig(octets), readOnlyQuestion(octets)];
    } catch (error) {
      if (error instanceof RangeError) return bare(octets, 'FORMERR');
      throw error;
    }
    const { protocol, client } = transport;
    const parts = { id: header.id, opcode: header.opcode, question, edns: null, protocol };
    if (signed === null) {
      metrics.answered('REFUSED', 'unsigned');
      // Over UDP the address may be forged, so the answer is not longer than the request.
      const text = protocol === 'tcp' ? 'An update must be signed with a TSIG key of this service.' : null;
      return buildAnswer({ rcode: 'REFUSED', text, code: 'prohibited' }, { ...parts, reserved: 0 });
    }
    const { tsig } = signed;
    const found = await findTsigKey(context, tsig.keyName, client.address);
    const key: TsigKey | null = found;
    const now = Math.floor(context.now().getTime() / 1000);
    const check = checkTsig(signed, key, now);
    const reserved = sizeOfTsig(tsig);
    if (found !== null && key !== null && check.ok) {
      const mac = `${key.name} ${Buffer.from(tsig.mac).toString('hex')}`;
      return replays.once(mac, async () => {
        const { outcome, edns } = await outcomeOf(signed, found, transport);
        const answer = buildAnswer(outcome, { ...parts, edns, reserved });
        return { answer: signAnswer(answer, tsig, key, now), isFinal: outcome.rcode !== 'SERVFAIL' };
      });
    }
    const error = check.ok ? 'BADKEY' : check.error;
    log.debug({ client: client.address, key: tsig.keyName.slice(0, 255), error }, 'an update with a wrong signature');
    if (error === 'malformed') return bare(octets, 'FORMERR');
    metrics.answered('NOTAUTH', error);
    const answer = buildAnswer({ rcode: 'NOTAUTH', text: null, code: 'other' }, { ...parts, reserved });
    if (key === null || error === 'BADKEY' || error === 'BADSIG') {
      return answerUnsigned(answer, tsig, error === 'BADSIG' ? 'BADSIG' : 'BADKEY');
    }
    return signAnswer(answer, tsig, key, now, error);
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
      outcome = { ...(await applyUpdate(context, caller, message, limitOf(actor))), code: 'other' };
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
