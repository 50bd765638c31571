// Watches the name server of a node: whether it answers, whether it was started again, and whether its zones are those
// that the node added. It is asked once a minute, and soon after a command failed or while zones load.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Logger } from '#telemetry/log.ts';
import { type EngineZone, type ZoneEngine, ZoneLoading } from '../engine.ts';
import { auditAtStart, auditRunning } from './audit.ts';
import { SlowEngine, textOfError } from './faults.ts';
import { LoadingZones } from './loading.ts';
import { retryDelay } from './plan.ts';
import type { NodeState } from './state.ts';

export interface EngineWatchOptions {
  readonly engine: Pick<ZoneEngine, 'version' | 'zones' | 'check'>;
  readonly state: NodeState;
  /** The zones that the name server has. The watch changes it. */
  readonly present: Set<string>;
  readonly clock: Clock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** See NodeOptions. */
  configure?(signal: AbortSignal): Promise<void>;
  /** See NodeOptions. */
  engineRun?(): string | null;
  /** The name server answers again, or for the first time. */
  onUp(): void;
  /** Whether work of the zone waits or runs. */
  isBusy(name: string): boolean;
  /** The name server lost a zone. */
  onLost(name: string): void;
  /** The name server may have other contents of a zone. */
  onDoubt(name: string): void;
  /** The name server has zones that the node did not add. */
  onUnknown(): void;
}

const AUDIT_MS = 60_000;
const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 5_000;
/** The name server is asked about so many zones without a serial at once: those before them load meanwhile. */
const MAX_CHECKS = 20;

export class EngineWatch {
  readonly #options: EngineWatchOptions;
  #version = 'unknown';
  #isUp = false;
  /** The run of the name server that was asked last; undefined before the first answer. */
  #run: string | null | undefined;
  readonly #loading: LoadingZones;
  #endWait: () => void = () => undefined;
  /** Zones that are in doubt because they loaded. */
  readonly #doubtedLoading = new Set<string>();
  #doubtedRun: string | null | undefined;

  constructor(options: EngineWatchOptions) {
    this.#options = options;
    this.#loading = new LoadingZones(options.clock.now());
  }

  /** The version of the name server; `unknown` before the first answer, empty if there was none. */
  get version(): string {
    return this.#version;
  }

  /** Whether the name server answered the last question. */
  get isUp(): boolean {
    return this.#isUp;
  }

  /** The zones that it had before its start and does not answer yet. */
  get loading(): Pick<LoadingZones, 'waited' | 'failed' | 'loadingMs' | 'stalledMs'> {
    return this.#loading;
  }

  /** A command has ended. After a failure, the name server is asked. */
  noteCommand(ok: boolean): void {
    if (!ok) this.#endWait();
  }

