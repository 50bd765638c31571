// The secondaries as the source sees them: a watch of each of their addresses, with reports to the api, metrics and
// lines in the log.

import type { Clock } from '#base/clock.ts';
import { Waker } from '#base/waker.ts';
import type { TransferPlan, TransferReport } from '#contract/feed.ts';
import { MAX_BEHIND } from '#dns/secondaries/follow.ts';
import { type Endpoint, endpointText } from '#dns/secondaries/secondary.ts';
import { rcodeName } from '#dns/wire/rcodes.ts';
import type { Logger } from '#telemetry/log.ts';
import { ask } from '../probe/ask.ts';
import { serialOfSoa } from '../probe/rdata.ts';
import type { TransferApi } from './api.ts';
import { type Lag, SecondaryWatch } from './secondary-watch.ts';
import type { NodeState } from './state.ts';
import type { SecondaryFacts } from './transfer-metrics.ts';
import { serialsFor } from './transfer-part.ts';

interface SecondariesOptions {
  readonly node: string;
  readonly api: Pick<TransferApi, 'reportTransfers'>;
  readonly state: Pick<NodeState, 'rows' | 'facts'>;
  readonly clock: Clock;
  readonly date: () => Date;
  readonly log: Logger;
  onAhead(zone: string, serial: number): void;
  onLate(zone: string): void;
  /** All that answer have all their zones. */
  onFollowed(): void;
  /** The addresses in `quiet` are other ones. */
  onQuiet(): void;
}

interface Watched {
  readonly secondary: TransferPlan['secondaries'][number];
  readonly watches: readonly SecondaryWatch[];
  readonly wakers: readonly Waker[];
  readonly end: AbortController;
  zones: ReadonlyMap<string, number>;
  /** The position of the node when the serials of `zones` were read, or an earlier one. */
  cursor: string | null;
  isLogged: boolean;
}

const REPORT_MS = 2_000;
const ASK_MS = 1_000;
/** A zone that is not current for this long is worth a line in the log. */
const LATE_MS = 30_000;
/**
 * An address that has not answered for this long, after about three seconds of unanswered questions, gets no NOTIFY.
 */
const QUIET_MS = 2_000;
const SOA = 6;

export class Secondaries {
  readonly #options: SecondariesOptions;
  readonly #watched = new Map<string, Watched>();
  #quiet = '';
  /** Wakes the reports when there is a secondary to watch. */
  readonly #first = new Waker();

  constructor(options: SecondariesOptions) {
    this.#options = options;
  }

