// The heartbeats of this cluster, one for each team or person whose zones have records of it, because a cluster
// belongs to them as owners of records do. The answer says whether the cluster is drained there: the service withdraws
// and restores the records by itself, and the conditions of the DNSRecords report it.
//
//     unknown → active ⇄ drained      an answer changes it; a failure does not
//
// While the name belongs to another Kubernetes cluster or API key, the service refuses these: cluster/name.ts.
//
// A heartbeat also tells how often the Lease was renewed. If that number went back, etcd was restored from a backup,
// and the answers say so until an owner accepts the older objects. Objects that vanished in a list may be missing for
// this reason, so their releases wait for a heartbeat with a later renewal. Without a Lease, a heartbeat tells that the
// versions went back under this process: seen-restore.ts.
//
// Only the leader sends heartbeats; away.ts sends those of an operator that does not reach kube-apiserver. Each has
// the API key that writes the records, which needs the right "clusters" for it. A DNSZone may have a key without this
// right: its team then has no such cluster, and its records can be neither drained nor withdrawn.

import type { Clock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { sleep } from '#base/wait.ts';
import { ApiError } from '#client/errors.ts';
import type { Cluster } from '#contract/clusters.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { Logger } from '#telemetry/log.ts';
import { MAX_OLDER, type OlderObjects } from './older.ts';
import { remedy } from './remedy.ts';
import { type Holder, isNews, type Seen, UNKNOWN } from './seen-holder.ts';
import type { SeenRestore } from './seen-restore.ts';

export interface Heartbeats {
  /** Sends heartbeats until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the cluster is drained for the owner of the zone; undefined until the service has answered. */
  isDrained(zone: DNSZone): boolean | undefined;
  /**
   * Whether another cluster has the name, as the owner of the zone has heard; undefined until the service has answered.
   */
  isNameTaken(zone: DNSZone): boolean | undefined;
  /**
   * Whether etcd was restored from a backup, and no owner of the zone has accepted the older objects; undefined: not
   * known yet. @param zone undefined: the zones of the operator's own key
   */
  isEtcdRestored(zone: DNSZone | undefined): boolean | undefined;
  /** Whether etcd was restored for some owner. */
  isAnyRestored(): boolean;
  /** Sends one heartbeat to each owner that says that kube-apiserver does not answer; see away.ts. Never rejects. */
  reportAway(signal: AbortSignal): Promise<void>;
  /**
   * How long the service has accepted no heartbeat for some owner, in ms; 0 if it accepts them. Keys of DNSZones need
   * no right to them.
   */
  failingMs(): number;
}

/** `refused`: a retry without a change by a person fails too. `taken`: another cluster or key has the name. */
export const HEARTBEAT_RESULTS = ['accepted', 'refused', 'taken', 'unavailable'] as const;
export type HeartbeatResult = (typeof HEARTBEAT_RESULTS)[number];

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The name of this cluster; undefined until it is known. */
  cluster(): string | undefined;
  /**
   * The uid of the namespace kube-system, which another cluster with the same name does not have; undefined until it is
   * known.
   */
  instance(): string | undefined;
  readonly zones: { list(): readonly DNSZone[] };
  /** The holder of a zone; undefined while its key is not known. */
  holderOf(zone: DNSZone): Holder | undefined;
  /** The holder of the operator's own key, which reports a cluster without zones. */
  own(signal: AbortSignal): Promise<Holder>;
  /** Counts the zones and their records. (Default: the heartbeats do not tell them.) */
  count?(zones: readonly DNSZone[]): { total: number; notReady: number };
  /**
   * Called when another cluster got the name, and when this one has it again; also with the zones whose holder is not
   * known yet.
   */
  nameChanged(zones: readonly DNSZone[]): void;
  /** The Lease of this process; undefined: leader election is off, or another process leads. */
  lease?(): LeaseProgress | undefined;
  /** The time at which the caches were last filled by a list, in ms of the clock. (Default: 0.) */
  listedAt?(): number;
  /** The restore of etcd that this process saw. Absent: the process does not look for one. */
  readonly seenRestore?: Pick<SeenRestore, 'id' | 'begin'>;
  /** The objects that are older than the data of the service. */
  readonly older: OlderObjects;
  /** Called when the service found that etcd was restored, and when an owner accepted the older objects. */
  restoredChanged(zones: readonly DNSZone[], isRestored: boolean): void;
  /** Called with the sets whose records another client changed, once for each change. */
  othersChanged(sets: NonNullable<Cluster['changed']>): void;
  /**
   * Called when the service drained or restored the cluster, and when it has withdrawn all records of a drained one.
   */
  changed(zones: readonly DNSZone[], isDrained: boolean): void;
  sent(result: HeartbeatResult): void;
  /** The time between two heartbeats, in ms. (Default: 10,000.) */
  readonly everyMs?: number | undefined;
}