  /** Work of a zone has ended. A zone that the name server did not load may have its contents from the node now. */
  noteWork(result: 'applied' | 'failed'): void {
    if (result === 'applied' && this.#loading.failed.size > 0) this.#endWait();
  }

  /** Waits until the name server answers, and marks the zones that differ from the state. */
  async firstZones(signal: AbortSignal): Promise<void> {
    const { state, present, clock, random, log } = this.#options;
    for (let attempts = 1; !signal.aborted; attempts++) {
      const zones = await this.#ask(signal);
      if (zones !== null) {
        const { lost, doubtful, unknown } = auditAtStart({ state, present }, zones);
        log.info(
          { zones: zones.length, lost: lost.length, doubtful: doubtful.length, unknown: unknown.length },
          'the zones of the name server are compared with the state of the node',
        );
        return;
      }
      await sleep(clock, retryDelay(attempts, RETRY_MIN_MS, RETRY_MAX_MS, random), signal).catch(() => undefined);
    }
  }

  /** To be called after `firstZones`. Runs until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, state } = this.#options;
    this.#doubtedRun = this.#run;
    for (;;) {
      await this.#rest(signal);
      // Several commands fail together when the name server goes away.
      await sleep(clock, RETRY_MIN_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      const before = new Map(state.rows());
      const zones = await this.#ask(signal);
      if (zones === null) continue;
      this.#audit(zones, before);
      await this.#findIdle(signal);
    }
  }

  /** Notices that the name server was killed and has started again between two questions: its zones have to load. */
  watchRun(): void {
    const run = this.#options.engineRun?.();
    if (!this.#isUp || run === this.#run) return;
    this.#options.log.warn(run === null ? 'the name server does not run' : 'the name server was started again');
    this.#isUp = false;
    this.#endWait();
  }

  /** @returns the zones of the name server; null if it does not answer, or if the signal has aborted */
  async #ask(signal: AbortSignal): Promise<readonly EngineZone[] | null> {
    const { engine } = this.#options;
    try {
      const run = this.#options.engineRun?.();
      const zones = await engine.zones(signal);
      this.#noteLoading(zones, run);
      if (!this.#isUp) await this.#begin(zones.length, signal);
      return zones;
    } catch (error) {
      if (!signal.aborted) this.#noteFailure(error);
      return null;
    }
  }

  #noteLoading(zones: readonly EngineZone[], run: string | null | undefined): void {
    const { clock, state } = this.#options;
    const isLoading = ({ name, serial }: EngineZone) =>
      serial === null && (state.rows().get(name)?.engineSerial ?? null) !== null;
    this.#loading.note(new Set(zones.filter(isLoading).map(({ name }) => name)), run, clock.now());
    this.#run = run;
  }

  /** Looks for zones that do not load: the name server could not read them. */
  async #findIdle(signal: AbortSignal): Promise<void> {
    const { engine } = this.#options;
    for (const name of [...this.#loading.waited].slice(0, MAX_CHECKS)) {
      try {
        await engine.check(name, signal);
        this.#loading.noteIdle(name);
      } catch (error) {
        // Any other failure is one of the name server, or of a zone that is gone: the next list says so.
        if (signal.aborted || !(error instanceof ZoneLoading)) return;
      }
    }
  }

  /** @throws if the name server does not take its settings; the next question tries again */
  async #begin(zones: number, signal: AbortSignal): Promise<void> {
    const { engine, log } = this.#options;
    await this.#options.configure?.(signal);
    this.#version = await engine.version();
    log.info({ engine: this.#version, zones }, 'the name server answers');
    this.#isUp = true;
    this.#options.onUp();
  }

  #noteFailure(error: unknown): void {
    const { log } = this.#options;
    if (this.#isUp && error instanceof SlowEngine) {
      log.warn(`${error.message}. It may be at long work, and answers queries meanwhile`);
      return;
    }
    if (this.#isUp || this.#version === 'unknown') log.error(`the name server does not answer: ${textOfError(error)}`);
    if (this.#version === 'unknown') this.#version = '';
    this.#isUp = false;
  }

  #audit(zones: readonly EngineZone[], before: Parameters<typeof auditRunning>[2]): void {
    const { state, present, log } = this.#options;
    const isBusy = (name: string) => this.#options.isBusy(name);
    const { lost, doubtful, unknown } = auditRunning({ state, present }, zones, before, isBusy);
    if (lost.length > 0)
      log.error(
        { zones: lost.slice(0, 10), lost: lost.length },
        'the name server lost zones; the node adds them again',
      );
    if (unknown.length > 0)
      log.warn(
        { zones: unknown.slice(0, 10) },
        'the name server has zones that the node did not add; the list of the api decides about them',
      );
    for (const name of lost) this.#options.onLost(name);
    this.#doubt(doubtful);
    if (unknown.length > 0) this.#options.onUnknown();
  }

  /**
   * A zone that loads is in doubt once, and again if it has another serial afterwards. A zone with work is judged
   * later.
   */
  #doubt(doubtfulNames: readonly string[]): void {
    const isNewRun = this.#doubtedRun !== this.#run;
    this.#doubtedRun = this.#run;
    for (const name of this.#doubtedLoading)
      if (isNewRun || !this.#loading.has(name)) this.#doubtedLoading.delete(name);
    for (const name of doubtfulNames) {
      if (this.#doubtedLoading.has(name)) continue;
      if (this.#loading.has(name)) this.#doubtedLoading.add(name);
      this.#options.onDoubt(name);
    }
  }

  #rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener('abort', end);
        this.#endWait = () => undefined;
        resolve();
      };
      const isQuiet = this.#isUp && this.#loading.waited.size === 0;
      const cancel = clock.setTimeout(end, isQuiet ? AUDIT_MS : RETRY_MIN_MS);
      this.#endWait = end;
      if (signal.aborted) end();
      else signal.addEventListener('abort', end, { once: true });
    });
  }
}
