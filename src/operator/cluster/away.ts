// Tells the service that this operator lives while its kube-apiserver does not answer: a control plane that is
// upgraded, or lost for an hour, is not a lost cluster, whose records with whenClusterLost: Withdraw would leave DNS.
//
//     reachable ──calls fail for AWAY_MS──▶ away: a heartbeat every ten seconds ──a call is answered──▶ reachable
//
// Every replica does this, also one that was the leader: it ends its work when it loses the lease, and stays until
// kube-apiserver answers, because a new process could not read the cluster and its zones. Heartbeats of a leader go
// first at the service, so one replica that alone lost its way to kube-apiserver changes nothing.
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Heartbeats } from './heartbeats.ts';

/** Calls fail for this time before the operator says so, in ms. The leader has lost its lease by then. */
const AWAY_MS = 10_000;
/** The time between two reports, in ms. */
const REPORT_MS = 10_000;
/** A process that has lost its lease stays for this long at most, in ms. */
const LONGEST_STAY_MS = 6 * 3_600_000;
/** The time between two looks, and the limit of one, in ms. */
const LOOK_MS = 2_000;
const LOOK_LIMIT_MS = 5_000;

/** Follows the answers of kube-apiserver to all calls of this process. */
export class ControlPlane {
  readonly #clock: Clock;
  #failingSince: number | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param status the status of an answer; 0: there was none */
  observe(method: string, status: number): void {
    // Without etcd, kube-apiserver answers with 500 and more, and opens watches from its memory.
    if (method === 'WATCH' && status > 0) return;
    if (status > 0 && status < 500) this.#failingSince = null;
    else this.#failingSince ??= this.#clock.now();
  }

  /** For how long no call has been answered, in ms; 0: the last one was. */
  failingMs(): number {
    return this.#failingSince === null ? 0 : Math.max(1, this.#clock.now() - this.#failingSince);
  }
}

export interface AwayOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly controlPlane: ControlPlane;
  readonly heartbeats: Pick<Heartbeats, 'reportAway'>;
  /** Makes one call to kube-apiserver that needs etcd. It may be refused. */
  look(signal: AbortSignal): Promise<unknown>;
}

/** Looks while calls fail, and reports, until the signal aborts. */
export async function runAwayReports(options: AwayOptions, signal: AbortSignal): Promise<void> {
  const { clock, log, controlPlane, heartbeats, look } = options;
  let reportedAt: number | null = null;
  while (!signal.aborted) {
    await sleep(clock, LOOK_MS, signal).catch(() => undefined);
    if (signal.aborted) return;
    // A call that was given up counts as failed too, and nothing else may be called for minutes.
    if (controlPlane.failingMs() > 0) {
      const limit = deadline(clock, LOOK_LIMIT_MS, signal);
      await look(limit.signal).catch(() => undefined);
      limit.clear();
    }
    if (controlPlane.failingMs() < AWAY_MS) {
      if (reportedAt !== null) log.info('kube-apiserver answers again');
      reportedAt = null;
    } else if (reportedAt === null || clock.now() - reportedAt >= REPORT_MS) {
      if (reportedAt === null) log.warn('kube-apiserver does not answer; the operator reports that it lives');
      reportedAt = clock.now();
      await heartbeats.reportAway(signal);
    }
  }
}

/** Waits until kube-apiserver answers, or the signal aborts, at most six hours. */
export async function untilReachable(
  { clock, controlPlane }: Pick<AwayOptions, 'clock' | 'controlPlane'>,
  signal: AbortSignal,
): Promise<void> {
  const end = clock.now() + LONGEST_STAY_MS;
  while (!signal.aborted && controlPlane.failingMs() > 0 && clock.now() < end)
    await sleep(clock, LOOK_MS / 2, signal).catch(() => undefined);
}
