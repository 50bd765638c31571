// Learns what the checks of DNSRecords say: one list of the checks of a team every few seconds, however many objects
// use them, and the addresses of a check only after its revision changed. A change runs the objects that depend on it;
// a run reads the state here. Then deletes the checks that no object needs (sweep.ts).
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import { isAbsent } from '#client/errors.ts';
import type { CallOptions } from '#client/http.ts';
import type { CheckView } from '#contract/checks.ts';
import { deleteCheck, getCheck, listChecks } from '#contract/operations/checks.ts';
import type { Cache } from '#kube/cache/store.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import type { Logger } from '#telemetry/log.ts';
import type { Holder } from '../cluster/seen-holder.ts';
import { BY_CHECKED, CHECKED } from './checked-index.ts';
import { KnownChecks, type ListedCheck } from './known.ts';
import { buildCheckName, isCheckOf } from './name.ts';
import { Leftovers } from './sweep.ts';

export interface CheckWatchOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly zones: Pick<Cache<DNSZone>, 'get' | 'list'>;
  readonly records: Pick<Cache<DNSRecord>, 'get' | 'byIndex'>;
  /** The name of this cluster; undefined until it is known. */
  cluster(): string | undefined;
  /** The namespaces that the operator watches; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  /** The holder of a zone; undefined while its key is not known. */
  holderOf(zone: DNSZone): Holder | undefined;
  /** The holder of the operator's own key, whose zones may all be gone. */
  own(signal: AbortSignal): Promise<Holder>;
  /** Whether the objects of this cluster are complete, so that a check without one is a leftover. */
  mayDelete(zone: DNSZone | undefined): boolean;
  enqueueRecord(key: string): void;
  /** The time between two lists, in ms. (Default: 5,000.) */
  readonly everyMs?: number | undefined;
}

interface Owner {
  holder: Holder;
  /** A zone of the owner; undefined: none is left. */
  zone: DNSZone | undefined;
  readonly leftovers: Leftovers;
  /** The next list also without an object that has a check, in ms of the clock. */
  listAt: number;
  /** The failure that was logged last; null after a success. */
  problem: string | null;
}

/** The keys of DNSRecords by the name of a check that they depend on. */
type Users = ReadonlyMap<string, readonly string[]>;

const EVERY_MS = 5_000;
/** How often an owner without such objects is asked for leftovers, in ms. */
const IDLE_MS = 10 * 60_000;
const LIMIT_MS = 5_000;

export class CheckWatch {
  readonly #options: CheckWatchOptions;
  readonly #owners = new Map<string, Owner>();
  /** By owner. A run may put a check before the first look. */
  readonly #known = new Map<string, KnownChecks>();
  /** The checks of the other records at the name and type of an object, by its key. */
  readonly #followed = new Map<string, readonly string[]>();

  constructor(options: CheckWatchOptions) {
    this.#options = options;
  }

  /** Null: the owner has no check of this name. Undefined: it is not known yet. */
  get(owner: string | undefined, name: string): CheckView | null | undefined {
    return this.#knownOf(owner).get(name);
  }

  /** A run has put the check. */
  learn(owner: string | undefined, view: CheckView): void {
    const known = this.#knownOf(owner);
    known.learn(view.name, view);
    known.hasOwn = true;
  }

  /** The service says that it has no such check. */
  forget(owner: string | undefined, name: string): void {
    this.#knownOf(owner).forget(name);
  }

  /** An object depends on these checks, too: they decide about the records next to its own. */
  follow(key: string, names: readonly string[]): void {
    this.#followed.set(key, names);
  }

  /** Records were released, or have another check, so a check of them can be deleted. */
  releasedAny(): void {
    for (const owner of this.#owners.values()) {
      if (!this.#knownOf(owner.holder.owner).hasOwn) continue;
      owner.leftovers.releasedAny();
      owner.listAt = this.#options.clock.now();
    }
  }

  /** Looks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, everyMs = EVERY_MS } = this.#options;
    while (!signal.aborted) {
      await this.look(signal);
      await sleep(clock, everyMs, signal).catch(() => undefined);
    }
  }

  /** Asks each owner once. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    await this.#meet(signal);
    const users = this.#users();
    await Promise.all(
      [...this.#owners].map(([name, owner]) => this.#lookAt(owner, users.get(name) ?? new Map(), signal)),
    );
  }

  /** Finds the owners of all zones, and that of the operator's key. */
  async #meet(signal: AbortSignal): Promise<void> {
    const { zones, holderOf, own } = this.#options;
    for (const owner of this.#owners.values()) owner.zone = undefined;
    for (const zone of zones.list()) {
      const holder = holderOf(zone);
      if (holder !== undefined) this.#note(holder).zone = zone;
    }
    const ownHolder = await own(signal).catch(() => undefined);
    if (ownHolder !== undefined && !this.#owners.has(ownHolder.owner)) this.#note(ownHolder);
  }

  /** @param owner undefined: the status of the zone does not have it yet */
  #knownOf(owner: string | undefined): KnownChecks {
    const name = owner ?? '';
    const known = this.#known.get(name) ?? new KnownChecks();
    this.#known.set(name, known);
    return known;
  }

  #note(holder: Holder): Owner {
    const knownOwner = this.#owners.get(holder.owner);
    if (knownOwner !== undefined) return Object.assign(knownOwner, { holder });
    const { clock } = this.#options;
    const leftovers = new Leftovers(clock);
    const newOwner: Owner = { holder, zone: undefined, leftovers, listAt: clock.now(), problem: null };
    this.#owners.set(holder.owner, newOwner);
    return newOwner;
  }

