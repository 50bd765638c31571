// The heartbeats of this cluster, one for each team or person whose zones have records of it, because a cluster belongs to them as
// owners of records do. The answer says whether the cluster is drained there: the service withdraws and restores the records by
// itself, and the conditions of the DNSRecords report it.
//
//     unknown → active ⇄ drained      an answer changes it; a failure does not
//
// Only the leader sends heartbeats. Each has the API key that writes the records: it needs no other right.

import type { Clock } from '#base/clock.ts';
import { FairPlaces } from '#base/fair/places.ts';
import { createTurns } from '#base/fair/turns.ts';
import { sleep } from '#base/wait.ts';
import type { Client, Cluster } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import type { Logger } from '#telemetry/log.ts';

/** A team or person, with a key that may write the records of its zones. */
export interface Holder {
  readonly client: Pick<Client, 'clusters'>;
  /** `org:<teamId>`, or `personal`. */
  readonly owner: string;
}

export interface Heartbeats {
  /** Sends heartbeats until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether the cluster is drained for the owner of the zone; undefined until the service has answered. */
  isDrained(zone: DNSZone): boolean | undefined;
  /** How long the service has accepted no heartbeat for some owner, in ms; 0 if it accepts them. */
  failingMs(): number;
}

/** `refused`: a retry without a change by a person fails too. */
export const HEARTBEAT_RESULTS = ['accepted', 'refused', 'unavailable'] as const;
export type HeartbeatResult = (typeof HEARTBEAT_RESULTS)[number];

export interface HeartbeatOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** The name of this cluster; undefined until it is known. */
  cluster(): string | undefined;
  readonly zones: { list(): readonly DNSZone[] };
  /** The holder of a zone; undefined while its key is not known. */
  holderOf(zone: DNSZone): Holder | undefined;
  /** The holder of the operator's own key, which reports a cluster without zones. */
  own(signal: AbortSignal): Promise<Holder>;
  /** Called when the service drained or restored the cluster, and when it has withdrawn all records of a drained one. */
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

interface Seen {
  readonly holder: Holder;
  state: Pick<Cluster, 'state' | 'settled'> | null;
  /** The failure that was logged last; null after a success. */
  problem: string | null;
  /** The time of the last success, or of the first attempt. */
  acceptedAt: number;
}

export function createHeartbeats(options: HeartbeatOptions): Heartbeats {
  const { clock, log, zones, everyMs = EVERY_MS } = options;
  let seen: Seen[] = [];
  const take = createTurns(new FairPlaces(CALLS));
  const find = (holder: Holder | undefined) =>
    holder && seen.find((each) => each.holder.client === holder.client && each.holder.owner === holder.owner);

  /** Holders that have no zone any more are forgotten. */
  async function meet(signal: AbortSignal): Promise<void> {
    const holders = zones.list().flatMap((zone) => options.holderOf(zone) ?? []);
    const met: Seen[] = [];
    for (const holder of holders.length > 0 ? holders : [await options.own(signal)]) {
      const isMet = met.some(({ holder: { client, owner } }) => client === holder.client && owner === holder.owner);
      if (!isMet) met.push(find(holder) ?? { holder, state: null, problem: null, acceptedAt: clock.now() });
    }
    seen = met;
  }

  /** @returns whether the service answered */
  async function send(name: string, known: Seen, signal: AbortSignal): Promise<boolean> {
    const { client, owner } = known.holder;
    try {
      const answer = await client.clusters.heartbeat(name, owner, { signal, timeoutMs: LIMIT_MS });
      if (known.problem !== null) log.info({ cluster: name, owner }, 'the DNS service accepts the heartbeats again');
      options.sent('accepted');
      const before = known.state;
      Object.assign(known, { state: answer, problem: null, acceptedAt: clock.now() });
      if (isNews(before, answer)) tell(known, answer.state === 'drained');
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const isRefused = error instanceof ApiError && error.status < 500;
      options.sent(isRefused ? 'refused' : 'unavailable');
      const problem = (error as Error).message;
      if (known.problem !== problem) log.warn({ cluster: name, owner, problem }, remedy(error));
      known.problem = problem;
      return isRefused;
    }
  }

  function tell(known: Seen, isDrained: boolean): void {
    options.changed(
      zones.list().filter((zone) => find(options.holderOf(zone)) === known),
      isDrained,
    );
  }

  return {
    run: async (signal) => {
      while (!signal.aborted) {
        const name = options.cluster();
        let isAnswered = name !== undefined;
        if (name !== undefined) {
          try {
            await meet(signal);
          } catch {
            // The team of the key is not known; readiness and conditions report a key that the service refuses.
            isAnswered = false;
          }
          const sending = seen.map((each) => take('', () => send(name, each, signal), signal).catch(() => true));
          const sent = await Promise.all(sending);
          isAnswered &&= sent.every((each) => each);
        }
        await sleep(clock, isAnswered ? everyMs : Math.min(everyMs, RETRY_MS), signal).catch(() => undefined);
      }
      // The next leader sends them.
      seen = [];
    },
    isDrained: (zone) => {
      const known = find(options.holderOf(zone));
      return known?.state ? known.state.state === 'drained' : undefined;
    },
    failingMs: () =>
      Math.max(0, ...seen.map(({ problem, acceptedAt }) => (problem === null ? 0 : clock.now() - acceptedAt))),
  };
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
      return `the API key may not send the heartbeat; give it the right to write records in this team; ${loss}`;
    case 409:
      return `the DNS service accepts no further cluster; remove one that is gone with "zonestead clusters remove NAME"; ${loss}`;
    default:
      return `the DNS service refuses the heartbeat, and the operator retries; ${loss}`;
  }
}
