// A name server in memory that causes faults: refused zones, errors in the middle, slow commits, lost contents, foreign
// edits. Real zones are served by Knot in the integration tests.

import { DEFAULT_DENIAL, type Denial } from '#dns/dnssec/denial.ts';
import { isLater } from '#dns/serial.ts';
import type { ServedSet } from '#dns/served.ts';
import {
  type AddedZone,
  type EngineZone,
  type OnSignature,
  type ZoneChange,
  type ZoneDenial,
  type ZoneEngine,
  ZoneLoading,
  type ZoneSoa,
} from '#nameserver/engine.ts';

interface HeldZone {
  /** That of the first key. */
  privateKey: string;
  denial: Denial;
  serial: number | null;
  soa: ZoneSoa | null;
  sets: Map<string, ServedSet>;
}

export class MemoryEngine implements ZoneEngine {
  readonly held = new Map<string, HeldZone>();
  /** The names of each commit. */
  readonly commits: { zone: string; names: readonly string[]; serial: number }[] = [];
  /** Zones whose commits are refused. */
  readonly refused = new Set<string>();
  /** Zones whose contents are not read from the journal yet. */
  readonly loading = new Set<string>();
  /** Zones whose journal cannot be read. */
  readonly unreadable = new Set<string>();
  /** When the signatures of a zone end, in s since 1970. */
  readonly signatureEnds = new Map<string, number[]>();
  /** Zones that were added, or that got a key, in the order of the calls. */
  readonly additions: AddedZone[] = [];
  isDown = false;
  /** Commits at work now, and the most there were. */
  atWork = 0;
  mostAtWork = 0;
  /** Called before each commit takes effect; may wait or throw. */
  beforeCommit: (zone: string) => Promise<void> = async () => undefined;
  /** Called after each commit took effect, before the answer; throws to lose the answer. */
  afterCommit: (zone: string) => Promise<void> = async () => undefined;

  /** Called before each change of a denial takes effect; may wait or throw. */
  beforeDenial: (zone: string) => Promise<void> = async () => undefined;

  async version(): Promise<string> {
    return 'Memory 1.0';
  }

  async zones(_signal: AbortSignal): Promise<EngineZone[]> {
    this.#up();
    return [...this.held].map(([name, { serial }]) => ({ name, serial: this.#isThere(name) ? serial : null }));
  }

  async add(zones: readonly AddedZone[], _signal: AbortSignal): Promise<void> {
    this.#up();
    this.additions.push(...zones);
    for (const { name, keys, denial = DEFAULT_DENIAL } of zones) {
      const privateKey = keys[0]?.privateKey ?? '';
      const held = this.held.get(name);
      if (held === undefined) this.held.set(name, { privateKey, denial, serial: null, soa: null, sets: new Map() });
      else held.privateKey = privateKey;
    }
  }

  async deny(name: string, { denial }: ZoneDenial, signal: AbortSignal): Promise<void> {
    await this.check(name, signal);
    await this.beforeDenial(name);
    const zone = this.held.get(name);
    if (zone === undefined) throw new Error(`no such zone: ${name}`);
    zone.denial = denial;
  }

  async remove(names: readonly string[], _signal: AbortSignal): Promise<void> {
    this.#up();
    for (const name of names) this.held.delete(name);
  }

  async finishKeys(): Promise<void> {
    this.#up();
  }

  async privateKeys(name: string, _signal: AbortSignal): Promise<string[]> {
    this.#up();
    const zone = this.held.get(name);
    if (zone === undefined) throw new Error(`no such zone: ${name}`);
    return [zone.privateKey];
  }

  async check(name: string, _signal: AbortSignal): Promise<void> {
    this.#up();
    if (this.loading.has(name)) throw new ZoneLoading(name);
  }

  async *read(name: string, signal: AbortSignal, onSignature?: OnSignature): AsyncGenerator<ServedSet[]> {
    await this.check(name, signal);
    for (const end of this.signatureEnds.get(name) ?? []) onSignature?.(end);
    const sets = [...(this.held.get(name)?.sets.values() ?? [])];
    for (let at = 0; at < sets.length; at += 2) yield sets.slice(at, at + 2);
  }

  async change(name: string, change: ZoneChange, _signal: AbortSignal): Promise<number> {
    this.#up();
    this.atWork += 1;
    this.mostAtWork = Math.max(this.mostAtWork, this.atWork);
    try {
      await this.beforeCommit(name);
      this.#up();
      if (this.loading.has(name)) throw new ZoneLoading(name);
      const zone = this.held.get(name);
      if (zone === undefined) throw new Error(`no such zone: ${name}`);
      if (this.refused.has(name)) throw new Error('semantic check');
      if (zone.serial === null && change.soa === undefined) throw new Error('the zone has no SOA');
      for (const [key, { name: owner }] of zone.sets) if (change.names.includes(owner)) zone.sets.delete(key);
      for (const set of change.sets) zone.sets.set(`${set.name} ${set.type}`, set);
      this.unreadable.delete(name);
      zone.soa = change.soa ?? zone.soa;
      const { serial } = zone;
      zone.serial = serial === null || isLater(change.serial, serial) ? change.serial : serial + 1;
      this.commits.push({ zone: name, names: change.names, serial: zone.serial });
      const served = zone.serial;
      await this.afterCommit(name);
      return served;
    } finally {
      this.atWork -= 1;
    }
  }

  /** An edit that did not come from the node. */
  edit(zone: string, set: ServedSet): void {
    const held = this.held.get(zone);
    if (held === undefined) throw new Error(`no such zone: ${zone}`);
    held.sets.set(`${set.name} ${set.type}`, set);
    held.serial = (held.serial ?? 0) + 1;
  }

  /** The RRsets of all zones, for a comparison with the api. */
  contents(): Record<string, string[]> {
    return listContents([...this.held].map(([name, { sets }]) => [name, sets.values()]));
  }

  #isThere(name: string): boolean {
    return !this.loading.has(name) && !this.unreadable.has(name);
  }

  #up(): void {
    if (this.isDown) throw new Error('connect ENOENT knot.sock');
  }
}

/** Sorted text of each RRset by zone. */
export function listContents(zones: Iterable<readonly [string, Iterable<ServedSet>]>): Record<string, string[]> {
  const lines = [...zones].map(
    ([name, sets]) =>
      [name, [...sets].map((set) => JSON.stringify([set.name, set.type, set.ttl, set.rdata])).sort()] as const,
  );
  return Object.fromEntries(lines.sort(([one], [other]) => (one < other ? -1 : 1)));
}
