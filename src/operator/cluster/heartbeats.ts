// The heartbeats of this cluster, one for each team or person whose zones have records of it, because a cluster belongs
// to them as owners of records do. The answer says whether the cluster is drained there: the service withdraws and
// restores the records by itself, and the conditions of the DNSRecords report it.
//
//     unknown → active ⇄ drained      an answer changes it; a failure does not
//
// While the name belongs to another Kubernetes cluster or API key, the service refuses these: cluster/name.ts.
//
// Only the leader sends heartbeats. Each has the API key that writes the records, which needs the right "clusters" for
// it. A DNSZone may have a key without this right: its team then has no such cluster, and its records can be neither
// drained nor withdrawn.

import type { Clock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { sleep } from '#base/wait.ts';
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { Cluster } from '#contract/clusters.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { Logger } from '#telemetry/log.ts';

/** A team or person, with a key that may write the records of its zones. */
export interface Holder {
  readonly client: Pick<Client, 'call'>;
  /** `org:<teamId>`, or `personal`. */
  readonly owner: string;
  /** Whether the key is that of the operator, and not that of a DNSZone. */
  readonly isOwn: boolean;
}

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

/** The service treats a cluster as lost after six times this, in ms. */
const EVERY_MS = 10_000;
/** The time until the next heartbeat after one that the service did not answer, in ms. */
const RETRY_MS = 2_000;
const LIMIT_MS = 5_000;
const CALLS = 8;
/** The time between two counts of objects, in ms. */
const COUNT_MS = 60_000;

interface Seen {
  readonly holder: Holder;
  state: Pick<Cluster, 'state' | 'settled'> | null;
  /** Whether another cluster has the name; null until the service has answered. */
  isTaken: boolean | null;
  /** The last count of objects, and its time. Null: the service does not take it, or has not answered. */
  counted: { objects: { total: number; notReady: number }; at: number } | null;
  /** The numbers of the changes by others that the last answer told. */
  told: ReadonlySet<number>;
  /** The failure that was logged last; null after a success. */
  problem: string | null;
  /** Whether the service refuses the key of a DNSZone, because it has no right to send heartbeats. */
  isUnwanted: boolean;
  /** The time of the last success, or of the first attempt. */
  acceptedAt: number;
}

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
    const { clock } = this.#options;
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
      await sleep(clock, isAnswered ? this.#everyMs : Math.min(this.#everyMs, RETRY_MS), signal).catch(() => undefined);
    }
    // The next leader sends them.
    this.#seen = [];
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
            state: null,
            isTaken: null,
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
      const beat = { params: { name }, query: { owner, instance, ...counts } };
      const answer = await client.call(sendHeartbeat, beat, { signal, timeoutMs: LIMIT_MS });
      this.#recount(seenHolder, answer);
      if (seenHolder.problem !== null)
        log.info({ cluster: name, owner }, 'the DNS service accepts the heartbeats again');
      this.#options.sent('accepted');
      this.#judge(seenHolder, false);
      const before = seenHolder.state;
      Object.assign(seenHolder, { state: answer, problem: null, isUnwanted: false, acceptedAt: clock.now() });
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

/** Records of a drained cluster are withdrawn a part at a time, until the service says that it is settled. */
function isNews(before: Seen['state'], { state, settled }: NonNullable<Seen['state']>): boolean {
  const [was, is] = [before?.state === 'drained', state === 'drained'];
  return before === null || was !== is || (is && settled && !before.settled);
}

/** The sentence for the log: the cause, the action, and the consequence. */
function remedy(error: unknown): string {
  const loss = 'without heartbeats for 60 seconds, this cluster counts as lost';
  if (!(error instanceof ApiError))
    return `the DNS service does not answer the heartbeat, and the operator retries; ${loss}`;
  switch (error.status) {
    case 401:
      return `the DNS service refuses the API key of the heartbeat; replace the key; ${loss}`;
    case 403:
      return 'the API key may not send heartbeats, so this cluster cannot be drained or counted as lost in the team of the key; give the key the right "clusters": "write"';
    case 409:
      if (error.field === 'instance')
        return 'another Kubernetes cluster or another API key has the name of this cluster, so the operator changes nothing; set operator.cluster to another name, or, if the API key was replaced, let an owner of the team run "zonestead clusters release NAME"';
      return `the DNS service accepts no further cluster; remove one that is gone with "zonestead clusters remove NAME"; ${loss}`;
    default:
      return `the DNS service refuses the heartbeat, and the operator retries; ${loss}`;
  }
}
