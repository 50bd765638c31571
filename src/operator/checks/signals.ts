// Sends the state of the Services that DNSRecords follow, as signals of the checks of these DNSRecords.
//
//     new, or another state ──▶ sent ──▶ sent again each 20 s, which only moves its end
//              ▲                 │ fails: growing wait
//              └─────────────────┘
//
// A signal lasts 60 s, so that the addresses count as working a minute after the last operator has ended. The check of
// a DNSRecord belongs to this cluster and object alone (name.ts): a Service speaks for no addresses of other clusters.
// Changes are collected for 200 ms, and only another state is sent or written: thousands of pods cost nothing else.
import type { Clock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { sleep } from '#base/wait.ts';
import { ApiError, isAbsent } from '#client/errors.ts';
import { setCheckSignal } from '#contract/operations/checks.ts';
import type { Cache } from '#kube/cache/store.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Holder } from '../cluster/seen-holder.ts';
import { BY_FOLLOWING, FOLLOWING } from './checked-index.ts';
import { type EndpointVerdict, wasServiceFound } from './endpoints.ts';
import { buildCheckName } from './name.ts';
import { type FollowedServices, serviceKeyIn } from './services.ts';
import type { CheckWatch } from './watch.ts';

export interface ServiceSignalsOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly zones: Pick<Cache<DNSZone>, 'get'>;
  readonly records: Pick<Cache<DNSRecord>, 'byIndex'>;
  readonly services: FollowedServices;
  readonly checks: Pick<CheckWatch, 'get' | 'forget'>;
  /** The name of this cluster; undefined until it is known. */
  cluster(): string | undefined;
  /** The holder of a zone; undefined while its key is not known. */
  holderOf(zone: DNSZone): Holder | undefined;
  /** Whether the name of this cluster is its own, so that the checks with it are too. */
  maySend(zone: DNSZone): boolean;
  enqueueRecord(key: string): void;
}

/** The state of the signals about one DNSRecord. */
interface Sender {
  /** The object that the verdict was made for. */
  record: DNSRecord;
  verdict: EndpointVerdict;
  /** When to send again, in ms of the clock. */
  dueAt: number;
  /** The wait after the last failure, in ms; 0 after a success. */
  waitMs: number;
  isSending: boolean;
}

const ROUND_MS = 200;
const TTL_SECONDS = 60;
const EVERY_MS = 20_000;
const FIRST_WAIT_MS = 1_000;
const LIMIT_MS = 5_000;
/** Requests at the same time; an owner has at most half of them. */
const AT_ONCE = 8;

export class ServiceSignals {
  readonly #options: ServiceSignalsOptions;
  readonly #senders = new Map<string, Sender>();
  readonly #limit = new Limit({ permits: AT_ONCE, share: AT_ONCE / 2 });
  readonly #running = new Set<Promise<void>>();

  constructor(options: ServiceSignalsOptions) {
    this.#options = options;
  }

