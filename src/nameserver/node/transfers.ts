// The part of this node in zone transfers to secondaries. The api decides which node is the source
// (dns/secondaries/serial.ts says why that matters); the node makes its knotd do so, and watches the secondaries while
// it is the source.
//
//     none     no secondaries, or more nodes than slots: knotd permits no transfer
//     standby  zones have serials of its slot, and may be transferred as a whole
//     source   first `new-source`: each zone gets a new serial, and is transferred as a whole; when every secondary
//              that answers has these serials, `source`: changes are transferred alone
//
// Secondaries may transfer only after all their zones have a serial of this node's slot.
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import { Waker } from '#base/waker.ts';
import type { TransferPlan } from '#contract/feed.ts';
import { membersFor } from '#dns/secondaries/catalog.ts';
import { checkedSecondaries } from '#dns/secondaries/secondary.ts';
import { jumpOver } from '#dns/secondaries/serial.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import type { ZoneEngine } from '../engine.ts';
import type { SourceRole } from '../knot/secondaries.ts';
import type { TransferEngine } from '../knot/transfer-engine.ts';
import type { TransferApi } from './api.ts';
import { textOfError } from './faults.ts';
import { retryDelay } from './plan.ts';
import { Secondaries } from './secondaries.ts';
import type { NodeState } from './state.ts';
import { createTransferMetrics } from './transfer-metrics.ts';
import { isPlausible, judgeRole, memberRows, type RememberedPart, readPart, unstamped } from './transfer-part.ts';

/** The parts that a node needs in addition to take part in zone transfers. */
export interface TransferParts {
  readonly api: TransferApi;
  readonly engine: TransferEngine;
}

export interface TransferOptions {
  readonly node: string;
  readonly api: TransferApi;
  /** The name server's operations on zones. */
  readonly engine: ZoneEngine;
  readonly transfers: TransferEngine;
  readonly state: NodeState;
  readonly clock: Clock;
  readonly date: () => Date;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** Between two looks at the zones, in ms; changes that come sooner share one. */
const APART_MS = 100;
/** The wait for the api at the start. */
const BEGIN_MS = 5_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;
/** Everything is compared with knotd's configuration again after this time. */
const AGAIN_MS = 600_000;
/** Zones that get a new serial at a time. */
const STAMPS_AT_ONCE = 4;

export class Transfers {
  readonly #options: TransferOptions;
  readonly #waker = new Waker();
  readonly #watch: Secondaries;
  #part: RememberedPart;
  #plan: TransferPlan | null = null;
  #wantedVersion: string | null = null;
  /** The configuration that knotd has, as a text; null: not known. */
  #applied: string | null = null;
  readonly #catalogs = new Map<string, string>();
  #appliedAt = 0;
  /** The zones that got a serial in this generation. */
  #made = new Set<string>();
  #logged: string | null = null;
  #tlsFault: string | null = null;
  readonly #ahead = new Map<string, number>();
  readonly #late = new Set<string>();

