// The dyndns2 protocol, by which routers and their programs keep the address of a host name up to date. The password is
// an API key: rights, limits and history are those of the key.
//
//     docs/reference/dyndns.md has the parameters and the answers
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { retryAfterSeconds } from '#base/retry-after.ts';
import type { IsTrusted } from '#http/connections/client-address.ts';
import { readCaller } from '#http/hooks/auth.ts';
import { requireBasicKey } from '#http/hooks/basic-auth.ts';
import { requireCounter } from '#http/hooks/limits.ts';
import type { ServiceContext } from '#service/context.ts';
import { logOwned } from '#service/owners/log-owned.ts';
import { Refusal } from '#service/refusal.ts';
import { type DoorParts, openDoor } from '../door.ts';
import { formatAnswer, sendLines } from './answer.ts';
import { type Addresses, addressesOfClient, readHostUpdate } from './read.ts';
import { DYNDNS_REFUSALS } from './refusals.ts';
import { type HostAnswer, type OwnedListener, updateHost } from './update-host.ts';

const FORM = 'application/x-www-form-urlencoded';
/** A form has the parameters of the address; MAX_HOSTS of the longest names have 5 KiB. */
const BODY_LIMIT = 16 * 1024;

export function openDynDns(app: FastifyInstance, parts: DoorParts): void {
  const { context, isTrusted } = parts;
  openDoor(app, parts, { prefix: '/nic', routes: (scope) => dynDnsRoutes(scope, context, isTrusted) });
}

function dynDnsRoutes(app: FastifyInstance, context: ServiceContext, isTrusted: IsTrusted): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    FORM,
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    async (_: unknown, body: string) => body,
  );
  // Some clients send an empty POST with another type, or none.
  app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: BODY_LIMIT }, async () => '');
  app.addHook('onRequest', requireBasicKey(context));
  app.addHook('onSend', async (_, reply) => void reply.header('cache-control', 'no-store'));
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/update',
      // HEAD must change nothing.
      exposeHeadRoute: false,
      config: { counts: { bucket: 'records', changes: 'operation' }, refusals: DYNDNS_REFUSALS },
      schema: { hide: true, ...(method === 'POST' ? { body: z.unknown() } : {}) },
      handler: (request, reply) => handle(request, reply),
    });
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const update = readHostUpdate(readParameters(request));
    if ('code' in update) return sendLines(reply, [update.code], update.problem);
    const addresses = update.addresses ?? ownAddress(request, isTrusted);
    if (addresses === null) {
      return sendLines(
        reply,
        update.hosts.map(() => 'dnserr'),
        'The public address of the client cannot be seen from here: send myip=.',
      );
    }
    const caller = { ...readCaller(request), once: null };
    const count = requireCounter(request);
    let countedWrites = 0;
    const answers: HostAnswer[] = [];
    const { keyId } = caller.actor;
    const onOwned: OwnedListener = (zone, ownedChanges) => logOwned(request.log, zone, ownedChanges, { keyId });
    for (const host of update.hosts) {
      const before = countedWrites;
      const budget = {
        counted: 0,
        count: async (writes: number) => {
          await count(before + writes);
          countedWrites = before + writes;
        },
      };
      try {
        answers.push(await updateHost(context, caller, host, addresses, { budget, onOwned }));
      } catch (error) {
        // The answer to the names before must not be lost; a request that wrote nothing is refused as a whole.
        if (!(error instanceof Refusal) || !answers.some(({ code }) => code === 'good')) throw error;
        if (error.retryAfterMs !== null) reply.header('retry-after', retryAfterSeconds(error.retryAfterMs));
        answers.push({ code: '911', problem: error.message });
      }
    }
    const problem = answers.find((answer) => answer.problem !== null)?.problem ?? null;
    return sendLines(
      reply,
      answers.map(({ code }) => formatAnswer(code, addresses)),
      problem,
    );
  }
}

/** Null: it is not known. A header of a proxy that is not trusted says that the peer is not the client. */
function ownAddress({ raw, headers, clientAddress }: FastifyRequest, isTrusted: IsTrusted): Addresses | null {
  const isForwarded = headers.forwarded !== undefined || headers['x-forwarded-for'] !== undefined;
  if (isForwarded && !isTrusted(raw.socket.remoteAddress ?? '')) return null;
  return addressesOfClient(clientAddress, isTrusted);
}

/** The parameters of the address, and those of a form. */
function readParameters({ url, body }: FastifyRequest): URLSearchParams {
  const at = url.indexOf('?');
  const query = at < 0 ? '' : url.slice(at + 1);
  return new URLSearchParams(typeof body === 'string' && body !== '' ? `${query}&${body}` : query);
}