  /** By owner. */
  #users(): Map<string, Map<string, string[]>> {
    const { records, zones, cluster, holderOf } = this.#options;
    const usersByOwner = new Map<string, Map<string, string[]>>();
    const name = cluster();
    const keys = new Set<string>();
    for (const record of name === undefined ? [] : records.byIndex(BY_CHECKED, CHECKED)) {
      const key = keyOf(record);
      keys.add(key);
      const zone = zones.get(zoneKeyOf(record));
      const owner = zone && holderOf(zone)?.owner;
      if (owner === undefined || name === undefined) continue;
      const users = usersByOwner.get(owner) ?? new Map<string, string[]>();
      usersByOwner.set(owner, users);
      const ownCheck = record.spec.healthCheck?.checkRef ?? buildCheckName(name, key);
      for (const each of new Set([ownCheck, ...(this.#followed.get(key) ?? [])]))
        users.set(each, [...(users.get(each) ?? []), key]);
    }
    for (const key of this.#followed.keys()) if (!keys.has(key)) this.#followed.delete(key);
    return usersByOwner;
  }

  async #lookAt(owner: Owner, users: Users, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    if (users.size === 0 && clock.now() < owner.listAt && !owner.leftovers.isAnyDue()) return;
    try {
      const { client, owner: text } = owner.holder;
      const known = this.#knownOf(text);
      const before = new Map([...users.keys()].map((name) => [name, known.get(name)]));
      const options: CallOptions = { signal, timeoutMs: LIMIT_MS };
      const { checks } = await client.call(listChecks, { query: { owner: text } }, options);
      owner.listAt = clock.now() + IDLE_MS;
      const listedChecks = new Map(checks.map((check) => [check.name, check]));
      for (const [name, keys] of users)
        await this.#learn(owner, name, listedChecks.get(name), before.get(name), keys, options);
      known.keep(new Set(users.keys()));
      await this.#sweep(owner, [...listedChecks.keys()], options);
      owner.problem = null;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (!signal.aborted && owner.problem !== problem)
        log.warn({ err: error, owner: owner.holder.owner }, 'failed to read the health checks');
      owner.problem = problem;
    }
  }

  async #learn(
    { holder }: Owner,
    name: string,
    listed: ListedCheck | undefined,
    before: CheckView | null | undefined,
    keys: readonly string[],
    options: CallOptions,
  ): Promise<void> {
    if (listed !== undefined && listed.revision === before?.revision) return;
    const read = () => holder.client.call(getCheck, { params: { name }, query: { owner: holder.owner } }, options);
    const view = listed === undefined ? null : await read().catch(nullIfAbsent);
    const known = this.#knownOf(holder.owner);
    // A run put the check meanwhile.
    if (known.get(name) !== before || !known.learn(name, view)) return;
    for (const key of keys) this.#options.enqueueRecord(key);
  }

  async #sweep(owner: Owner, listedNames: readonly string[], options: CallOptions): Promise<void> {
    const { cluster, namespaces, mayDelete } = this.#options;
    const name = cluster();
    if (name === undefined || !mayDelete(owner.zone)) return;
    const { client, owner: text } = owner.holder;
    const isNeeded = (check: string) => this.#users().get(text)?.has(check) === true;
    const ownNames = listedNames.filter((each) => isCheckOf(each, name, namespaces));
    this.#knownOf(text).hasOwn = ownNames.length > 0;
    const leftovers = ownNames.filter((each) => !isNeeded(each));
    const remove = (check: string) =>
      client.call(deleteCheck, { params: { name: check }, query: { owner: text } }, options);
    await owner.leftovers.remove(leftovers, isNeeded, remove);
  }
}

function nullIfAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}