  constructor(options: TransferOptions) {
    this.#options = options;
    this.#part = readPart(options.state.facts().transfers);
    this.#watch = new Secondaries({
      ...options,
      onAhead: (zone, serial) => {
        this.#ahead.set(zone, serial);
        this.#waker.wake();
      },
      onLate: (zone) => {
        this.#late.add(zone);
        this.#waker.wake();
      },
      onQuiet: () => this.#waker.wake(),
      onFollowed: () => {
        if (judgeRole(this.#part) === 'new-source') this.#waker.wake();
      },
    });
    createTransferMetrics(
      options.metrics,
      () => judgeRole(this.#part) ?? 'none',
      () => this.#watch.facts(),
    );
  }

  /** The slot for serials of changes; undefined: the node has no part in transfers. */
  slot(): { number: number; isSource: boolean } | undefined {
    const { slot, role } = this.#part;
    if (slot === null || role === 'none') return undefined;
    // After a restart another node may be the source, whose serials must be ahead of these.
    return { number: slot, isSource: role === 'source' && this.#plan !== null };
  }

  /**
   * Asks the api for the part of this node, before it changes any zone: the node may have been the source, and another
   * one is it now. Without an answer, the node continues as a standby.
   */
  async begin(signal: AbortSignal): Promise<void> {
    const limit = deadline(this.#options.clock, BEGIN_MS, signal);
    try {
      await this.#fetch(limit.signal);
      const role = judgeRole(this.#part);
      if (this.#plan !== null && role === 'standby') await this.#apply(this.#plan, role, limit.signal);
    } catch (error) {
      if (!signal.aborted)
        this.#options.log.debug({ err: error }, 'the part of this node in zone transfers is not known yet');
    } finally {
      limit.clear();
    }
  }

  /** The version that the api has, of its answer to a report. */
  told(version: string | null): void {
    if (version === null || version === this.#wantedVersion) return;
    this.#wantedVersion = version;
    this.#waker.wake();
  }

  /** Zones were changed. */
  changed(): void {
    this.#waker.wake();
  }

  /** The name server came back, or its configuration was replaced. */
  invalidate(): void {
    this.#applied = null;
    this.#catalogs.clear();
    this.#waker.wake();
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#watch.run(signal), this.#loop(signal)]);
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, log, random } = this.#options;
    for (let failures = 0; !signal.aborted; ) {
      let wait: number | null = APART_MS;
      try {
        wait = await this.#work(signal);
        failures = 0;
        if (this.#logged !== null) log.info('zone transfers to secondaries are set up again');
        this.#logged = null;
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const text = textOfError(error);
        if (text !== this.#logged)
          log.warn({ err: error }, 'failed to set up zone transfers to secondaries; the node retries it');
        this.#logged = text;
        wait = retryDelay(failures, RETRY_MIN_MS, RETRY_MAX_MS, random);
      }
      if (wait === null || wait > APART_MS) await this.#waker.wait(clock, wait, signal);
      await sleep(clock, failures > 0 ? RETRY_MIN_MS : APART_MS, signal).catch(() => undefined);
    }
  }

  /** @returns the time until the next look in ms; null: until something changes */
  async #work(signal: AbortSignal): Promise<number | null> {
    if (this.#wantedVersion !== null && this.#plan?.version !== this.#wantedVersion) await this.#fetch(signal);
    const plan = this.#plan;
    if (plan === null) return null;
    const role = judgeRole(this.#part);
    if (role === null) {
      await this.#apply({ ...plan, secondaries: [] }, 'standby', signal);
      this.#watch.stop();
      return AGAIN_MS;
    }
    await this.#stamp(plan, role, false, signal);
    const hasChanged = await this.#apply(plan, role, signal);
    await this.#writeCatalogs(plan, role, signal);
    if (role === 'standby') {
      this.#watch.stop();
      return AGAIN_MS;
    }
    await this.#stamp(plan, role, true, signal);
    await this.#jump(signal);
    // With another key or address, a transfer that failed may succeed now.
    const laggingZones = hasChanged ? this.#watch.facts().flatMap(({ lags }) => lags.map(({ zone }) => zone)) : [];
    const late = [...new Set([...this.#late, ...laggingZones])];
    this.#late.clear();
    // Knot sends a NOTIFY again only after a minute.
    if (late.length > 0) await this.#options.transfers.notify(late, signal);
    this.#watch.follow(plan, signal);
    if (hasChanged) this.#watch.askSoon();
    if (role === 'new-source' && this.#watch.isFollowed() && this.#isStamped(plan, role)) {
      // knotd answers with changes before anything says that it does. After a crash here, the node starts as
      // `new-source`.
      await this.#apply(plan, 'source', signal);
      this.#remember({ ...this.#part, confirmed: this.#part.generation });
      this.#options.log.info(
        'every secondary that answers has the zones of this node: changes are transferred alone now',
      );
      return 0;
    }
    return AGAIN_MS;
  }

  async #fetch(signal: AbortSignal): Promise<void> {
    const { api, log } = this.#options;
    const plan = await api.transfers(signal);
    const { slot, role, generation, version } = plan;
    const before = this.#part;
    if (before.generation !== generation || before.role !== role || before.slot !== slot) {
      this.#made = new Set();
      this.#remember({ ...before, slot, role, generation });
      log.info({ role, slot, secondaries: plan.secondaries.length }, 'the part of this node in zone transfers');
    }
    this.#plan = plan;
    // A version that the api gave in the meantime is read with the next report.
    this.#wantedVersion = version;
  }

  #remember(part: RememberedPart): void {
    this.#part = part;
    this.#options.state.setFacts({ transfers: JSON.stringify(part) });
  }

  #isStamped(plan: TransferPlan, role: SourceRole): boolean {
    const members = memberRows(plan, this.#options.state.rows());
    return this.#part.slot !== null && unstamped(members, this.#part.slot, role, this.#made).length === 0;
  }

  /** @param isSource whether zones get serials of this generation as well; before, they only get those of the slot */
  async #stamp(plan: TransferPlan, role: SourceRole, isSource: boolean, signal: AbortSignal): Promise<void> {
    const { slot } = this.#part;
    if (slot === null) return;
    const members = memberRows(plan, this.#options.state.rows());
    const wanted = unstamped(members, slot, isSource ? role : 'standby', this.#made);
    for (let at = 0; at < wanted.length && !signal.aborted; at += STAMPS_AT_ONCE) {
      const some = wanted.slice(at, at + STAMPS_AT_ONCE);
      await Promise.all(some.map(({ name, engineSerial }) => this.#renew(name, engineSerial ?? 0, signal)));
      if (isSource) for (const { name } of some) this.#made.add(name);
    }
  }

  /** Gives the zone a later serial than `after`, without any other change. */
  async #renew(name: string, after: number, signal: AbortSignal): Promise<void> {
    const { engine, state } = this.#options;
    const row = state.rows().get(name);
    const slot = this.slot();
    if (row === undefined || slot === undefined) return;
    const engineSerial = await engine.change(name, { names: [], sets: [], serial: row.serial, slot, after }, signal);
    const now = state.rows().get(name);
    if (now !== undefined) state.put({ ...now, engineSerial });
  }

  /** @returns whether knotd's configuration was another one */
  async #apply(plan: TransferPlan, role: SourceRole, signal: AbortSignal): Promise<boolean> {
    const { clock, state, transfers } = this.#options;
    const rows = state.rows();
    const listed = plan.secondaries.flatMap(({ zones }) => (zones === 'all' ? [] : zones));
    const zones = [...new Set(listed)].filter((name) => typeof rows.get(name)?.engineSerial === 'number');
    const quiet = this.#watch.quiet();
    const wanted = JSON.stringify([role, plan.secondaries, zones, quiet]);
    if (wanted === this.#applied && clock.now() - this.#appliedAt < AGAIN_MS) return false;
    this.#applied = null;
    const overTls = await this.#isOverTls(plan, signal);
    const wish = { secondaries: checkedSecondaries(plan.secondaries), zones, role, quiet, overTls };
    const commands = await transfers.apply(wish, signal);
    this.#applied = wanted;
    this.#appliedAt = clock.now();
    return commands > 0;
  }

  /** Whether secondaries that need TLS can transfer. */
  async #isOverTls({ secondaries }: TransferPlan, signal: AbortSignal): Promise<boolean> {
    const names = secondaries.filter(({ requireTls }) => requireTls).map(({ name }) => name);
    if (names.length === 0) return false;
    const fault = await this.#options.transfers.tlsFault(signal);
    if (fault !== null && fault !== this.#tlsFault)
      this.#options.log.warn({ secondaries: names }, `these secondaries cannot transfer from this node: ${fault}`);
    this.#tlsFault = fault;
    return fault === null;
  }

  async #writeCatalogs(plan: TransferPlan, role: SourceRole, signal: AbortSignal): Promise<void> {
    const { date, state, transfers } = this.#options;
    const slot = this.#part.slot as number;
    const existing = [...state.rows().values()].filter(({ id, engineSerial }) => id !== '' && engineSerial !== null);
    for (const { name, catalog, zones } of plan.secondaries) {
      if (!catalog) continue;
      const members = membersFor(zones, existing).map((zone) => ({ id: zone.id, name: zone.name }));
      const wanted = `${role} ${members.map(({ id }) => id).join()}`;
      if (this.#catalogs.get(name) === wanted) continue;
      const least = Math.floor(date().getTime() / 1000);
      await transfers.catalog(
        { secondary: name, members, serial: { least, slot, source: role !== 'standby' } },
        signal,
      );
      this.#catalogs.set(name, wanted);
    }
  }

  /**
   * Zones for which a secondary answered a later serial than the source has. It is knotd's own if signatures were
   * renewed meanwhile; otherwise one of a source before this one, or from before a restored database, and the source
   * jumps over it.
   */
  async #jump(signal: AbortSignal): Promise<void> {
    const { date, state, transfers } = this.#options;
    for (const [zone, seen] of [...this.#ahead]) {
      this.#ahead.delete(zone);
      const row = state.rows().get(zone);
      const own = await transfers.serial(zone, signal);
      if (row === undefined || own === null || this.#part.slot === null) continue;
      if (own !== row.engineSerial) {
        state.put({ ...row, engineSerial: own });
        continue;
      }
      const isOurs = isPlausible(seen, own, Math.floor(date().getTime() / 1000));
      if (isOurs && jumpOver(own, [seen], this.#part.slot) !== null) await this.#renew(zone, seen, signal);
    }
  }
}
