// The parts that every page works with, handed in by the api. Types only.
import type { Logger } from 'pino';
import type { LiveView } from '#dns/live.ts';
import type { RecordType } from '#dns/types/record-type.ts';
import type { ServiceContext } from '#service/context.ts';

export type QueryLive = (
  question: {
    zone: string;
    /** Absolute, without final dot. */
    name: string;
    type: RecordType | 'SOA' | 'DNSKEY';
    nameservers: readonly string[];
    /** Whether the parent zone is served by the same name servers. */
    parentHosted: boolean;
  },
  signal: AbortSignal,
) => Promise<LiveView>;

export interface ConsoleParts {
  context: ServiceContext;
  log: Logger;
  /** Queries the name servers of a zone directly. Null if no way to query them is configured. Takes at most 8 s. */
  live: QueryLive | null;
  /** The base address of the service for browsers, without final slash. Null if it is not configured. */
  url: string | null;
}
