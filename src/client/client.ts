// The typed client of our own REST service: one method a route, bodies and answers as api/schemas says. It must not know
// when to call; pacing is the dispatcher's.
import type { Dispatcher } from 'undici';
import { Agent } from 'undici';
import type { Account } from '../api/schemas/account.ts';
import { account } from '../api/schemas/account.ts';
import type { BatchBody, BatchResult } from '../api/schemas/batch.ts';
import { batchAnswer } from '../api/schemas/batch.ts';
import type { ChangeList } from '../api/schemas/change.ts';
import { changeList } from '../api/schemas/change.ts';
import type { DnsRecord, RecordBody, RecordType } from '../api/schemas/record.ts';
import { record, recordList } from '../api/schemas/record.ts';
import type { DsRecord, Zone, ZoneChangeBody, ZoneCreateBody, ZoneCreated } from '../api/schemas/zone.ts';
import { dsList, zone, zoneCreated, zoneList } from '../api/schemas/zone.ts';
import type { ZoneFileImport } from '../api/schemas/zonefile.ts';
import { ZONE_FILE_TYPE, zoneFileImport } from '../api/schemas/zonefile.ts';
import type { Clock } from './clock.ts';
import { realClock } from './clock.ts';
import { ApiUnavailable, isAbsent } from './errors.ts';
import type { CallOptions, RequestObserver, TraceCall } from './http.ts';
import { createHttp } from './http.ts';

export type { BatchBody, BatchResult, RecordChange } from '../api/schemas/batch.ts';
export type { Change, ChangeList } from '../api/schemas/change.ts';
export type { DnsRecord } from '../api/schemas/record.ts';
export type { Zone } from '../api/schemas/zone.ts';
export type { ZoneFileImport } from '../api/schemas/zonefile.ts';

export interface ClientOptions {
  /** The address to which `/v1/dns` is appended. */
  readonly baseUrl: string;
  /** `yk_…` or `yu_…`. */
  readonly key: string;
  /** (Default: one of its own with keep-alive, at most 16 connections, HTTP/1.1.) */
  readonly agent?: Dispatcher;
  /** (Default: `zonestead`.) */
  readonly userAgent?: string;
  /** The limit of one call in ms. (Default: 15000.) */
  readonly timeoutMs?: number;
  /** (Default: the real one.) */
  readonly clock?: Clock;
  /** (Default: nobody.) */
  readonly observe?: RequestObserver;
  /** (Default: calls are not traced.) */
  readonly trace?: TraceCall;
}

export interface RecordFilter {
  readonly name?: string | undefined;
  readonly type?: RecordType | undefined;
  readonly content?: string | undefined;
}

/**
 * Every method throws {@link ApiError} when the service says no, {@link ApiUnavailable} when there is no usable answer
 * within the time limit, and the signal's reason when the caller aborts.
 */
export interface Client {
  readonly zones: {
    /** All zones this key sees, or the one of that name in a list. */
    list(filter?: { readonly zoneName?: string | undefined }, options?: CallOptions): Promise<Zone[]>;
    /** The longest zone that encloses the name; null when there is none. */
    find(suffixOf: string, options?: CallOptions): Promise<Zone | null>;
    get(id: string, options?: CallOptions): Promise<Zone>;
    create(body: ZoneCreateBody, options?: CallOptions): Promise<ZoneCreated>;
    change(id: string, body: ZoneChangeBody, options?: CallOptions): Promise<Zone>;
    delete(id: string, options?: CallOptions): Promise<void>;
    park(id: string, options?: CallOptions): Promise<Zone>;
    unpark(id: string, options?: CallOptions): Promise<Zone>;
    ds(id: string, options?: CallOptions): Promise<DsRecord[]>;
    /** All records as a zone file (RFC 1035 section 5). */
    exportFile(id: string, options?: CallOptions): Promise<string>;
    /** Makes the zone hold exactly the records of a zone file, all or nothing. */
    importFile(id: string, text: string, options?: CallOptions): Promise<ZoneFileImport>;
    /** One page of the history, newest first; `next` is the cursor of the page after it. */
    changes(id: string, page?: { limit?: number; cursor?: string }, options?: CallOptions): Promise<ChangeList>;
  };
  readonly records: {
    list(zoneId: string, filter?: RecordFilter, options?: CallOptions): Promise<DnsRecord[]>;
    create(zoneId: string, body: RecordBody, options?: CallOptions): Promise<DnsRecord>;
    update(zoneId: string, recordId: string, body: RecordBody, options?: CallOptions): Promise<DnsRecord>;
    delete(zoneId: string, recordId: string, options?: CallOptions): Promise<void>;
    /**
     * At most 1,000 changes in one transaction; one result a change. Atomic (the default), the first change at fault is
     * thrown as the error of the whole; otherwise it is a result like the others.
     */
    batch(zoneId: string, body: BatchBody, options?: CallOptions): Promise<BatchResult[]>;
  };
  /** Who am I: the key and its team. */
  account(options?: CallOptions): Promise<Account>;
  /** Closes the connections, unless the agent came from the caller. */
  close(): Promise<void>;
}

