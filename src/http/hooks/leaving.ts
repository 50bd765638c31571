// Notices that a client closed its connection before the answer, so that expensive work for it ends.
import type { FastifyReply } from 'fastify';
import { refusal } from '#service/refusal.ts';

/**
 * Aborts if the connection closes before the answer was sent completely. The reason is a Refusal, which no client
 * receives.
 */
export function whenClientLeaves(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableFinished) return;
    controller.abort(refusal('client-left'));
  });
  return controller.signal;
}
