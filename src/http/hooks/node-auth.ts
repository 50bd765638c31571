// Authenticates the keys of name servers, for the routes of the feed. Every other key is refused there.
import type { FastifyRequest } from 'fastify';
import type { ServiceContext } from '#service/context.ts';
import { authenticate } from '#service/keys/keys.ts';
import { authenticateNode, isNodeKey, type NodeActor } from '#service/nodes/keys.ts';
import { refusal } from '#service/refusal.ts';
import { readBearer } from './auth.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The holder of a node key; null for any other request. */
    node: NodeActor | null;
  }
}

/** Creates an onRequest hook. @throws Refusal unauthorized; forbidden for a valid key of another kind */
export function requireNodeKey(context: ServiceContext): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const text = readBearer(request);
    const agent = request.headers['user-agent'] ?? null;
    if (!isNodeKey(text)) {
      await authenticate(context, text, request.clientAddress, agent);
      throw refusal('not-a-node-key');
    }
    request.node = await authenticateNode(context, text, request.clientAddress, agent);
  };
}

/** The node of a request that passed requireNodeKey. */
export function requireNode(request: FastifyRequest): NodeActor {
  if (!request.node) throw new Error(`${request.routeOptions.url} is served without authentication`);
  return request.node;
}
