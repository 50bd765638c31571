// The typed client of our own REST service: one method per route, with bodies and answers as contract/ defines them.
// The dispatcher decides when to call.
import type { Dispatcher } from 'undici';
import type { Clock } from '#base/clock.ts';
import { realClock } from '#base/clock.ts';
import type { Account } from '#contract/account.ts';
import { account } from '#contract/account.ts';
import type { BatchBody, BatchResult } from '#contract/batch.ts';
import { batchAnswer } from '#contract/batch.ts';
import type { ChangeList } from '#contract/change.ts';
import { changeList } from '#contract/change.ts';
import type { Cluster } from '#contract/clusters.ts';
import { cluster, clusterList } from '#contract/clusters.ts';
import type { ZoneNodes } from '#contract/feed.ts';
import { zoneNodes } from '#contract/feed.ts';
import type { ApplyBody, ApplyResult, OwnedSet } from '#contract/owners.ts';
import { applyAnswer, ownerList } from '#contract/owners.ts';
import type { DnsRecord, ListedRecord, RecordBody, RecordType } from '#contract/record.ts';
import { record, recordList } from '#contract/record.ts';
import type { OfferedSecondary, ZoneSecondary } from '#contract/secondary.ts';
import { offeredSecondaries, zoneSecondaries } from '#contract/secondary.ts';
import type { DeletedZone, RestoreBody, UndoAnswer, UndoBody, ZoneRestorePreview } from '#contract/undo.ts';
import { deletedZoneList, undoAnswer, zoneRestorePreview } from '#contract/undo.ts';
import type { DsRecord, Zone, ZoneChangeBody, ZoneCreateBody, ZoneCreated } from '#contract/zone.ts';
import { dsList, zone, zoneCreated, zoneList } from '#contract/zone.ts';
import type { ZoneFileImport } from '#contract/zonefile.ts';
import { ZONE_FILE_TYPE, zoneFileImport } from '#contract/zonefile.ts';
import { createAgent } from './authorities.ts';
import { AnswerTooLong, ApiUnavailable, isAbsent } from './errors.ts';
import type { CallOptions, RequestObserver, TraceCall } from './http.ts';
import { createHttp } from './http.ts';
import type { ClientKey } from './key.ts';

export type { BatchBody, BatchResult, RecordChange } from '#contract/batch.ts';
export type { Change, ChangeList } from '#contract/change.ts';
export type { Cluster } from '#contract/clusters.ts';
export type { ZoneNode, ZoneNodes } from '#contract/feed.ts';
export type { ApplyBody, ApplyResult, OwnedSet, RecordSet } from '#contract/owners.ts';
export type { DnsRecord, ListedRecord } from '#contract/record.ts';
export type { OfferedSecondary, ZoneSecondary } from '#contract/secondary.ts';
export type { UndoAnswer } from '#contract/undo.ts';
export type { Zone, ZoneCreated } from '#contract/zone.ts';
export type { ZoneFileImport } from '#contract/zonefile.ts';

interface ClientOptions {
  /** The address to which `/v1/dns` is appended. */
  readonly baseUrl: string;
  /** `yk_…`, `yu_…` or a token, or the file that holds one: the client reads it again every few seconds, and after a refusal. */
  readonly key: ClientKey;
  /** A PEM file with the authorities of the service; ZONESTEAD_URL_CA. (Default: the authorities of the machine.) */
  readonly caFile?: string | undefined;
  /** (Default: an agent of its own with keep-alive, HTTP/1.1.) */
  readonly agent?: Dispatcher;
  /** The connections of the client's own agent; calls beyond them wait in line. (Default: 16.) */
  readonly connections?: number;
  /** (Default: `zonestead`.) */
  readonly userAgent?: string;
  /** The limit of one call in ms. (Default: 15000.) */
  readonly timeoutMs?: number;
  /**
   * The longest time in ms that a call waits for the service to read the keys of the issuer of a token again, after which it is
   * repeated once. Not for writes that must not happen late. (Default: 0.)
   */
  readonly keyWaitMs?: number;
  /** The longest answer that is read, in bytes; a longer one is ApiUnavailable. (Default: 64 MiB.) */
  readonly maxAnswerBytes?: number;
  /** (Default: the real one.) */
  readonly clock?: Clock;
  /** (Default: none.) */
  readonly observe?: RequestObserver;
  /** (Default: calls are not traced.) */
  readonly trace?: TraceCall;
}

