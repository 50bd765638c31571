// What every page works with, handed in by the api. Types only.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { LiveView } from '../dns/live.ts';
import type { RecordType } from '../dns/types/record-type.ts';
import type { House } from '../zones/change.ts';

export type LookLive = (
  question: {
    zone: string;
    /** Absolute, without final dot. */
    name: string;
    type: RecordType | 'SOA' | 'DNSKEY';
    nameservers: readonly string[];
    /** Whether the zone above is served by the same name servers. */
    parentHosted: boolean;
  },
  signal: AbortSignal,
) => Promise<LiveView>;

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
  /** Asks the name servers of a zone themselves; null when nobody said how. Takes at most 8 s. */
  live: LookLive | null;
  /** Where browsers reach the service, without final slash; null when nobody said. */
  url: string | null;
}
