// The requests of a node to the api: the feed, whole zones, digests and reports.

import { type Dispatcher, request } from 'undici';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { FEED_LEVEL } from '#base/feed-levels.ts';
import { firstHeader } from '#base/first-header.ts';
import { explainTls } from '#base/tls-fault.ts';
import { orAborted } from '#base/wait.ts';
import { buildUrl, fillPath, type Query } from '#client/address.ts';
import { ApiUnavailable, errorOfAnswer, isAbsent } from '#client/errors.ts';
import { createCall } from '#client/http.ts';
import type {
  FeedLine,
  NodeReport,
  ReportAnswer,
  TransferPlan,
  TransferReport,
  ZoneDigest,
  ZoneLine,
} from '#contract/feed.ts';
import type { LaterLine } from '#contract/feed-later.ts';
import type { Observations, ObservationsAnswer, ProbeList } from '#contract/feed-probes.ts';
import type { Endings, SalvagePart } from '#contract/feed-salvage.ts';
import * as feed from '#contract/operations/feed.ts';
import { FEED_PEER, FeedFault, textOfError } from './faults.ts';
import { createFeedAgent } from './feed-agent.ts';
import { createLineReader, type LineSchema, skipLater } from './later-lines.ts';
import { readFeedLines } from './lines.ts';

/**
 * Every method throws ApiError if the api refuses the request, and ApiUnavailable or FeedFault if there is no usable
 * answer. If the signal aborts, it throws the reason of the signal.
 */