  /** Follows the Services until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, services } = this.#options;
    while (!signal.aborted) {
      this.look(signal);
      await sleep(clock, ROUND_MS, signal).catch(() => undefined);
    }
    await Promise.all([...this.#running, services.ended()]);
  }

  /** Starts the requests that are due. */
  look(signal: AbortSignal): void {
    const { records, services } = this.#options;
    const followers = records.byIndex(BY_FOLLOWING, FOLLOWING);
    if (followers.length === 0) {
      this.#senders.clear();
      return;
    }
    services.start(signal);
    if (!services.hasSynced()) return;
    const changed = services.takeChanged();
    const keys = new Set<string>();
    for (const record of followers) {
      const key = keyOf(record);
      keys.add(key);
      const sender = this.#judge(key, record, changed);
      if (sender !== undefined) this.#send(key, sender, signal);
    }
    for (const key of this.#senders.keys()) if (!keys.has(key)) this.#senders.delete(key);
  }

  /** Resolves when no request is on its way. */
  async settled(): Promise<void> {
    await Promise.all(this.#running);
  }

  #judge(key: string, record: DNSRecord, changed: ReadonlySet<string>): Sender | undefined {
    const { clock, services, enqueueRecord } = this.#options;
    const sender = this.#senders.get(key);
    const ref = record.spec.healthFrom?.serviceRef;
    if (ref === undefined) return undefined;
    if (sender?.record === record && !changed.has(serviceKeyIn(record.metadata.namespace, ref.name))) return sender;
    const verdict = services.judge(record);
    if (verdict === null) return undefined;
    if (mustRun(record, sender?.verdict, verdict)) enqueueRecord(key);
    if (sender === undefined) {
      const fresh = { record, verdict, dueAt: clock.now(), waitMs: 0, isSending: false };
      this.#senders.set(key, fresh);
      return fresh;
    }
    // After a failure, the time of the next attempt stays.
    if (sender.verdict.reason !== verdict.reason && sender.waitMs === 0) sender.dueAt = clock.now();
    return Object.assign(sender, { record, verdict });
  }

  #send(key: string, sender: Sender, signal: AbortSignal): void {
    const { clock, zones, checks, cluster, holderOf, maySend } = this.#options;
    const { verdict, record, isSending, dueAt } = sender;
    const [name, zone] = [cluster(), zones.get(zoneKeyOf(record))];
    if (isSending || verdict.state === 'Unknown' || dueAt > clock.now()) return;
    const holder = zone && maySend(zone) ? holderOf(zone) : undefined;
    if (holder === undefined || name === undefined) return;
    const check = buildCheckName(name, key);
    // The run of the object puts the check.
    if (checks.get(holder.owner, check)?.definition.type !== 'signal') return;
    sender.isSending = true;
    const work = this.#limit
      .run(holder.owner, () => this.#call(holder, check, sender, signal), signal)
      .catch((error) => this.#fail(key, holder, check, sender, signal, error))
      .finally(() => {
        sender.isSending = false;
        this.#running.delete(work);
      });
    this.#running.add(work);
  }

  async #call({ client, owner }: Holder, check: string, sender: Sender, signal: AbortSignal): Promise<void> {
    // The verdict may have changed while the request waited for its turn.
    const { verdict } = sender;
    if (verdict.state === 'Unknown') return;
    const { state, reason } = verdict;
    const body = { state, reason, ttlSeconds: TTL_SECONDS };
    const options = { signal, timeoutMs: LIMIT_MS };
    await client.call(setCheckSignal, { params: { name: check }, query: { owner }, body }, options);
    const isOver = sender.verdict.reason !== reason;
    Object.assign(sender, { waitMs: 0, dueAt: this.#options.clock.now() + (isOver ? 0 : EVERY_MS) });
  }

  #fail(key: string, { owner }: Holder, check: string, sender: Sender, signal: AbortSignal, error: unknown): void {
    if (signal.aborted) return;
    const { clock, log, checks, enqueueRecord } = this.#options;
    if (sender.waitMs === 0) log.warn({ err: error, record: key }, 'failed to send the state of a Service; retrying');
    if (isAbsent(error)) {
      checks.forget(owner, check);
      enqueueRecord(key);
    }
    const wait = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    sender.waitMs = Math.min(EVERY_MS, Math.max(FIRST_WAIT_MS, 2 * sender.waitMs));
    sender.dueAt = clock.now() + Math.max(wait, sender.waitMs);
  }
}

/**
 * Whether the status has to say something else than the state of the check, which the watch of checks sees: why nothing
 * is known about the Service, or that it was found.
 */
function mustRun(record: DNSRecord, before: EndpointVerdict | undefined, verdict: EndpointVerdict): boolean {
  if (verdict.state === 'Unknown') return before?.reason !== verdict.reason;
  const ref = record.spec.healthFrom?.serviceRef;
  const isNews = verdict.isFound && ref !== undefined && !wasServiceFound(ref, record.status?.foundService);
  return before?.state === 'Unknown' || isNews;
}
