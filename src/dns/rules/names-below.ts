/**
 * The names below those that may become a delegation or a redirection: the names that the caller loaded, and the
 * changes of a request since then. Each change costs as much as its name has labels.
 */

/** The names strictly below a name. */
export interface NamesBelow {
  /** The name itself, as an ordername. */
  under: string;
  /** The first names below it, in order, with how many records each has. */
  names: { name: string; ordername: string; count: number }[];
  /** The number of records at all names below. */
  total: number;
}

interface Growth {
  name: string;
  ordername: string;
  count: number;
}

/** The growth below one name. */
interface Tally {
  total: number;
  names: Map<string, Growth>;
}

export class BelowNames {
  readonly #loaded = new Map<string, NamesBelow>();
  /** The number of records that were added to (or removed from) a name since then. */
  readonly #growth = new Map<string, Growth>();
  readonly #tallies = new Map<string, Tally>();

  add(entries: readonly NamesBelow[]): void {
    for (const entry of entries) this.#loaded.set(entry.under, entry);
  }

  /** The growth below these names is counted from now on, so that a question about them costs little. */
  watch(ordernames: Iterable<string>): void {
    const addedNames = [...ordernames].filter((each) => !this.#tallies.has(each));
    if (addedNames.length === 0) return;
    for (const each of addedNames) this.#tallies.set(each, { total: 0, names: new Map() });
    const newNames = new Set(addedNames);
    for (const growth of this.#growth.values())
      for (const above of namesAbove(growth.ordername))
        if (newNames.has(above)) this.#tally(above, growth, growth.count);
  }

  grow({ name, ordername }: { name: string; ordername: string }, by: number): void {
    const growth = this.#growth.get(ordername) ?? { name, ordername, count: 0 };
    growth.count += by;
    this.#growth.set(ordername, growth);
    if (this.#tallies.size === 0) return;
    for (const above of namesAbove(ordername)) if (this.#tallies.has(above)) this.#tally(above, growth, by);
  }

  totalBelow(ordername: string): number {
    this.watch([ordername]);
    return (this.#loaded.get(ordername)?.total ?? 0) + (this.#tallies.get(ordername)?.total ?? 0);
  }

  /** The first names, in order, that have records and are not among `but`. */
  firstBelow(ordername: string, limit: number, but: ReadonlySet<string>): string[] {
    this.watch([ordername]);
    const grown = this.#tallies.get(ordername)?.names ?? new Map<string, Growth>();
    const first: Growth[] = [];
    const add = (entry: Growth) => {
      if (entry.count <= 0 || but.has(entry.name)) return;
      const place = first.findIndex((each) => entry.ordername < each.ordername);
      first.splice(place < 0 ? first.length : place, 0, entry);
      if (first.length > limit) first.pop();
    };
    const loadedNames = new Set<string>();
    for (const entry of this.#loaded.get(ordername)?.names ?? []) {
      loadedNames.add(entry.ordername);
      add({ ...entry, count: entry.count + (grown.get(entry.ordername)?.count ?? 0) });
    }
    for (const entry of grown.values()) if (!loadedNames.has(entry.ordername)) add(entry);
    return first.map(({ name }) => name);
  }

  #tally(above: string, { name, ordername }: Growth, by: number): void {
    const tally = this.#tallies.get(above);
    if (tally === undefined) return;
    tally.total += by;
    const entry = tally.names.get(ordername) ?? { name, ordername, count: 0 };
    entry.count += by;
    tally.names.set(ordername, entry);
  }
}

/** The ordernames strictly above one: the apex first. */
function* namesAbove(ordername: string): Generator<string> {
  if (ordername === '') return;
  yield '';
  for (let at = ordername.indexOf(' '); at >= 0; at = ordername.indexOf(' ', at + 1)) yield ordername.slice(0, at);
}