export interface FeedApi {
  /** The lines of the feed, as long as the connection lives. @param after null: from the list of all zones */
  follow(after: string | null, signal: AbortSignal): AsyncGenerator<FeedLine | LaterLine>;
  /** The lines of one zone; null if there is no such zone. */
  zone(id: string, signal: AbortSignal): Promise<AsyncGenerator<ZoneLine> | null>;
  digest(id: string, signal: AbortSignal): Promise<ZoneDigest | null>;
  report(report: NodeReport, signal: AbortSignal): Promise<ReportAnswer>;
  /** The endings after the number of the last answer; null: all. */
  endings(after: string | null, signal: AbortSignal): Promise<Endings>;
  /** Sends a part of a zone that the database lacks. */
  salvage(part: SalvagePart, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The requests about zone transfers. They throw as those of FeedApi. */
export interface TransferApi {
  transfers(signal: AbortSignal): Promise<TransferPlan>;
  reportTransfers(report: TransferReport, signal: AbortSignal): Promise<void>;
}

/** The requests about the probes of health checks. They throw as those of FeedApi. */
export interface ProbeApi {
  probes(signal: AbortSignal): Promise<ProbeList>;
  reportProbes(report: Observations, signal: AbortSignal): Promise<ObservationsAnswer>;
}

interface FeedApiOptions {
  /** The address to which the paths of the operations are appended. */
  readonly url: string;
  readonly key: string;
  /** The name of the node, as in its reports. */
  readonly node: string;
  /** A PEM file with the authorities that are trusted instead of those of the machine. It is read for each request. */
  readonly caFile?: string | undefined;
  /** Hosts and networks that need no proxy, as in NO_PROXY. */
  readonly noProxy?: string | undefined;
  readonly clock: Clock;
  /** Called with the Date header of an answer, in ms since the epoch. */
  onDate(ms: number): void;
  /** (Default: connections of its own, through the proxy that HTTPS_PROXY, HTTP_PROXY and NO_PROXY name.) */
  readonly agent?: Dispatcher;
}

/** Longer than the largest line that the api sends: 500 RRsets, or the RRsets of one commit. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** The api sends a beat every second. */
const FEED_SILENCE_MS = 5_000;
/** The api may need time to render the first page of a large zone. */
const ZONE_SILENCE_MS = 20_000;
const CONNECT_MS = 10_000;
const DIGEST_MS = 120_000;
const REPORT_MS = 5_000;
/** A part has at most 1 MiB. */
const SALVAGE_MS = 30_000;
const ERROR_BYTES = 65_536;

/** An operation whose answer is a stream of lines. */
interface Stream<T> {
  readonly produces: readonly [string];
  readonly answers: { readonly 200: LineSchema<T> };
}

/** Opens nothing before the first call. @throws TypeError if `url` is not a URL */
export function createFeedApi(options: FeedApiOptions): FeedApi & TransferApi & ProbeApi {
  const { clock, key } = options;
  const agent = options.agent ?? createFeedAgent({ ...options, connectMs: CONNECT_MS });
  const baseUrl = new URL(options.url);
  const common = { baseUrl, key, agent, userAgent: 'zonestead-node', clock };
  const call = createCall({ ...common, timeoutMs: REPORT_MS, maxAnswerBytes: ERROR_BYTES });
  // The lists of secondaries may name all zones, and that of probes has all addresses.
  const callForList = createCall({ ...common, timeoutMs: DIGEST_MS, maxAnswerBytes: MAX_LINE_BYTES });

  /** Opens a stream; its lines are checked against the schema one by one. */
  const open = async <T>(
    { answers, produces: [accept] }: Stream<T>,
    path: string,
    query: Query,
    silenceMs: number,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<T | LaterLine>> => {
    const url = buildUrl(baseUrl, path, { ...query, understands: FEED_LEVEL });
    const connection = new AbortController();
    const onAbort = () => connection.abort(signal.reason);
    if (signal.aborted) throw signal.reason;
    signal.addEventListener('abort', onAbort, { once: true });
    const release = () => signal.removeEventListener('abort', onAbort);
    const first = deadline(clock, CONNECT_MS + silenceMs, connection.signal);
    try {
      const headers = {
        authorization: `Bearer ${key}`,
        accept,
        'user-agent': 'zonestead-node',
      };
      const pendingAnswer = request(url, {
        dispatcher: agent,
        headers,
        signal: connection.signal,
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      pendingAnswer.catch(() => undefined);
      const answer = await orAborted(pendingAnswer, first.signal);
      const date = Date.parse(firstHeader(answer.headers.date) ?? '');
      if (!Number.isNaN(date)) options.onDate(date);
      if (answer.statusCode !== 200) {
        const body = await orAborted(beginning(answer.body), first.signal);
        const requestId = firstHeader(answer.headers['x-request-id']) ?? null;
        const retryAfter = firstHeader(answer.headers['retry-after']);
        throw errorOfAnswer({ status: answer.statusCode, body, retryAfter, requestId }, date || clock.now());
      }
      const abort = (reason: Error) => connection.abort(reason);
      return parsed(
        readFeedLines(answer.body, { maxBytes: MAX_LINE_BYTES, silenceMs, clock, abort }),
        createLineReader(answers[200]),
        release,
        signal,
      );
    } catch (error) {
      release();
      connection.abort(error);
      if (signal.aborted) throw signal.reason;
      if (first.expired())
        throw new ApiUnavailable(`The api did not answer ${path} within ${(CONNECT_MS + silenceMs) / 1000} s`);
      throw known(error);
    } finally {
      first.clear();
    }
  };

  return {
    follow: async function* (after, signal) {
      const query = { node: options.node, ...(after === null ? {} : { after }) };
      yield* await open(feed.followFeed, fillPath(feed.followFeed), query, FEED_SILENCE_MS, signal);
    },
    zone: (id, signal) =>
      open(feed.readServedZone, fillPath(feed.readServedZone, { id }), {}, ZONE_SILENCE_MS, signal)
        .then(skipLater)
        .catch(nullIfAbsent),
    digest: (id, signal) =>
      call(feed.readZoneDigest, { params: { id } }, { signal, timeoutMs: DIGEST_MS })
        .catch(nullIfAbsent)
        .catch(throwKnown),
    report: (report, signal) => call(feed.reportNode, { body: report }, { signal }).catch(throwKnown),
    endings: (after, signal) =>
      callForList(feed.readEndings, { query: after === null ? {} : { after } }, { signal }).catch(throwKnown),
    salvage: async (part, signal) => {
      await call(feed.salvageZone, { body: part }, { signal, timeoutMs: SALVAGE_MS }).catch(throwKnown);
    },
    transfers: (signal) =>
      callForList(feed.readTransfers, { query: { node: options.node } }, { signal }).catch(throwKnown),
    reportTransfers: async (report, signal) => {
      await call(feed.reportTransfers, { body: report }, { signal }).catch(throwKnown);
    },
    probes: (signal) => callForList(feed.readProbes, {}, { signal }).catch(throwKnown),
    reportProbes: (report, signal) => call(feed.reportProbes, { body: report }, { signal }).catch(throwKnown),
    close: async () => {
      if (options.agent === undefined) await agent.destroy();
    },
  };
}

async function* parsed<T>(
  lines: AsyncIterable<string>,
  read: (line: string) => T,
  release: () => void,
  signal: AbortSignal,
): AsyncGenerator<T> {
  try {
    for await (const line of lines) yield read(line);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw known(error);
  } finally {
    release();
  }
}

/** Faults that have a type of their own stay; everything else is a failure of the network. */
function known(error: unknown): unknown {
  const explanation = explainTls(error, FEED_PEER);
  if (explanation !== null) return new ApiUnavailable(`The api is unreachable: ${explanation}`, error);
  if (error instanceof FeedFault || error instanceof ApiUnavailable) return error;
  if (error instanceof Error && error.name === 'ApiError') return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  return new ApiUnavailable(`The api is unreachable: ${textOfError(error) || code}`, error);
}

function throwKnown(error: unknown): never {
  throw explainTls(error, FEED_PEER) === null ? error : known(error);
}

function nullIfAbsent(error: unknown): null {
  if (isAbsent(error) && error.code === 'no_zone') return null;
  throw error;
}

/** An error answer is short; the rest of a longer one is not read. */
async function beginning(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > ERROR_BYTES) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
