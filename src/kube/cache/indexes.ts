// The indexes of a cache: for each index, the keys that have a value. Most values have one key (an id, a name), and a
// Set for each of them would be a large part of the memory of a small object, so a single key is stored without a Set.

/** The values under which an object is found; none when the object belongs to no group. Must be pure. */
export type IndexFunction<T> = (object: T) => readonly string[];

type Keys = string | Set<string>;

export class Indexes<T> {
  readonly #functions: readonly (readonly [IndexFunction<T>, Map<string, Keys>])[];
  readonly #values = new Map<string, Map<string, Keys>>();

  constructor(functions: Readonly<Record<string, IndexFunction<T>>>) {
    this.#functions = Object.entries(functions).map(([name, values]) => {
      const index = new Map<string, Keys>();
      this.#values.set(name, index);
      return [values, index];
    });
  }

  /** @throws {TypeError} when there is no index of that name. */
  keys(name: string, value: string): Iterable<string> {
    const index = this.#values.get(name);
    if (index === undefined) throw new TypeError(`There is no index ${name}`);
    const keys = index.get(value);
    if (keys === undefined) return [];
    return typeof keys === 'string' ? [keys] : keys;
  }

  add(key: string, object: T): void {
    for (const [values, index] of this.#functions) {
      for (const value of values(object)) {
        const keys = index.get(value);
        if (keys === undefined) index.set(value, key);
        else if (typeof keys !== 'string') keys.add(key);
        else if (keys !== key) index.set(value, new Set([keys, key]));
      }
    }
  }

  /** `object` must be the one that was added under the key. */
  remove(key: string, object: T): void {
    for (const [values, index] of this.#functions) {
      for (const value of values(object)) {
        const keys = index.get(value);
        if (typeof keys === 'object') {
          keys.delete(key);
          if (keys.size === 0) index.delete(value);
        } else if (keys === key) index.delete(value);
      }
    }
  }

  rebuild(objects: ReadonlyMap<string, T>): void {
    for (const [, index] of this.#functions) index.clear();
    for (const [key, object] of objects) this.add(key, object);
  }
}
