// The canary: it writes values over REST, and asks all addresses of the zone's name servers. Four loops run next to
// each other, so that queries continue while the service is down, and changes while an address is silent:
//
//     zone        reads name servers and DS records, and resolves the addresses
//     queries     asks every path for steady answers
//     changes     writes a value, and waits until all paths answer it
//     challenges  presents a challenge, and removes it
import { randomBytes } from 'node:crypto';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import type { Client } from '#client/client.ts';
import { ApiError } from '#client/errors.ts';
import { type AddressResolver, type ProbeEndpoint, resolveServers } from '#nameserver/probe/probe.ts';
import type { Logger } from '#telemetry/log.ts';
import { type ChallengeOutcome, measureChallenge } from './challenge.ts';
import { type ChangeOutcome, measureChange } from './change.ts';
import { CLEAN_UP_MS, ZONE_AGAIN_MS, ZONE_EVERY_MS } from './limits.ts';
import type { CanaryMetrics } from './metrics.ts';
import { type Path, updatePaths } from './paths.ts';
import { challengeName, createRecords } from './records.ts';
import { explainFailure } from './refusals.ts';
import { DONE, type RunOutcome, repeat } from './schedule.ts';
import { NO_VALUE, Values } from './values.ts';
import { createWatch, type PathVerdicts, type WatchedValue, type WatchOptions } from './watch.ts';
import { type CanaryZone, readZone } from './zone.ts';

export interface CanaryOptions {
  readonly client: Pick<Client, 'call'>;
  readonly ask: WatchOptions['ask'];
  readonly resolver: AddressResolver;
  /** Whether this machine has a route to an address. Those of both families are asked. */
  readonly hasRoute: (address: string) => Promise<boolean>;
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  readonly clock: Clock;
  /** The time that people read, for signatures and leases. */
  readonly date: () => Date;
  readonly random: () => number;
  readonly metrics: CanaryMetrics;
  readonly log: Logger;
  readonly zone: string;
  /** The name of the record, a label. */
  readonly name: string;
  readonly changeEveryMs: number;
  readonly queryEveryMs: number;
  readonly limitMs: number;
  /** 0: no challenges. */
  readonly challengeEveryMs: number;
}

/** The first challenge comes after the first changes, which show whether the canary works at all. */
const FIRST_CHALLENGE_MS = 30_000;

export class Canary {
  readonly #options: CanaryOptions;
  readonly #records;
  readonly #watch;
  readonly #value: WatchedValue;
  readonly #challenge: WatchedValue;
  #zone: CanaryZone | null = null;
  #zoneReadAt = Number.NEGATIVE_INFINITY;
  #paths: readonly Path[] = [];
  /** The last problem of each kind of work, so that each is logged once. */
  readonly #problems = new Map<string, string>();