export interface RecordFilter {
  readonly name?: string | undefined;
  /** At most 100 names, together at most 8,000 characters. */
  readonly names?: readonly string[] | undefined;
  readonly type?: RecordType | undefined;
  readonly content?: string | undefined;
  /** Whether each record has its `etag`. (Default: false.) */
  readonly etags?: boolean | undefined;
  /** Whether each record that has owners has its `owners`. (Default: false.) */
  readonly owners?: boolean | undefined;
}

/** A heartbeat of a cluster. */
interface Heartbeat {
  owner: string;
  instance: string;
  /** The objects of the owner in the cluster. An api that does not have `objects` in its answers refuses them. */
  objects?: { total: number; notReady: number } | undefined;
}

/**
 * Every method throws {@link ApiError} when the service refuses, {@link ApiUnavailable} when there is no usable answer
 * within the time limit, and the signal's reason when the caller aborts.
 */
export interface Client {
  readonly zones: {
    /** All zones that this key sees, or a list with the zone of that name. */
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
    /**
     * The name server nodes that report and the secondaries, and whether each has the zone. @param waitSeconds 0 to 5: waits so
     * long until all nodes have the changes that are committed when the call begins
     */
    nodes(id: string, waitSeconds: number, options?: CallOptions): Promise<ZoneNodes>;
    /** The secondaries that have the zone, with their state. */
    secondaries(id: string, options?: CallOptions): Promise<ZoneSecondary[]>;
    /** Replaces the secondaries that the owner of the zone chose, at most 8. A repeated call changes nothing. */
    chooseSecondaries(id: string, names: readonly string[], options?: CallOptions): Promise<ZoneSecondary[]>;
    /** The secondaries that are offered to the teams of the key. */
    offeredSecondaries(options?: CallOptions): Promise<OfferedSecondary[]>;
    /** All records as a zone file (RFC 1035 section 5). */
    exportFile(id: string, options?: CallOptions): Promise<string>;
    /** Replaces the records of the zone with those of a zone file, all or nothing. */
    importFile(id: string, text: string, options?: CallOptions): Promise<ZoneFileImport>;
    /** The records of changes become as they were before them. With dryRun, nothing changes. */
    undo(id: string, body: UndoBody, options?: CallOptions): Promise<UndoAnswer>;
    /** The records of the zone become as they were at a time. With dryRun, nothing changes. */
    restore(id: string, body: RestoreBody, options?: CallOptions): Promise<UndoAnswer>;
    /** Brings back the zone that was deleted last with this name, as it was. */
    restoreDeleted(zoneName: string, options?: CallOptions): Promise<ZoneCreated>;
    /** The zone that restoreDeleted would bring back. */
    previewDeleted(zoneName: string, options?: CallOptions): Promise<ZoneRestorePreview>;
    /** The deleted zones that restoreDeleted can bring back, those that were deleted last first. */
    deleted(options?: CallOptions): Promise<DeletedZone[]>;
    /** One page of the history, newest first; `next` is the cursor of the page after it. */
    changes(id: string, page?: { limit?: number; cursor?: string }, options?: CallOptions): Promise<ChangeList>;
  };
  readonly records: {
    list(zoneId: string, filter?: RecordFilter, options?: CallOptions): Promise<ListedRecord[]>;
    /**
     * The records of a zone page by page, at most `limit` (1 to 1,000) each: for a caller that must not hold all of
     * them at once.
     */
    pages(
      zoneId: string,
      filter: RecordFilter,
      limit: number,
      options?: CallOptions,
    ): AsyncGenerator<readonly ListedRecord[]>;
    get(zoneId: string, recordId: string, options?: CallOptions): Promise<DnsRecord>;
    create(zoneId: string, body: RecordBody, options?: CallOptions): Promise<DnsRecord>;
    update(zoneId: string, recordId: string, body: RecordBody, options?: CallOptions): Promise<DnsRecord>;
    delete(zoneId: string, recordId: string, options?: CallOptions): Promise<void>;
    /**
     * At most 1,000 changes in one transaction; one result per change. In an atomic batch (the default), the first
     * failed change is thrown as the error of the whole; otherwise its result contains the error.
     */
    batch(zoneId: string, body: BatchBody, options?: CallOptions): Promise<BatchResult[]>;
  };
  readonly owners: {
    /**
     * Applies at most 1,000 sets in one transaction; one result per set. In an atomic request, the first refused set is thrown as
     * the error of the whole; otherwise (the default) its result contains the error. Sent again, it changes nothing.
     */
    apply(zoneId: string, body: ApplyBody, options?: CallOptions): Promise<ApplyResult[]>;
    /** The owners that begin with the prefix and everything that they own in the zone, page by page, in the order of the owners. */
    pages(
      zoneId: string,
      filter?: { readonly prefix?: string | undefined; readonly limit?: number | undefined },
      options?: CallOptions,
    ): AsyncGenerator<readonly OwnedSet[]>;
  };
  readonly clusters: {
    /** The clusters that the key may see, by name. @param owner `org:<teamId>` or `personal` */
    list(owner?: string, options?: CallOptions): Promise<Cluster[]>;
    /** Sends the heartbeat of a cluster, every 10 seconds. The first one adds the cluster. @throws ApiError conflict, field `instance`, if another key or another Kubernetes cluster has the name */
    heartbeat(name: string, from: Heartbeat, options?: CallOptions): Promise<Cluster>;
    /** Withdraws the records of the cluster. Needs the key of an owner of the team. */
    drain(name: string, owner?: string, options?: CallOptions): Promise<Cluster>;
    /** Serves the records of a drained cluster again. */
    restore(name: string, owner?: string, options?: CallOptions): Promise<Cluster>;
    /** Gives the name of the cluster to the next key that sends a heartbeat. */
    release(name: string, owner?: string, options?: CallOptions): Promise<Cluster>;
    /** Removes a cluster that is silent and owns nothing. */
    remove(name: string, owner?: string, options?: CallOptions): Promise<void>;
  };
  /** The key of this client and its team. */
  account(options?: CallOptions): Promise<Account>;
  /** Closes the connections, unless the caller passed the agent. */
  close(): Promise<void>;
}

