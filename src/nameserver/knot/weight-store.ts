// The weights of zones on the disk: as the api gave them, in one file for each zone that has some. They are written
// before the commit that they belong to, so a node that is killed finds them again, and applies to the module what fits
// the contents of the zone.
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameSet, type ServedSet } from '#dns/served.ts';
import type { ZoneChange } from '../engine.ts';
import type { KnotFolder } from './folder.ts';
import { replaceFile } from './replace-file.ts';
import { weightId } from './weights.ts';

/** RRsets with weights, by name and type. */
type Weighted = ReadonlyMap<string, ServedSet>;

const FILE = /^weights-[0-9a-f]{32}\.json(\.new)?$/;
const keyOf = ({ name, type }: Pick<ServedSet, 'name' | 'type'>) => `${name} ${type}`;

export class WeightStore {
  readonly #folder: KnotFolder;
  readonly #zones = new Map<string, Weighted>();

  constructor(folder: KnotFolder) {
    this.#folder = folder;
  }

  /** Keeps the weights of a change. @throws Error of the file system */
  async put(zone: string, { names, sets, whole }: Pick<ZoneChange, 'names' | 'sets' | 'whole'>): Promise<void> {
    const before = await this.read(zone);
    const changedNames = new Set(names);
    const keptSets = [...before.values()].filter(({ name }) => !changedNames.has(name) && (whole?.has(name) ?? true));
    const next = [...keptSets, ...sets.filter(({ weights }) => weights !== undefined)];
    const isSame =
      next.length === before.size &&
      next.every((set) => {
        const old = before.get(keyOf(set));
        return old !== undefined && isSameSet(old, set);
      });
    if (isSame) return;
    const text = JSON.stringify({ zone, sets: next });
    await replaceFile(this.#path(zone), text);
    this.#zones.set(zone, new Map(next.map((set) => [keyOf(set), set])));
  }

  /** The RRsets of a zone that have weights. */
  async read(zone: string): Promise<Weighted> {
    const known = this.#zones.get(zone);
    if (known !== undefined) return known;
    const path = this.#path(zone);
    const sets = existsSync(path) ? ((await readStored(path))?.sets ?? []) : [];
    const weighted = new Map(sets.map((set) => [keyOf(set), set]));
    this.#zones.set(zone, weighted);
    return weighted;
  }

  /** The zones that have a file. Files that no one can read are removed: the comparison with the api brings them back. */
  async zones(): Promise<string[]> {
    this.#zones.clear();
    const zones: string[] = [];
    for (const name of await readdir(this.#folder.storage)) {
      if (!FILE.test(name)) continue;
      const path = join(this.#folder.storage, name);
      const zone = (await readStored(path))?.zone;
      if (zone !== undefined && this.#path(zone) === path) zones.push(zone);
      else await rm(path, { force: true });
    }
    return zones;
  }

  async forget(zone: string): Promise<void> {
    await rm(this.#path(zone), { force: true });
    this.#zones.delete(zone);
  }

  #path(zone: string): string {
    return join(this.#folder.storage, `weights-${weightId(zone)}.json`);
  }
}

/** The RRset with the weights that belong to its records; without them if they belong to others. */
export function withWeights(set: ServedSet, weighted: Weighted): ServedSet {
  const stored = weighted.get(keyOf(set));
  if (stored === undefined || !isSameSet({ ...stored, weights: undefined }, set)) return set;
  return { ...set, weights: stored.weights };
}

async function readStored(path: string): Promise<{ zone: string; sets: ServedSet[] } | null> {
  try {
    return JSON.parse(await readFile(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