/** How far the Lease of the leader has come. */
export interface LeaseProgress {
  /** Its uid. */
  readonly uid: string;
  /** How often it was renewed, by this process and those before it. */
  readonly renewals: number;
  /** When the last renewal was sent, in ms of the clock. */
  readonly renewedAt: number;
}

/** The service treats a cluster as lost after six times this, in ms. */
const EVERY_MS = 10_000;
/** The time until the next heartbeat after one that the service did not answer, in ms. */
const RETRY_MS = 2_000;
const LIMIT_MS = 5_000;
const CALLS = 8;
/** The time between two looks whether releases wait for a heartbeat, in ms. */
const LOOK_MS = 1_000;
/** The time between two counts of objects, in ms. */
const COUNT_MS = 60_000;

export function createHeartbeats(options: HeartbeatOptions): Heartbeats {
  return new ClusterHeartbeats(options);
}

class ClusterHeartbeats implements Heartbeats {
  readonly #options: HeartbeatOptions;
  readonly #everyMs: number;
  #seen: Seen[] = [];
  readonly #calls = new Limit({ permits: CALLS, isFair: true });

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? EVERY_MS;
  }

  async run(signal: AbortSignal): Promise<void> {
    this.#options.seenRestore?.begin();
    while (!signal.aborted) {
      const [name, instance] = [this.#options.cluster(), this.#options.instance()];
      let isAnswered = name !== undefined && instance !== undefined;
      if (name !== undefined && instance !== undefined) {
        try {
          await this.#meet(signal);
        } catch {
          // The team of the key is not known; readiness and conditions report a key that the service refuses.
          isAnswered = false;
        }
        const sending = this.#seen.map((each) =>
          this.#calls.run('', () => this.#send(name, instance, each, signal), signal).catch(() => true),
        );
        const results = await Promise.all(sending);
        isAnswered &&= results.every((each) => each);
      }
      await this.#pause(isAnswered ? this.#everyMs : Math.min(this.#everyMs, RETRY_MS), signal);
    }
    // The next leader sends them. The holders stay: away.ts may need them.
    for (const each of this.#seen) Object.assign(each, UNKNOWN);
  }

  /** Waits for the next heartbeat, which is early if releases wait for it. */
  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const start = clock.now();
    const end = start + ms;
    // A service that does not answer must not be asked all the time.
    const isEarly = () => clock.now() - start >= RETRY_MS && this.#isLate();
    while (!signal.aborted && clock.now() < end && !isEarly())
      await sleep(clock, Math.min(LOOK_MS, end - clock.now()), signal).catch(() => undefined);
  }

  /** Whether the Lease was renewed after a list, or a restore was seen, and no heartbeat has told that. */
  #isLate(): boolean {
    if (this.#seen.some((each) => each.state !== null && !this.#isRestoreTold(each))) return true;
    const listedAt = this.#options.listedAt?.() ?? 0;
    const renewedAt = this.#options.lease?.()?.renewedAt;
    const isBehind = ({ state, renewalAt }: Seen) => state !== null && renewalAt < listedAt;
    return renewedAt !== undefined && renewedAt >= listedAt && this.#seen.some(isBehind);
  }

  #isRestoreTold({ toldRestore }: Seen): boolean {
    const id = this.#options.seenRestore?.id();
    return id === undefined || id === toldRestore;
  }

  isDrained(zone: DNSZone): boolean | undefined {
    const seenHolder = this.#find(this.#options.holderOf(zone));
    return seenHolder?.state ? seenHolder.state.state === 'drained' : undefined;
  }

  isNameTaken(zone: DNSZone): boolean | undefined {
    // A zone whose team is not known yet: the own key speaks for it.
    const seenHolder =
      this.#find(this.#options.holderOf(zone)) ?? this.#seen.find(({ isTaken }) => isTaken) ?? this.#seen[0];
    return seenHolder?.isTaken ?? undefined;
  }

  isEtcdRestored(zone: DNSZone | undefined): boolean | undefined {
    const seenHolder =
      this.#find(zone && this.#options.holderOf(zone)) ??
      this.#seen.find(({ holder }) => holder.isOwn) ??
      (zone && this.#seen[0]);
    if (seenHolder === undefined || seenHolder.isTaken === null) return undefined;
    const { state, renewalAt } = seenHolder;
    if (state !== null && typeof state.etcdRestoredAt === 'string') return true;
    // The service takes no heartbeats with this key, so nothing more will be known.
    if (state === null) return false;
    if (!this.#isRestoreTold(seenHolder)) return undefined;
    if (renewalAt < (this.#options.listedAt?.() ?? 0)) return undefined;
    return this.#options.older.count(() => this.#keysOf(seenHolder), false) > MAX_OLDER ? undefined : false;
  }

  isAnyRestored(): boolean {
    return this.#seen.some(({ state }) => typeof state?.etcdRestoredAt === 'string');
  }

  async reportAway(signal: AbortSignal): Promise<void> {
    const [name, instance] = [this.#options.cluster(), this.#options.instance()];
    // A process that was started meanwhile knows the name only from its settings.
    if (name === undefined) return;
    await this.#meet(signal).catch(() => undefined);
    const send = async ({ holder: { client, owner } }: Seen) => {
      const beat = { params: { name }, query: { owner, instance, controlPlane: 'unreachable' as const } };
      await client.call(sendHeartbeat, beat, { signal, timeoutMs: LIMIT_MS });
      this.#options.sent('accepted');
    };
    const reports = this.#seen.map((each) => this.#calls.run('', () => send(each), signal));
    for (const result of await Promise.allSettled(reports))
      if (result.status === 'rejected') this.#options.sent('unavailable');
  }

  failingMs(): number {
    const { clock } = this.#options;
    return Math.max(
      0,
      ...this.#seen.map(({ problem, isUnwanted, acceptedAt }) =>
        problem === null || isUnwanted ? 0 : clock.now() - acceptedAt,
      ),
    );
  }

  #find(holder: Holder | undefined) {
    return (
      holder && this.#seen.find((each) => each.holder.client === holder.client && each.holder.owner === holder.owner)
    );
  }

  /** Holders that have no zone any more are forgotten. */
  async #meet(signal: AbortSignal): Promise<void> {
    const { zones, clock } = this.#options;
    const holders = zones.list().flatMap((zone) => this.#options.holderOf(zone) ?? []);
    const metHolders: Seen[] = [];
    for (const holder of holders.length > 0 ? holders : [await this.#options.own(signal)]) {
      const isMet = metHolders.some(
        ({ holder: { client, owner } }) => client === holder.client && owner === holder.owner,
      );
      if (!isMet)
        metHolders.push(
          this.#find(holder) ?? {
            holder,
            ...UNKNOWN,
            counted: null,
            told: new Set<number>(),
            problem: null,
            isUnwanted: false,
            acceptedAt: clock.now(),
          },
        );
    }
    this.#seen = metHolders;
  }

  /** @returns whether the service answered */
  async #send(name: string, instance: string, seenHolder: Seen, signal: AbortSignal): Promise<boolean> {
    const { log, clock } = this.#options;
    const { client, owner } = seenHolder.holder;
    try {
      const objects = seenHolder.counted?.objects;
      const counts = objects && { objects: String(objects.total), notReady: String(objects.notReady) };
      const lease = this.#options.lease?.();
      // The service remembers it until an owner accepts it, and must not be told again then.
      const isTold = typeof seenHolder.state?.etcdRestoredAt === 'string';
      const older = isTold ? 0 : this.#options.older.count(() => this.#keysOf(seenHolder), true);
      const restoreId = this.#options.seenRestore?.id();
      const restore = {
        ...(this.#isRestoreTold(seenHolder) ? {} : { restore: restoreId }),
        ...(lease === undefined ? {} : { lease: lease.uid, renewals: String(lease.renewals) }),
        ...(older > MAX_OLDER ? { older: String(older) } : {}),
      };
      const beat = { params: { name }, query: { owner, instance, ...counts, ...restore } };
      const answer = await client.call(sendHeartbeat, beat, { signal, timeoutMs: LIMIT_MS });
      this.#recount(seenHolder, answer);
      if (seenHolder.problem !== null)
        log.info({ cluster: name, owner }, 'the DNS service accepts the heartbeats again');
      this.#options.sent('accepted');
      this.#judge(seenHolder, false);
      const before = seenHolder.state;
      const renewalAt = this.#options.lease === undefined ? Number.POSITIVE_INFINITY : (lease?.renewedAt ?? 0);
      Object.assign(seenHolder, {
        state: answer,
        renewalAt,
        toldRestore: restoreId,
        problem: null,
        isUnwanted: false,
        acceptedAt: clock.now(),
      });
      this.#tellRestored(seenHolder, before, answer);
      this.#tell(seenHolder, answer);
      if (isNews(before, answer)) this.#options.changed(this.#zonesOf(seenHolder), answer.state === 'drained');
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const isRefused = error instanceof ApiError && error.status < 500;
      const isTaken = isRefused && error.field === 'instance';
      if (isTaken) this.#judge(seenHolder, true);
      else if (isRefused) seenHolder.isTaken ??= false;
      this.#options.sent(isTaken ? 'taken' : isRefused ? 'refused' : 'unavailable');
      seenHolder.isUnwanted = !seenHolder.holder.isOwn && error instanceof ApiError && error.status === 403;
      const problem = (error as Error).message;
      if (seenHolder.problem !== problem) log.warn({ cluster: name, owner, problem }, remedy(error));
      seenHolder.problem = problem;
      return isRefused;
    }
  }

  #tellRestored(seenHolder: Seen, before: Seen['state'], answer: NonNullable<Seen['state']>): void {
    const isRestored = typeof answer.etcdRestoredAt === 'string';
    const wasRestored = typeof before?.etcdRestoredAt === 'string';
    const isAccepted = before !== null && (answer.olderAcceptedAt ?? null) !== (before.olderAcceptedAt ?? null);
    if (isRestored !== wasRestored || isAccepted) this.#options.restoredChanged(this.#zonesOf(seenHolder), isRestored);
  }

  #keysOf(seenHolder: Seen): ReadonlySet<string> {
    return new Set(this.#zonesOf(seenHolder).map(keyOf));
  }

  #zonesOf(seenHolder: Seen) {
    const { zones } = this.#options;
    return zones.list().filter((zone) => this.#find(this.#options.holderOf(zone)) === seenHolder);
  }

  /** A service that takes the numbers has them in its answer, if only as null. The next heartbeat tells them. */
  #recount(seenHolder: Seen, { objects }: Cluster): void {
    const { clock } = this.#options;
    const { counted } = seenHolder;
    if (objects === undefined || this.#options.count === undefined) seenHolder.counted = null;
    else if (counted === null || clock.now() - counted.at >= COUNT_MS)
      seenHolder.counted = { objects: this.#options.count(this.#zonesOf(seenHolder)), at: clock.now() };
  }

  /** The service tells a change for a minute, because an answer may be lost. */
  #tell(seenHolder: Seen, { changed = [] }: Cluster): void {
    const news = changed.filter(({ change }) => !seenHolder.told.has(change));
    seenHolder.told = new Set(changed.map(({ change }) => change));
    if (news.length > 0) this.#options.othersChanged(news);
  }

  #judge(seenHolder: Seen, isTaken: boolean): void {
    const { zones } = this.#options;
    const was = seenHolder.isTaken ?? false;
    seenHolder.isTaken = isTaken;
    if (was === isTaken) return;
    const unknownZones = zones.list().filter((zone) => this.#find(this.#options.holderOf(zone)) === undefined);
    this.#options.nameChanged([...this.#zonesOf(seenHolder), ...unknownZones]);
  }
}