const DNS = '/v1/dns';
const CLUSTERS = '/v1/clusters';
const clusterPath = (name: string) => `${CLUSTERS}/${encodeURIComponent(name)}`;

/** Makes a client; it opens nothing before the first call. @throws {TypeError} when `baseUrl` is not a URL */
export function createClient(options: ClientOptions): Client {
  const agent = options.agent ?? createAgent(options.caFile, options.connections);
  const http = createHttp({
    baseUrl: new URL(options.baseUrl),
    key: options.key,
    agent,
    userAgent: options.userAgent ?? 'zonestead',
    timeoutMs: options.timeoutMs ?? 15_000,
    keyWaitMs: options.keyWaitMs,
    maxAnswerBytes: options.maxAnswerBytes ?? 64 * 1024 * 1024,
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
      undo: (id, body, call) =>
        http.call({ method: 'POST', path: `${zonePath(id)}/changes:undo`, body }, undoAnswer, call),
      restore: (id, body, call) =>
        http.call({ method: 'POST', path: `${zonePath(id)}:restore`, body }, undoAnswer, call),
      restoreDeleted: (zoneName, call) =>
        http.call({ method: 'POST', path: `${DNS}/zones:restore`, body: { zoneName } }, zoneCreated, call),
      previewDeleted: (zoneName, call) =>
        http.call(
          { method: 'POST', path: `${DNS}/zones:restore`, body: { zoneName, dryRun: true } },
          zoneRestorePreview,
          call,
        ),
      deleted: async (call) =>
        (await http.call({ method: 'GET', path: `${DNS}/zones:deleted` }, deletedZoneList, call)).zones,
      nodes: async (id, waitSeconds, call) => {
        const query = { wait: waitSeconds === 0 ? undefined : String(waitSeconds) };
        return http.call({ method: 'GET', path: `${zonePath(id)}/nodes`, query }, zoneNodes, call);
      },
      secondaries: async (id, call) =>
        (await http.call({ method: 'GET', path: `${zonePath(id)}/secondaries` }, zoneSecondaries, call)).secondaries,
      chooseSecondaries: async (id, names, call) => {
        const body = { secondaries: names };
        return (await http.call({ method: 'PUT', path: `${zonePath(id)}/secondaries`, body }, zoneSecondaries, call))
          .secondaries;
      },
      offeredSecondaries: async (call) =>
        (await http.call({ method: 'GET', path: `${DNS}/secondaries` }, offeredSecondaries, call)).secondaries,
      ds: async (id, call) => (await http.call({ method: 'GET', path: `${zonePath(id)}/ds` }, dsList, call)).ds,
    },
    records: {
      list: (zoneId, filter = {}, call) =>
        everyPage(async (cursor) => {
          const query = { ...queryOf(filter), cursor };
          const answer = await http.call({ method: 'GET', path: recordsPath(zoneId), query }, recordList, call);
          return { items: answer.records, next: answer.next };
        }),
      pages: async function* (zoneId, filter, limit, call) {
        const read = (size: number, cursor: string | undefined) => {
          const query = { ...queryOf(filter), limit: String(size), cursor };
          return http.call({ method: 'GET', path: recordsPath(zoneId), query }, recordList, call);
        };
        let size = limit;
        let cursor: string | undefined;
        for (;;) {
          let answer: Awaited<ReturnType<typeof read>>;
          try {
            answer = await read(size, cursor);
          } catch (error) {
            if (!(error instanceof AnswerTooLong) || size === 1) throw error;
            // The records are long: read fewer of them at a time.
            size = Math.max(1, Math.floor(size / 8));
            continue;
          }
          yield answer.records;
          if (answer.next === undefined) return;
          if (answer.next === cursor) throw circle();
          cursor = answer.next;
        }
      },
      get: (zoneId, id, call) => http.call({ method: 'GET', path: recordPath(zoneId, id) }, record, call),
      create: (zoneId, body, call) => http.call({ method: 'POST', path: recordsPath(zoneId), body }, record, call),
      update: (zoneId, id, body, call) =>
        http.call({ method: 'PUT', path: recordPath(zoneId, id), body }, record, call),
      delete: (zoneId, id, call) => http.callEmpty({ method: 'DELETE', path: recordPath(zoneId, id) }, call),
      batch: async (zoneId, body, call) => {
        const answer = await http.call(
          { method: 'POST', path: `${recordsPath(zoneId)}:batch`, body },
          batchAnswer,
          call,
        );
        return answer.results;
      },
    },
    owners: {
      apply: async (zoneId, body, call) =>
        (await http.call({ method: 'POST', path: `${recordsPath(zoneId)}:apply`, body }, applyAnswer, call)).results,
      pages: async function* (zoneId, { prefix, limit } = {}, call) {
        let cursor: string | undefined;
        for (;;) {
          const query = { prefix, limit: limit?.toString(), cursor };
          const answer = await http.call({ method: 'GET', path: `${zonePath(zoneId)}/owners`, query }, ownerList, call);
          yield answer.owners;
          if (answer.next === undefined) return;
          if (answer.next === cursor) throw circle();
          cursor = answer.next;
        }
      },
    },
    clusters: {
      list: async (owner, call) =>
        (await http.call({ method: 'GET', path: CLUSTERS, query: { owner } }, clusterList, call)).clusters,
      heartbeat: (name, { owner, instance, objects }, call) => {
        const counts = objects && { objects: String(objects.total), notReady: String(objects.notReady) };
        return http.call(
          { method: 'PUT', path: clusterPath(name), query: { owner, instance, ...counts } },
          cluster,
          call,
        );
      },
      drain: (name, owner, call) =>
        http.call({ method: 'POST', path: `${clusterPath(name)}/drain`, query: { owner } }, cluster, call),
      restore: (name, owner, call) =>
        http.call({ method: 'POST', path: `${clusterPath(name)}/restore`, query: { owner } }, cluster, call),
      release: (name, owner, call) =>
        http.call({ method: 'POST', path: `${clusterPath(name)}/release`, query: { owner } }, cluster, call),
      remove: (name, owner, call) =>
        http.callEmpty({ method: 'DELETE', path: clusterPath(name), query: { owner } }, call),
    },
    account: (call) => http.call({ method: 'GET', path: '/v1/account' }, account, call),
    close: () => (options.agent === undefined ? agent.close() : Promise.resolve()),
  };
}

function queryOf({ name, names, type, content, etags, owners }: RecordFilter): Record<string, string | undefined> {
  const yes = (asked: boolean | undefined) => (asked ? 'true' : undefined);
  return { name, names: names?.join(','), type, content, etags: yes(etags), owners: yes(owners) };
}

function circle(): ApiUnavailable {
  return new ApiUnavailable('The pages of a list from the API form a loop');
}

function zonePath(id: string): string {
  return `${DNS}/zones/${encodeURIComponent(id)}`;
}

function recordsPath(zoneId: string): string {
  return `${zonePath(zoneId)}/records`;
}

function recordPath(zoneId: string, id: string): string {
  return `${recordsPath(zoneId)}/${encodeURIComponent(id)}`;
}

/** Lists are complete by default; if a service returns pages anyway, all of them are read. */
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
    if (cursor !== undefined && seen.has(cursor)) throw circle();
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
  return all;
}