  constructor(options: CanaryOptions) {
    const { client, clock, date, metrics, ask, limitMs, name, zone } = options;
    this.#options = options;
    this.#records = createRecords(client, name, date);
    const watched = (relative: string): WatchedValue => ({
      name: `${relative}.${zone}`,
      values: new Values(randomBytes(8).toString('hex')),
      answered: new Map(),
    });
    this.#value = watched(name);
    this.#challenge = watched(challengeName(name));
    this.#watch = createWatch({
      ...{ ask, clock, date, metrics, limitMs },
      zone: () => this.#knownZone(),
      refreshZone: (signal) => this.#refreshZone(signal),
    });
  }

  get paths(): readonly Path[] {
    return this.#paths;
  }

  /** Null while the canary works; otherwise the problem with the service. */
  get problem(): string | null {
    return this.#problems.get('zone') ?? this.#problems.get('change') ?? null;
  }

  get isStarted(): boolean {
    return this.#zone !== null;
  }

  /** The seconds for which each address is behind. */
  freshness(): Map<string, number> {
    const { values, answered } = this.#value;
    const now = this.#options.clock.now();
    return new Map(
      this.#paths.map(({ address }) => {
        const since = values.overtakenAt(answered.get(address) ?? NO_VALUE);
        return [address, since === null ? 0 : (now - since) / 1000];
      }),
    );
  }

  /** Runs all loops until the signal aborts, and removes the records then. */
  async run(signal: AbortSignal): Promise<void> {
    const { changeEveryMs, queryEveryMs, challengeEveryMs } = this.#options;
    const loop = (everyMs: number, firstMs: number, work: (end: AbortSignal) => Promise<RunOutcome>) =>
      repeat(this.#options, { everyMs, firstMs }, work, signal);
    try {
      await Promise.all([
        loop(ZONE_EVERY_MS, 0, (end) => this.#readZone(end)),
        loop(queryEveryMs, queryEveryMs / 2, async (end) => {
          for (const { path, verdicts } of await this.look(end)) this.#tellAnswers(path, verdicts);
          return DONE;
        }),
        loop(changeEveryMs, 0, (end) => this.#runChange(end)),
        ...(challengeEveryMs === 0
          ? []
          : [loop(challengeEveryMs, FIRST_CHALLENGE_MS, (end) => this.#runChallenge(end))]),
      ]);
    } finally {
      await this.cleanUp();
    }
  }

  /** Reads the zone and resolves its name servers. @throws as readZone; Error if no address is found */
  async prepare(signal: AbortSignal): Promise<void> {
    const { client, overrides, resolver, hasRoute, metrics, log, zone: name } = this.#options;
    this.#zoneReadAt = this.#options.clock.now();
    const zone = await readZone(client, name, signal);
    const { servers, unresolved } = await resolveServers(zone.nameservers, { overrides, resolver, hasRoute, signal });
    this.#zone = zone;
    // Names that do not resolve for a moment do not end the series of their addresses.
    const lostServers = this.#paths.map(({ server }) => server).filter(isOf(unresolved.map((each) => each.name)));
    const { paths, leftOut } = updatePaths(this.#paths, [...servers, ...lostServers]);
    if (leftOut > 0) log.warn({ leftOut }, 'the zone has more addresses than the canary asks');
    this.#paths = paths;
    const addresses = [...new Set(paths.map(({ address }) => address))];
    metrics.setAddresses(addresses);
    for (const { answered } of [this.#value, this.#challenge])
      for (const address of answered.keys()) if (!addresses.includes(address)) answered.delete(address);
    if (unresolved.length > 0) {
      throw new Error(`The name servers ${unresolved.map((each) => each.name).join(', ')} have no address here`);
    }
  }

  /** Asks every path once for each steady answer. @throws the signal's reason when it aborts, as all methods do */
  look(signal: AbortSignal): Promise<{ path: Path; verdicts: PathVerdicts }[]> {
    return Promise.all(
      this.#paths.map(async (path) => ({ path, verdicts: await this.#watch.look(path, this.#value, signal) })),
    );
  }

  /** Makes one change. @throws Error before the zone was read */
  async change(signal: AbortSignal): Promise<ChangeOutcome> {
    const { id } = this.#knownZone();
    const { clock, limitMs, metrics } = this.#options;
    const parts = { clock, watch: this.#watch, paths: () => this.#paths };
    const write = (content: string, end: AbortSignal) => this.#records.writeValue(id, content, end);
    const outcome = await measureChange(parts, this.#value, write, limitMs, signal);
    metrics.countChange(outcome.result, outcome.seconds);
    return outcome;
  }

  /** Makes one challenge. @throws Error before the zone was read */
  async challenge(signal: AbortSignal): Promise<ChallengeOutcome> {
    const { clock, metrics } = this.#options;
    const parts = { clock, watch: this.#watch, paths: () => this.#paths };
    const outcome = await measureChallenge(parts, this.#challenge, this.#records, this.#knownZone().id, signal);
    metrics.countChallenge(outcome.result, outcome.seconds);
    return outcome;
  }

  /** Removes the records. Never throws: the next process with the name writes over them. */
  async cleanUp(): Promise<void> {
    if (this.#zone === null) return;
    const limit = deadline(this.#options.clock, CLEAN_UP_MS);
    try {
      await this.#records.removeAll(this.#zone.id, limit.signal);
    } catch (error) {
      this.#options.log.warn({ err: this.explain(error) }, 'failed to remove the records of the canary');
    } finally {
      limit.clear();
    }
  }

  /** @throws Error before the zone was read */
  #knownZone(): CanaryZone {
    if (this.#zone === null) throw new Error('the canary does not know its zone yet');
    return this.#zone;
  }

  async #refreshZone(signal: AbortSignal): Promise<void> {
    if (this.#options.clock.now() - this.#zoneReadAt < ZONE_AGAIN_MS) return;
    await this.#readZone(signal);
  }

  async #readZone(signal: AbortSignal): Promise<RunOutcome> {
    try {
      await this.prepare(signal);
      return this.#tell('zone', null, 'the canary reads its zone again');
    } catch (error) {
      signal.throwIfAborted();
      return this.#tell('zone', error, 'the canary cannot read its zone; it queries the addresses that it knows');
    }
  }

  async #runChange(signal: AbortSignal): Promise<RunOutcome> {
    // A service that never told the zone cannot take a change either.
    if (this.#zone === null) await this.#readZone(signal);
    if (this.#zone === null) {
      this.#options.metrics.countChange('failed', null);
      return { isFailure: true, retryAfterMs: 0 };
    }
    const { result, latePaths, error } = await this.change(signal);
    this.#tellLate('late', latePaths);
    if (result !== 'failed') return this.#tell('change', null, 'the service takes changes of the canary again');
    // The zone may be another one of the same name.
    await this.#refreshZone(signal);
    return this.#tell('change', error, 'the service did not make the change of the canary; trying again');
  }

  async #runChallenge(signal: AbortSignal): Promise<RunOutcome> {
    if (this.#zone === null) {
      this.#options.metrics.countChallenge('failed', null);
      return DONE;
    }
    const { latePaths, error } = await this.challenge(signal);
    this.#tellLate('late challenge', latePaths);
    this.#tell('challenge', error, 'the challenge of the canary failed');
    // The next one is minutes away.
    return DONE;
  }

  #tellLate(kind: string, latePaths: readonly Path[]): void {
    const text = latePaths.map(({ address, transport }) => `${address} over ${transport.toUpperCase()}`).join(', ');
    const problem = text === '' ? null : `${text}: no answer with the change within the limit`;
    this.#tellProblem(kind, problem, 'all addresses answer changes in time again');
  }

  /** The reason of the first answer that is not right. */
  #tellAnswers({ address, transport }: Path, { keys, soa, value }: PathVerdicts): void {
    const place = `${address} over ${transport.toUpperCase()}`;
    const problem = keys.problem ?? soa.problem ?? value?.problem ?? null;
    const text = problem === null ? null : `${place} ${problem}`;
    this.#tellProblem(place, text, `${place} answers right again`);
  }

  /** Logs a problem of the name servers when it begins, changes or ends. @param problem null: there is none */
  #tellProblem(kind: string, problem: string | null, end: string): void {
    const before = this.#problems.get(kind) ?? null;
    if (problem === before) return;
    if (problem === null) {
      this.#problems.delete(kind);
      this.#options.log.info(end);
    } else {
      this.#problems.set(kind, problem);
      this.#options.log.warn({ problem }, 'the name servers do not answer as they should');
    }
  }

  /** Logs a problem with the service when it begins, changes or ends. @param error null for a success */
  #tell(kind: string, error: unknown, message: string): RunOutcome {
    const before = this.#problems.get(kind);
    if (error === null) {
      this.#problems.delete(kind);
      if (before !== undefined) this.#options.log.info(message);
      return DONE;
    }
    const { message: text } = this.explain(error);
    this.#problems.set(kind, text);
    if (before !== text) this.#options.log.error({ reason: text }, message);
    return { isFailure: true, retryAfterMs: error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0 };
  }

  /** The failure of a call with its remedy. */
  explain(error: unknown): Error {
    const { zone, name } = this.#options;
    return explainFailure(error, { zone, name });
  }
}

function isOf(names: readonly string[]): (server: { name: string }) => boolean {
  return ({ name }) => names.includes(name);
}
