// A name server in memory: it learns from the changes alone which names to render, and applies them to its copy of all
// zones.
import { addToDigest, EMPTY_DIGEST, type ServedSet } from '#dns/served.ts';
import type { ServedSource, ZoneHead } from '#service/nodes/source.ts';

export interface HeldZone {
  head: ZoneHead;
  /** By name and type. */
  sets: ReadonlyMap<string, ServedSet>;
}

const { signal } = new AbortController();
const keyOf = ({ name, type }: ServedSet) => `${name} ${type}`;

export class Follower {
  readonly zones = new Map<string, HeldZone>();
  readonly #source: ServedSource;
  readonly #remembers: boolean;
  #cursor = 'none:0';
  #seen: string | undefined;

  /** @param remembers whether each look tells what the look before has seen */
  constructor(source: ServedSource, remembers: boolean) {
    this.#source = source;
    this.#remembers = remembers;
  }

  async follow(): Promise<void> {
    const found = await this.#source.changesSince(this.#cursor, this.#seen);
    if (found === null) return this.#startAgain();
    for (const change of found.changes) {
      if (change.kind === 'all') await this.#reloadAll();
      else if (change.kind === 'gone') this.zones.delete(change.zoneId);
      else if (change.names === null) await this.#reload(change.zoneId);
      else await this.#apply(change.zoneId, change.names);
    }
    this.#cursor = found.cursor;
    this.#seen = this.#remembers ? found.seen : undefined;
  }

  async #startAgain(): Promise<void> {
    this.#cursor = await this.#source.position();
    this.#seen = undefined;
    this.zones.clear();
    await this.#reloadAll();
  }

  async #reloadAll(): Promise<void> {
    for (const { id } of await listHeads(this.#source)) await this.#reload(id);
  }

  async #reload(zoneId: string): Promise<void> {
    const zone = await readZone(this.#source, zoneId);
    if (zone === null) this.zones.delete(zoneId);
    else this.zones.set(zoneId, zone);
  }

  async #apply(zoneId: string, names: readonly string[]): Promise<void> {
    const rendered = await this.#source.render(zoneId, names);
    if (rendered === null) return void this.zones.delete(zoneId);
    const changed = new Set(names);
    const others = [...(this.zones.get(zoneId)?.sets.values() ?? [])].filter(({ name }) => !changed.has(name));
    const sets = [...others, ...rendered.sets];
    this.zones.set(zoneId, { head: rendered.head, sets: new Map(sets.map((set) => [keyOf(set), set])) });
  }
}

export async function listHeads(source: ServedSource): Promise<ZoneHead[]> {
  const heads: ZoneHead[] = [];
  for await (const page of source.list(signal)) heads.push(...page);
  return heads;
}

/** The whole zone. @throws when it has two RRsets of one name and type */
export async function readZone(source: ServedSource, zoneId: string): Promise<HeldZone | null> {
  const zone = await source.zone(zoneId, signal);
  if (zone === null) return null;
  const sets = new Map<string, ServedSet>();
  for await (const page of zone.pages) {
    for (const set of page) {
      if (sets.has(keyOf(set))) throw new Error(`${keyOf(set)} is rendered twice`);
      sets.set(keyOf(set), set);
    }
  }
  return { head: zone.head, sets };
}

export function computeZoneDigest({ sets }: HeldZone): string {
  return addToDigest(EMPTY_DIGEST, sets.values());
}