const DNS = '/v1/dns';

/** Makes a client; nothing is opened before the first call. @throws {TypeError} when `baseUrl` is no URL. */
export function createClient(options: ClientOptions): Client {
  // HTTP/1.1 only: undici's HTTP/2 sessions can be half open without anybody noticing.
  const agent = options.agent ?? new Agent({ connections: 16, allowH2: false });
  const http = createHttp({
    baseUrl: new URL(options.baseUrl),
    key: options.key,
    agent,
    userAgent: options.userAgent ?? 'zonestead',
    timeoutMs: options.timeoutMs ?? 15_000,
    clock: options.clock ?? realClock,
    observe: options.observe,
    trace: options.trace,
  });

  return {
    zones: {
      list: (filter = {}, call) =>
        everyPage(async (cursor) => {
          const query = { zoneName: filter.zoneName, cursor };
          const answer = await http.call({ method: 'GET', path: `${DNS}/zones`, query }, zoneList, call);
          return { items: answer.zones, next: answer.next };
        }),
      find: (suffixOf, call) =>
        http
          .call({ method: 'GET', path: `${DNS}/zones`, query: { suffix_of: suffixOf } }, zone, call)
          .catch((error: unknown) => {
            if (isAbsent(error) && error.code === 'not_found') return null;
            throw error;
          }),
      get: (id, call) => http.call({ method: 'GET', path: zonePath(id) }, zone, call),
      create: (body, call) => http.call({ method: 'POST', path: `${DNS}/zones`, body }, zoneCreated, call),
      change: (id, body, call) => http.call({ method: 'PATCH', path: zonePath(id), body }, zone, call),
      delete: (id, call) => http.callEmpty({ method: 'DELETE', path: zonePath(id) }, call),
      park: (id, call) => http.call({ method: 'POST', path: `${zonePath(id)}/park` }, zone, call),
      unpark: (id, call) => http.call({ method: 'POST', path: `${zonePath(id)}/unpark` }, zone, call),
      exportFile: (id, call) =>
        http.callText({ method: 'GET', path: `${zonePath(id)}/zonefile`, accept: ZONE_FILE_TYPE }, call),
      importFile: (id, content, call) =>
        http.call(
          { method: 'PUT', path: `${zonePath(id)}/zonefile`, text: { type: ZONE_FILE_TYPE, content } },
          zoneFileImport,
          call,
        ),
      changes: (id, { limit, cursor } = {}, call) => {
        const query = { limit: limit?.toString(), cursor };
        return http.call({ method: 'GET', path: `${zonePath(id)}/changes`, query }, changeList, call);
      },
      ds: async (id, call) => (await http.call({ method: 'GET', path: `${zonePath(id)}/ds` }, dsList, call)).ds,
    },
    records: {
      list: (zoneId, filter = {}, call) =>
        everyPage(async (cursor) => {
          const query = { name: filter.name, type: filter.type, content: filter.content, cursor };
          const answer = await http.call({ method: 'GET', path: recordsPath(zoneId), query }, recordList, call);
          return { items: answer.records, next: answer.next };
        }),
      create: (zoneId, body, call) => http.call({ method: 'POST', path: recordsPath(zoneId), body }, record, call),
      update: (zoneId, id, body, call) =>
        http.call({ method: 'PUT', path: `${recordsPath(zoneId)}/${encodeURIComponent(id)}`, body }, record, call),
      delete: (zoneId, id, call) =>
        http.callEmpty({ method: 'DELETE', path: `${recordsPath(zoneId)}/${encodeURIComponent(id)}` }, call),
      batch: async (zoneId, body, call) => {
        const answer = await http.call(
          { method: 'POST', path: `${recordsPath(zoneId)}:batch`, body },
          batchAnswer,
          call,
        );
        return answer.results;
      },
    },
    account: (call) => http.call({ method: 'GET', path: '/v1/account' }, account, call),
    close: () => (options.agent === undefined ? agent.close() : Promise.resolve()),
  };
}

function zonePath(id: string): string {
  return `${DNS}/zones/${encodeURIComponent(id)}`;
}

function recordsPath(zoneId: string): string {
  return `${zonePath(zoneId)}/records`;
}

/** Lists are complete by default; a service that pages all the same is followed to the end. */
async function everyPage<T>(
  fetchPage: (cursor: string | undefined) => Promise<{ items: T[]; next: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await fetchPage(cursor);
    for (const item of page.items) all.push(item);
    cursor = page.next;
    if (cursor !== undefined && seen.has(cursor)) throw new ApiUnavailable('The API pages a list in a circle');
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return all;
}
