// The names that were applied at the latest version of a zone. The feed may say a change more than once; a name that is
// applied again at the same version would only make a new serial.

interface Applied {
  readonly version: string;
  /** Null: the whole zone. */
  readonly names: Set<string> | null;
}

const MAX_ZONES = 1_000;
const MAX_NAMES = 1_000;

export class RecentNames {
  readonly #zones = new Map<string, Applied>();

  /** @param names null: the whole zone */
  applied(zone: string, version: string, names: Iterable<string> | null): void {
    const before = this.#zones.get(zone);
    this.#zones.delete(zone);
    const isSame = before?.version === version;
    if (isSame && before.names === null) this.#zones.set(zone, before);
    else
      this.#zones.set(zone, { version, names: names && new Set([...(isSame ? (before.names ?? []) : []), ...names]) });
    const size = this.#zones.get(zone)?.names?.size ?? 0;
    if (size > MAX_NAMES) this.#zones.delete(zone);
    const [oldest] = this.#zones.keys();
    if (this.#zones.size > MAX_ZONES && oldest !== undefined) this.#zones.delete(oldest);
  }

  has(zone: string, version: string, name: string): boolean {
    const appliedChange = this.#zones.get(zone);
    return appliedChange?.version === version && (appliedChange.names === null || appliedChange.names.has(name));
  }

  forget(zone: string): void {
    this.#zones.delete(zone);
  }
}
