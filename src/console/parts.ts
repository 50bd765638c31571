// What every page works with, handed in by the api. Types only.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { House } from '../zones/change.ts';

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

export interface ConsoleParts {
  house: House;
  log: Logger;
  /** onRequest hooks that hold a write to the limits of the REST service; `records` is for many changes at once. */
  counts: {
    zone: Hook;
    record: Hook;
    records: (request: FastifyRequest, reply: FastifyReply, changes: number) => Promise<void>;
  };
  /** Where browsers reach the service, without final slash; null when nobody said. */
  url: string | null;
}
