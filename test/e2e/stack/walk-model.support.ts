// The answers that DNS must give once everything has settled, from the changes of users and others. Written from the
// design and the RFCs alone: it imports nothing of the service or the operator.
export const NAMESPACES = ['a', 'b', 'c'] as const;
export type Namespace = (typeof NAMESPACES)[number];

/** Each in a namespace of its own; c has records only. */
export const ZONES = { one: 'a', two: 'b' } as const satisfies Record<string, Namespace>;
export type ZoneName = keyof typeof ZONES;
export const ZONE_NAMES = Object.keys(ZONES) as ZoneName[];

export type Type = 'A' | 'TXT' | 'CNAME';

export interface Wish {
  object: string;
  namespace: Namespace;
  zone: ZoneName;
  /** As the user spells it. */
  name: string;
  type: Type;
  contents: string[];
  /** The contents before edits. While the service refuses one value of an object, it keeps the values that it had. */
  earlier: string[];
}

/** A record that a client made over REST, by its id. */
export interface Foreign {
  zone: ZoneName;
  name: string;
  type: Type;
  content: string;
}

/** The permissions of a zone for other namespaces. */
export interface Grant {
  from: readonly Namespace[];
  names?: readonly string[];
  types?: readonly Type[];
}

export class Model {
  readonly wishes = new Map<string, Wish>();
  readonly foreign = new Map<string, Foreign>();
  readonly grants = new Map<ZoneName, Grant | null>();
  readonly parked = new Set<ZoneName>();

  /** A zone's own namespace may everything; others what a grant says. */
  permits({ zone, namespace, name, type }: Wish): boolean {
    if (ZONES[zone] === namespace) return true;
    const grant = this.grants.get(zone);
    if (!grant) return false;
    const { from, names, types } = grant;
    return from.includes(namespace) && (names?.includes(name.toLowerCase()) ?? true) && (types?.includes(type) ?? true);
  }

  /**
   * The contents of an RRset, each once in any spelling (RFC 4343): the values of other owners and of the permitted
   * objects that nothing conflicts with, and those that DNS may have besides. Objects that conflict are served as a
   * whole or not at all. A CNAME has only one value (RFC 1034 section 3.6.2): these are the possible ones.
   */
  contents(zone: ZoneName, name: string, type: Type): { must: Set<string>; may: Set<string> } {
    if (this.parked.has(zone)) return { must: new Set(), may: new Set() };
    const isIt = (one: Pick<Wish, 'zone' | 'name' | 'type'>) =>
      one.zone === zone && one.name.toLowerCase() === name && one.type === type;
    const wanted = [...this.wishes.values()].filter((wish) => isIt(wish) && this.permits(wish));
    const others = [...this.foreign.values()].filter(isIt);
    const foreign = others.map(({ content }) => content);
    const [undisputed, disputed] = [true, false].map((is) => wanted.filter((wish) => this.isUndisputed(wish) === is));
    const must = new Set([...foreign, ...(undisputed ?? []).flatMap(({ contents }) => contents)]);
    const possible = (disputed ?? []).flatMap(({ contents, earlier }) => [...contents, ...earlier]);
    return { must, may: new Set([...must, ...possible]) };
  }

  /** Whether nothing conflicts with the object: no other object wants its value, and no other owner created it. */
  isUndisputed(wish: Wish): boolean {
    const same = (one: Pick<Wish, 'zone' | 'name' | 'type'>) =>
      one.zone === wish.zone && one.name.toLowerCase() === wish.name.toLowerCase() && one.type === wish.type;
    const overlaps = (contents: string[]) =>
      wish.type === 'CNAME' || contents.some((content) => wish.contents.includes(content));
    const rivals = [...this.wishes.values()].filter((one) => one !== wish && same(one) && this.permits(one));
    const others = [...this.foreign.values()].filter(same);
    return !rivals.some(({ contents }) => overlaps(contents)) && !others.some(({ content }) => overlaps([content]));
  }
}
