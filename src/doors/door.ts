// The parts that all protocols over HTTP share: a prefix of their addresses, the refusal of other methods, and the
// write limits of keys.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { IsTrusted, ProxyHeader } from '#http/connections/client-address.ts';
import { countDeclaredWrites, type WriteLimits } from '#http/hooks/limits.ts';
import { refuseOtherMethods } from '#http/methods.ts';
import type { ServiceContext } from '#service/context.ts';
import type { Feed } from '#service/nodes/feed.ts';

/** The parts of the process that protocols need. */
export interface DoorParts {
  readonly context: ServiceContext;
  readonly writeLimits: WriteLimits;
  /** Whether an address is that of a trusted proxy. */
  readonly isTrusted: IsTrusted;
  readonly proxyHeader: ProxyHeader;
  /** Undefined: the routes of the feed are described, but not served, and no request waits for name servers. */
  readonly feed: Feed | undefined;
}

interface Door {
  /** The addresses of the protocol begin with it. */
  readonly prefix: string;
  /** Registers the routes, with the hooks that they have in addition to those of src/api/app.ts. */
  routes(scope: FastifyInstance): void | Promise<void>;
  /** Answers OPTIONS, with the methods of an address. (Default: OPTIONS is refused like other methods.) */
  answerOptions?(reply: FastifyReply, methods: string): FastifyReply;
}

/** Serves a protocol below its prefix. */
export function openDoor(
  app: FastifyInstance,
  { context, writeLimits }: DoorParts,
  { prefix, routes, answerOptions }: Door,
): void {
  void app.register(
    async (scope) => {
      const refuseTheRest = refuseOtherMethods(scope, prefix, answerOptions);
      countDeclaredWrites(scope, context, writeLimits, 'start');
      await routes(scope);
      refuseTheRest();
    },
    { prefix },
  );
}
