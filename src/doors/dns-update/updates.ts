// Applies an update whose signature was checked, and signs the answer.
//
//     no TSIG record            REFUSED
//     refused by the service    refusals.ts
import { createHash, randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Logger } from 'pino';
import type { Edns } from '#dns/message/edns.ts';
import { type Signed, signAnswer, sizeOfTsig } from '#dns/message/tsig.ts';
import type { Guard } from '#http/load/load.ts';
import type { Actor } from '#service/accounts/actor.ts';
import type { Caller, ServiceContext } from '#service/context.ts';
import type { FoundTsigKey } from '#service/keys/tsig.ts';
import type { Arrivals } from '#service/nodes/arrivals.ts';
import { untilChallengesServed } from '#service/nodes/living.ts';
import { logOwned } from '#service/owners/log-owned.ts';
import { holderOf } from '#service/permits.ts';
import { refusal } from '#service/refusal.ts';
import { applyUpdate } from '#service/updates/update.ts';
import { buildAnswer, type UpdateOutcome } from './answer.ts';
import type { MessageHandler } from './dispatch.ts';
import type { UpdateMetrics } from './metrics.ts';
import { readUpdateMessage } from './read.ts';
import { outcomeOfError } from './refusals.ts';
import { createReplays } from './replays.ts';
import type { Senders } from './senders.ts';
import type { MessageTransport } from './transport.ts';

export interface UpdatesOptions {
  context: ServiceContext;
  /** Writes per minute of the key; null: none. */
  limitOf(actor: Actor): number | null;
  /** The requests that wait for name servers; undefined: none waits. */
  arrivals?: Arrivals | undefined;
  senders: Senders;
  load: Guard;
  log: Logger;
  metrics: UpdateMetrics;
}

/**
 * An update with the value of a challenge is answered when the name servers have it, or after this time, in ms. Clients
 * over UDP wait 2 s and more.
 */
const SERVED_MS = 1_500;
/** Longer messages are refused while the process serves small requests only. They have hundreds of changes. */
const LONG_OCTETS = 16 * 1024;

export function createUpdates({
  context,
  limitOf,
  arrivals,
  senders,
  load,
  log,
  metrics,
}: UpdatesOptions): MessageHandler {
  const replays = createReplays(() => context.now().getTime());

  return async ({ header, question, proof }, transport) => {
    const { protocol } = transport;
    const parts = { id: header.id, opcode: header.opcode, question, edns: null, protocol };
    if (proof.kind === 'unsigned') {
      metrics.answered('REFUSED', 'unsigned');
      // Over UDP the address may be forged, so the answer is not longer than the request.
      const text = protocol === 'tcp' ? 'An update must be signed with a TSIG key of this service.' : null;
      return buildAnswer({ rcode: 'REFUSED', text, code: 'prohibited' }, { ...parts, reserved: 0 });
    }
    const { signed, key, now } = proof;
    const { tsig } = signed;
    const mac = `${key.name} ${Buffer.from(tsig.mac).toString('hex')}`;
    return replays.once(mac, async () => {
      const { outcome, edns } = await decideOutcome(signed, key, transport);
      const answer = buildAnswer(outcome, { ...parts, edns, reserved: sizeOfTsig(tsig) });
      return { answer: signAnswer(answer, tsig, key, now), isFinal: outcome.rcode !== 'SERVFAIL' };
    });
  };

  async function decideOutcome(
    { tsig, unsigned }: Signed,
    { actor, used }: FoundTsigKey,
    transport: MessageTransport,
  ): Promise<{ outcome: UpdateOutcome; edns: Edns | null }> {
    const startedAt = performance.now();
    const requestId = randomUUID();
    const { address } = transport.client;
    let edns: Edns | null = null;
    let outcome: UpdateOutcome;
    let zone: string | undefined;
    try {
      const message = readUpdateMessage(unsigned);
      if (typeof message === 'string') throw refusal('update-malformed', { problem: message });
      edns = message.edns;
      zone = message.questions[0]?.name.join('.');
      if (unsigned.length > LONG_OCTETS) load.refuseLarge();
      await used('RFC 2136');
      const token = `tsig ${Buffer.from(tsig.mac).toString('hex')}`;
      const once = { token, requestHash: createHash('sha256').update(unsigned).digest() };
      const caller: Caller = { actor, requestId, once };
      const { added, owned, ...result } = await applyUpdate(context, caller, message, limitOf(actor));
      logOwned(log, zone ?? '', owned, { requestId, keyId: actor.keyId, client: address });
      outcome = { ...result, code: 'other' };
      if (result.rcode === 'NOERROR') senders.add(address, actor);
      if (added !== null) {
        const arrival = { ...added, holder: holderOf(actor), waitMs: SERVED_MS };
        await untilChallengesServed(context, arrivals, arrival, transport.signal);
      }
      if (outcome.rcode === 'NOTAUTH') outcome.code = 'notAuthoritative';
    } catch (error) {
      const failureOutcome = outcomeOfError(error);
      outcome = failureOutcome;
      if (failureOutcome.isOurFault) log.error({ err: error, requestId }, 'an update failed');
    }
    const ms = performance.now() - startedAt;
    metrics.answered(outcome.rcode, null);
    metrics.took(ms / 1000);
    const { rcode } = outcome;
    log.info({ requestId, zone, keyId: actor.keyId, client: address, rcode, ms: Math.round(ms) }, 'update');
    return { outcome, edns };
  }
}
