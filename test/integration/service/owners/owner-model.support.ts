// A model of owners: the records of one zone and who owns them, as the rules of the documentation say, in a few lines
// that share nothing with the service. A value is an IPv4 address, and a name has A records only.

export interface ModelSet {
  owner: string;
  name: string;
  values: string[];
  ttl: number;
  share: boolean;
  retain: boolean;
  drift: 'Enforce' | 'Report' | 'Ignore';
  adopt: boolean;
  exact: boolean;
}

interface Row {
  /** The TTL that the last writer gave it. */
  ttl: number;
  owners: Set<string>;
}

type Held = Pick<ModelSet, 'owner' | 'name' | 'values' | 'ttl' | 'share' | 'retain'>;

interface Copy {
  records: [string, Row][];
  held: [string, Held][];
}

export class OwnerModel {
  /** By `name value`. */
  readonly records = new Map<string, Row>();
  /** By `owner name`. */
  readonly held = new Map<string, Held>();

  /** @returns whether the set is accepted; if not, nothing changes */
  apply(set: ModelSet): boolean {
    const before = this.#copy();
    if (set.exact)
      for (const other of this.heldBy(set.owner)) if (other.name !== set.name) this.release(other.owner, other.name);
    const own = this.held.get(`${set.owner} ${set.name}`);
    const isSame = own !== undefined && own.ttl === set.ttl && sameValues(own.values, set.values);
    for (const value of set.values) {
      const row = this.records.get(`${set.name} ${value}`);
      if (!row) continue;
      const others = [...row.owners].filter((owner) => owner !== set.owner);
      const allShare = set.share && others.every((owner) => this.held.get(`${owner} ${set.name}`)?.share);
      const isOwn = row.owners.has(set.owner);
      const canAdopt = isSame || (set.adopt && row.ttl === set.ttl);
      if (others.length > 0 ? allShare : isOwn || canAdopt) continue;
      this.#restore(before);
      return false;
    }
    const { owner, name, values, ttl, share, retain } = set;
    this.held.set(`${owner} ${name}`, { owner, name, values, ttl, share, retain });
    if (isSame && set.drift !== 'Enforce') return true;
    for (const [key, row] of this.records)
      if (key.startsWith(`${name} `) && row.owners.has(owner) && !values.includes(key.slice(name.length + 1)))
        this.#leave(key, row, owner, false);
    for (const value of values) {
      const row = this.records.get(`${name} ${value}`) ?? { ttl, owners: new Set<string>() };
      row.owners.add(owner);
      row.ttl = Math.min(...[...row.owners].map((each) => this.held.get(`${each} ${name}`)?.ttl ?? ttl));
      this.records.set(`${name} ${value}`, row);
    }
    return true;
  }

  release(owner: string, name: string): void {
    const held = this.held.get(`${owner} ${name}`);
    this.held.delete(`${owner} ${name}`);
    if (!held) return;
    for (const [key, row] of this.records)
      if (key.startsWith(`${name} `) && row.owners.has(owner)) this.#leave(key, row, owner, held.retain);
  }

  heldBy(owner: string): Held[] {
    return [...this.held.values()].filter((held) => held.owner === owner);
  }

  /** Another writer creates, changes or deletes a record. @returns whether this is accepted */
  create(name: string, value: string, ttl: number): boolean {
    if (this.records.has(`${name} ${value}`)) return false;
    this.records.set(`${name} ${value}`, { ttl, owners: new Set() });
    return true;
  }

  change(name: string, from: string, to: string, ttl: number): boolean {
    const row = this.records.get(`${name} ${from}`);
    if (!row || (from !== to && this.records.has(`${name} ${to}`))) return false;
    this.records.delete(`${name} ${from}`);
    this.records.set(`${name} ${to}`, { ...row, ttl });
    return true;
  }

  remove(name: string, value: string): boolean {
    return this.records.delete(`${name} ${value}`);
  }

  /** Lines such as `www 192.0.2.1 60 [k8s:a]`, sorted. */
  lines(): string[] {
    return [...this.records].map(([key, { ttl, owners }]) => `${key} ${ttl} [${[...owners].sort().join()}]`).sort();
  }

  #leave(key: string, row: Row, owner: string, retain: boolean): void {
    row.owners.delete(owner);
    const [name = ''] = key.split(' ');
    if (row.owners.size > 0)
      row.ttl = Math.min(...[...row.owners].map((each) => this.held.get(`${each} ${name}`)?.ttl ?? row.ttl));
    else if (!retain) this.records.delete(key);
  }

  #copy(): Copy {
    const records = [...this.records].map(([key, row]): [string, Row] => [
      key,
      { ...row, owners: new Set(row.owners) },
    ]);
    return { records, held: [...this.held] };
  }

  #restore({ records, held }: Copy): void {
    this.records.clear();
    this.held.clear();
    for (const [key, row] of records) this.records.set(key, row);
    for (const [key, each] of held) this.held.set(key, each);
  }
}

function sameValues(one: string[], other: string[]): boolean {
  return [...one].sort().join() === [...other].sort().join();
}