  /** Watches the secondaries of the plan, with the serials that the zones have now. */
  follow(plan: TransferPlan, signal: AbortSignal): void {
    const secondaryByName = new Map(plan.secondaries.map((each) => [each.name, each]));
    for (const [name, { secondary }] of this.#watched) {
      if (JSON.stringify(secondaryByName.get(name)?.addresses) !== JSON.stringify(secondary.addresses)) this.#end(name);
    }
    for (const secondary of secondaryByName.values()) {
      const before = this.#watched.get(secondary.name);
      const zones = serialsFor(secondary, this.#options.state.rows());
      if (before === undefined) this.#start(secondary, zones, signal);
      else {
        this.#watched.set(secondary.name, Object.assign(before, { secondary, zones }));
        for (const watch of before.watches) watch.expect(zones);
        for (const waker of before.wakers) waker.wake();
      }
    }
  }

  /** Asks again for all zones that are not current, without the wait that grew meanwhile. */
  askSoon(): void {
    for (const { watches, wakers } of this.#watched.values()) {
      for (const watch of watches) watch.askSoon();
      for (const waker of wakers) waker.wake();
    }
  }

  stop(): void {
    for (const name of [...this.#watched.keys()]) this.#end(name);
  }

  facts(): SecondaryFacts[] {
    return [...this.#watched.values()].map((each) => this.#factsOf(each));
  }

  /** Whether each address that answers had the serial of each of its zones at its last question. */
  isFollowed(): boolean {
    return [...this.#watched.values()].every(({ watches, zones }) =>
      watches.every((watch) => watch.silent() !== null || watch.isCurrent(zones)),
    );
  }

  /** The addresses that have not answered for about five seconds. */
  quiet(): Endpoint[] {
    const watches = [...this.#watched.values()].flatMap((each) => each.watches);
    return watches.filter((watch) => watch.isSilentFor(QUIET_MS)).map(({ server }) => server);
  }

  /** Reports every two seconds while secondaries are watched. */
  async run(signal: AbortSignal): Promise<void> {
    const { api, clock, log, node, onQuiet } = this.#options;
    while (!signal.aborted) {
      await this.#first.wait(clock, this.#watched.size === 0 ? null : REPORT_MS, signal);
      if (signal.aborted || this.#watched.size === 0) continue;
      for (const each of this.#watched.values()) {
        this.#refresh(each);
        this.#note(each);
      }
      const quiet = this.quiet().map(endpointText).join();
      if (quiet !== this.#quiet) onQuiet();
      this.#quiet = quiet;
      const secondaries = [...this.#watched.values()].map((each) => this.#reportOf(each));
      // A report that does not arrive is followed by the next one.
      await api.reportTransfers({ node, secondaries }, signal).catch((error: unknown) => {
        log.debug({ err: error }, 'failed to report the state of the secondaries');
      });
    }
  }

  #start(secondary: TransferPlan['secondaries'][number], zones: Map<string, number>, parent: AbortSignal): void {
    const { clock, onAhead, onLate } = this.#options;
    const end = new AbortController();
    const stop = () => end.abort();
    parent.addEventListener('abort', stop, { once: true });
    end.signal.addEventListener('abort', () => parent.removeEventListener('abort', stop), { once: true });
    const watches = secondary.addresses.map(
      (server) => new SecondaryWatch(server, { clock, ask: askSerial, onAhead, onLate }),
    );
    const watchedSecondary = {
      secondary,
      watches,
      wakers: watches.map(() => new Waker()),
      end,
      zones,
      cursor: null,
      isLogged: false,
    };
    if (this.#watched.size === 0) this.#first.wake();
    this.#watched.set(secondary.name, watchedSecondary);
    for (const [at, watch] of watches.entries()) {
      watch.expect(zones);
      void this.#askOn(watchedSecondary, watch, watchedSecondary.wakers[at] as Waker);
    }
  }

  /** Asks until the watch ends. */
  async #askOn(watchedSecondary: Watched, watch: SecondaryWatch, waker: Waker): Promise<void> {
    const { clock, onFollowed } = this.#options;
    const { signal } = watchedSecondary.end;
    while (!signal.aborted) {
      const next = await watch.look(watchedSecondary.zones, signal);
      if (signal.aborted) return;
      if (next === null && this.isFollowed()) onFollowed();
      // Also without a due question: zones are asked for again after some time.
      await waker.wait(clock, next === null ? ASK_MS : Math.max(1, next - clock.now()), signal);
      if (next === null) watch.expect(watchedSecondary.zones);
    }
  }

  /** Takes the serials that belong to the position of the node, if that is another one than at the last report. */
  #refresh(watchedSecondary: Watched): void {
    const { state } = this.#options;
    const { cursor } = state.facts();
    if (cursor === watchedSecondary.cursor) return;
    Object.assign(watchedSecondary, { zones: serialsFor(watchedSecondary.secondary, state.rows()), cursor });
    for (const watch of watchedSecondary.watches) watch.expect(watchedSecondary.zones);
    for (const waker of watchedSecondary.wakers) waker.wake();
  }

  #end(name: string): void {
    this.#watched.get(name)?.end.abort();
    this.#watched.delete(name);
  }

  #factsOf({ secondary, watches, zones }: Watched): SecondaryFacts {
    const lags = new Map<string, Lag>();
    for (const watch of watches) for (const lag of watch.lags()) if (!lags.has(lag.zone)) lags.set(lag.zone, lag);
    const current = Math.min(...watches.map((watch) => watch.count(zones)));
    const silentWatch = watches.find((watch) => watch.silent() !== null);
    const all = [...lags.values()].sort((a, b) => a.since - b.since);
    return {
      name: secondary.name,
      zones: zones.size,
      current,
      lags: all,
      silent: silentWatch === undefined ? null : `${endpointText(silentWatch.server)} ${silentWatch.silent()}`,
      behindSeconds: all[0] === undefined ? 0 : (this.#options.clock.now() - all[0].since) / 1000,
    };
  }

  #reportOf(watchedSecondary: Watched): TransferReport['secondaries'][number] {
    const { name, zones, current, lags, silent } = this.#factsOf(watchedSecondary);
    const { clock, date, state } = this.#options;
    const offset = date().getTime() - clock.now();
    const laggingZones = new Set(lags.map(({ zone }) => zone));
    const pendingQuestions = watchedSecondary.watches
      .flatMap((watch) => watch.pending())
      .filter(({ zone }) => !laggingZones.has(zone));
    const unaskedZones = [...new Map(pendingQuestions.map((each) => [each.zone, each])).values()];
    const reason = 'was not asked for the last change yet';
    const behind: Lag[] = [...lags, ...unaskedZones.map((each) => ({ ...each, state: 'absent' as const, reason }))];
    return {
      name,
      zones,
      current,
      cursor: watchedSecondary.cursor,
      ...(silent === null ? {} : { silent: silent.slice(0, 300) }),
      behind: behind.slice(0, MAX_BEHIND).map((lag) => ({
        zone: state.rows().get(lag.zone)?.id ?? lag.zone,
        state: lag.state,
        ...('serial' in lag ? { serial: lag.serial } : { reason: lag.reason.slice(0, 300) }),
        since: new Date(lag.since + offset).toISOString(),
      })),
    };
  }

  /** Logs the first zone that is late, and the return. */
  #note(watchedSecondary: Watched): void {
    const { log } = this.#options;
    const { name, lags, silent, behindSeconds } = this.#factsOf(watchedSecondary);
    const isLate = behindSeconds * 1000 > LATE_MS;
    if (isLate === watchedSecondary.isLogged) return;
    watchedSecondary.isLogged = isLate;
    const [first] = lags;
    if (!isLate || first === undefined) {
      log.info({ secondary: name }, 'the secondary has all its zones as the source has them again');
      return;
    }
    const what = 'reason' in first ? first.reason : `answers serial ${first.serial}, which is ${first.state}`;
    log.warn(
      { secondary: name, zones: lags.length, zone: first.zone, silent },
      `the secondary ${name} does not follow: ${first.zone} ${what}. Compare its TSIG key and its addresses with "zonestead admin secondaries config ${name}"`,
    );
  }
}

async function askSerial(
  server: Endpoint,
  zone: string,
  signal: AbortSignal,
): Promise<{ serial: number } | { reason: string }> {
  const answer = await ask(server, { name: zone, type: 'SOA' }, { timeoutMs: ASK_MS, attempts: 1, signal });
  if (answer.rcode !== 0) return { reason: `answers ${rcodeName(answer.rcode)}` };
  const soa = answer.answers.find(({ name, type, rdata }) => name === zone && type === SOA && rdata.length >= 22);
  const serial = soa === undefined ? null : serialOfSoa(soa.rdata);
  return serial === null ? { reason: 'answers without a SOA record' } : { serial };
}
