// Probes addresses for the health checks of the api, and reports what it sees: a change at once, and each second that
// everything else holds. The node probes only while its reports arrive, because otherwise the api probes again.
//
//     no list     fewer than three name servers can probe, or enough others do
//     a list      the node probes and votes; a service that lacks votes of the session gets all of them in a new one
import { randomUUID } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import type { MayProbe } from '#base/probes/allowed.ts';
import { ADDRESS_MS } from '#base/probes/lines.ts';
import type { Probe } from '#base/probes/probe.ts';
import { ProbeRunner } from '#base/probes/runner.ts';
import { sleep } from '#base/wait.ts';
import { Waker } from '#base/waker.ts';
import { ApiError } from '#client/errors.ts';
import { MAX_PART, type ObservationsAnswer, VOTES_LAST_MS } from '#contract/feed-probes.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ProbeApi } from './api.ts';
import { textOfError } from './faults.ts';
import { createProberMetrics, type ProberMetrics } from './probe-metrics.ts';
import { type ProbeTarget, ProbeTargets } from './probe-targets.ts';

interface ProberOptions {
  readonly api: ProbeApi;
  /** The name under which the node reports. */
  readonly name: string;
  readonly probe: Probe;
  /** Called for each list. @returns which of its addresses the node may probe */
  readonly mayProbe: () => MayProbe;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface Prober {
  /** Runs until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

const EVERY_MS = 1_000;
/** The least time between two reports. */
const APART_MS = 20;
/** After an answer that says that the service does not take these reports. */
const REFUSED_MS = 30_000;

export function createProber(options: ProberOptions): Prober {
  return new NodeProber(options);
}

class NodeProber implements Prober {
  readonly #options: ProberOptions;
  readonly #targets = new ProbeTargets();
  readonly #waker = new Waker();
  readonly #metrics: ProberMetrics;
  #runner: ProbeRunner<ProbeTarget> | null = null;
  #session: string = randomUUID();
  /** The parts that the api has stored in the session; null: the session has not begun. */
  #part: number | null = null;
  /** The version of the list; null: there is none. */
  #version: string | null = null;
  #apartMs = ADDRESS_MS;
  /** When the last report was sent that the api accepted, in ms. */
  #acceptedAt = Number.NEGATIVE_INFINITY;
  #logged: string | null = null;

  constructor(options: ProberOptions) {
    this.#options = options;
    this.#metrics = createProberMetrics(options.metrics, () => this.#targets.size);
  }

  async run(signal: AbortSignal): Promise<void> {
    const { probe, clock } = this.#options;
    const runner = new ProbeRunner<ProbeTarget>(
      {
        ...{ probe, clock, apartMs: () => this.#apartMs },
        isOurs: () => clock.now() < this.#acceptedAt + VOTES_LAST_MS,
        onProbed: (target, isOk) => {
          this.#metrics.countProbe(isOk);
          if (this.#targets.note(target, clock.now())) this.#waker.wake();
        },
      },
      signal,
    );
    this.#runner = runner;
    await Promise.all([runner.run(), this.#report(signal)]);
    this.#targets.update({ probes: [] }, () => null);
  }

  async #report(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#send(signal);
        if (this.#logged !== null) log.info('the reports about health checks arrive at the api again');
        this.#logged = null;
        await sleep(clock, APART_MS, signal).catch(() => undefined);
        if (!this.#targets.hasNews) await this.#waker.wait(clock, EVERY_MS - APART_MS, signal);
      } catch (error) {
        if (signal.aborted) return;
        await sleep(clock, this.#judge(error), signal).catch(() => undefined);
      }
    }
  }

  /** Logs the first of equal failures. @returns the wait before the next report in ms */
  #judge(error: unknown): number {
    const text = textOfError(error);
    if (text !== this.#logged) this.#options.log.warn(`failed to report to the api about health checks: ${text}`);
    this.#logged = text;
    // An older service does not know the operation.
    const isRefused = error instanceof ApiError && [401, 403, 404].includes(error.status);
    return isRefused ? REFUSED_MS : EVERY_MS;
  }

  /** One report, and the list if it has changed. @throws as ProbeApi */
  async #send(signal: AbortSignal): Promise<void> {
    const { api, clock, name: node } = this.#options;
    const sentAt = clock.now();
    const isBegin = this.#part === null;
    const part = this.#part ?? 0;
    this.#targets.takeBackOld(sentAt, this.#apartMs);
    const votes = isBegin ? [] : this.#targets.news(MAX_PART);
    const answer = await api.reportProbes({ node, session: this.#session, part, votes }, signal);
    if (!answer.known) {
      this.#beginAgain();
      return;
    }
    this.#acceptedAt = sentAt;
    this.#targets.reported(votes);
    this.#part = votes.length === 0 ? part : part + 1;
    if (isBegin) this.#targets.forgetReports();
    await this.#followList(answer, signal);
  }

  async #followList({ probes: version }: ObservationsAnswer, signal: AbortSignal): Promise<void> {
    if (version === this.#version) return;
    if (version === null) {
      this.#targets.update({ probes: [] }, () => null);
      // The votes end with the list: they would be old when the node gets another one.
      this.#beginAgain();
    } else {
      const list = await this.#options.api.probes(signal);
      const isFirst = this.#targets.size === 0;
      this.#apartMs = Math.max(list.apartMs, ADDRESS_MS);
      const newTargets = this.#targets.update(list, this.#options.mayProbe());
      this.#runner?.begin(newTargets, isFirst, this.#options.random());
    }
    this.#version = version;
  }

  #beginAgain(): void {
    this.#session = randomUUID();
    this.#part = null;
  }
}
