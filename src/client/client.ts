// The client of our own REST service: one function that calls the operations of contract/. `lists.ts` reads lists to
// their end. The dispatcher decides when to call.
import type { Dispatcher } from 'undici';
import { type Clock, realClock } from '#base/clock.ts';
import manifest from '../../package.json' with { type: 'json' };
import { createAgent } from './authorities.ts';
import { type Call, createCall, type RequestObserver, type TraceCall } from './http.ts';
import type { ClientKey } from './key.ts';

interface ClientOptions {
  /** The address to which the paths of the operations are appended. */
  readonly baseUrl: string;
  /**
   * `yk_…`, `yu_…` or a token, or the file that holds one: the client reads it again every few seconds, and after a
   * refusal.
   */
  readonly key: ClientKey;
  /** A PEM file with the authorities of the service; ZONESTEAD_URL_CA. (Default: the authorities of the machine.) */
  readonly caFile?: string | undefined;
  /** (Default: an agent of its own with keep-alive, HTTP/1.1.) */
  readonly agent?: Dispatcher;
  /** The connections of the client's own agent; calls beyond them wait in line. (Default: 16.) */
  readonly connections?: number;
  /** The name of the program; the version follows it. (Default: `zonestead`.) */
  readonly userAgent?: string;
  /** The limit of one call in ms. (Default: 15000.) */
  readonly timeoutMs?: number;
  /**
   * The longest time in ms that a call waits for the service to read the keys of the issuer of a token again, after
   * which it is repeated once. Not for writes that must not happen late. (Default: 0.)
   */
  readonly keyWaitMs?: number;
  /** The longest answer that is read, in bytes; a longer one is ApiUnavailable. (Default: 64 MiB.) */
  readonly maxAnswerBytes?: number;
  /** (Default: the real one.) */
  readonly clock?: Clock;
  readonly observe?: RequestObserver;
  /** (Default: calls are not traced.) */
  readonly trace?: TraceCall;
}

export interface Client {
  readonly call: Call;
  /** Closes the connections, unless the caller passed the agent. */
  close(): Promise<void>;
}

/** Makes a client; it opens nothing before the first call. @throws {TypeError} when `baseUrl` is not a URL */
export function createClient(options: ClientOptions): Client {
  const agent = options.agent ?? createAgent(options.caFile, options.connections);
  const call = createCall({
    baseUrl: new URL(options.baseUrl),
    key: options.key,
    agent,
    userAgent: `${options.userAgent ?? 'zonestead'}/${manifest.version}`,
    timeoutMs: options.timeoutMs ?? 15_000,
    keyWaitMs: options.keyWaitMs,
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * 1024 * 1024,
    clock: options.clock ?? realClock,
    observe: options.observe,
    trace: options.trace,
  });
  return { call, close: () => (options.agent === undefined ? agent.close() : Promise.resolve()) };
}
