// The indexes of a cache: for each name, which keys have which value. It must not know what the values mean.

/** The values under which an object is found; none when it belongs in no group. Must be pure. */
export type IndexFunction<T> = (object: T) => readonly string[];

export class Indexes<T> {
  readonly #functions: Readonly<Record<string, IndexFunction<T>>>;
  readonly #values = new Map<string, Map<string, Set<string>>>();

  constructor(functions: Readonly<Record<string, IndexFunction<T>>>) {
    this.#functions = functions;
    for (const name of Object.keys(functions)) this.#values.set(name, new Map());
  }

  /** @throws {TypeError} when there is no index of that name. */
  keys(name: string, value: string): Iterable<string> {
    const index = this.#values.get(name);
    if (index === undefined) throw new TypeError(`There is no index ${name}`);
    return index.get(value) ?? [];
  }

  add(key: string, object: T): void {
    for (const [index, value] of this.#entries(object)) {
      const keys = index.get(value);
      if (keys === undefined) index.set(value, new Set([key]));
      else keys.add(key);
    }
  }

  /** `object` must be the one that was added under the key. */
  remove(key: string, object: T): void {
    for (const [index, value] of this.#entries(object)) {
      const keys = index.get(value);
      keys?.delete(key);
      if (keys?.size === 0) index.delete(value);
    }
  }

  rebuild(objects: ReadonlyMap<string, T>): void {
    for (const index of this.#values.values()) index.clear();
    for (const [key, object] of objects) this.add(key, object);
  }

  *#entries(object: T): Generator<readonly [Map<string, Set<string>>, string]> {
    for (const [name, values] of Object.entries(this.#functions)) {
      const index = this.#values.get(name)!;
      for (const value of values(object)) yield [index, value];
    }
  }
}
