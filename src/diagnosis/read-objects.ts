// Reads the objects that `kubectl zonestead` shows: all of a namespace, the tree of a zone, or one object with those
// that explain it.
import type { KubeObject, ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { isGap, type KubeReader, type Listed } from './kube-reader.ts';
import { withLimit } from './limit.ts';
import { type Named, namedIn } from './next-step.ts';
import { objectsToRepair } from './object-checks.ts';
import { conditionsOf, isZone, namespaceOf, type Shown } from './objects.ts';

const LIMIT_MS = 120_000;

/** An object that is shown, or the sentence why it is not. */
export type ShownObject = { readonly object: Shown } | { readonly problem: string };

/** One object, and the objects that explain its state. */
export interface ObjectFacts {
  readonly object: Shown;
  /** The zone of a record; undefined for a zone. */
  readonly zone: ShownObject | undefined;
  /** The objects that conditions which are not True name, in their order. */
  readonly named: readonly (ShownObject & { readonly key: Named })[];
}

export interface ZoneFacts {
  readonly zone: DNSZone;
  readonly records: readonly DNSRecord[];
  /** Sentences about rights that are missing. */
  readonly notes: readonly string[];
}

export interface StatusOverview {
  readonly zones: readonly DNSZone[];
  readonly records: readonly DNSRecord[];
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Sentences about rights that are missing. */
  readonly notes: readonly string[];
}

const TYPES: Readonly<Record<string, ResourceType>> = Object.fromEntries(
  [DNS_ZONE, DNS_RECORD].flatMap((type) => {
    const singular = type.kind.toLowerCase();
    const names = [
      ...type.shortNames,
      singular,
      type.plural,
      `${singular}.${type.group}`,
      `${type.plural}.${type.group}`,
    ];
    return [...names, type === DNS_ZONE ? 'zone' : 'record'].map((name) => [name, type]);
  }),
);

/**
 * @param namespace undefined: all
 * @throws Error in one sentence
 */
export function readOverview(
  reader: KubeReader,
  namespace: string | undefined,
  caller: AbortSignal,
): Promise<StatusOverview> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const zones = await list<DNSZone>(reader, DNS_ZONE, namespace, signal);
    const records = await list<DNSRecord>(reader, DNS_RECORD, namespace, signal);
    const notes = [zones, records].flatMap(({ gap }) => (gap === undefined ? [] : [gap.problem]));
    return { zones: zones.items, records: records.items, namespace, notes };
  });
}

/**
 * @param name a DNSZone, or the name of its zone in DNS
 * @param namespace undefined: all
 * @throws Error in one sentence
 */
export function readTrees(
  reader: KubeReader,
  name: string,
  namespace: string | undefined,
  caller: AbortSignal,
): Promise<ZoneFacts[]> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const word = name.replace(/^[^/]*\//, '');
    const { items, gap } = await list<DNSZone>(reader, DNS_ZONE, namespace, signal);
    const zones = items.filter(({ metadata, spec }) => [metadata.name, spec.zoneName].includes(word));
    if (zones.length === 0) throw new Error(gap?.problem ?? unknownName(word, placeOf(namespace), items));
    return Promise.all(zones.map((zone) => readTree(reader, zone, signal)));
  });
}

async function readTree(reader: KubeReader, zone: DNSZone, signal: AbortSignal): Promise<ZoneFacts> {
  const key = `${namespaceOf(zone)}/${zone.metadata.name}`;
  const everywhere = await list<DNSRecord>(reader, DNS_RECORD, undefined, signal);
  const { items, gap } =
    everywhere.gap === undefined ? everywhere : await list<DNSRecord>(reader, DNS_RECORD, namespaceOf(zone), signal);
  const records = items.filter((record) => zoneKeyOf(record) === key);
  if (gap !== undefined) return { zone, records, notes: [gap.problem] };
  if (everywhere.gap === undefined) return { zone, records, notes: [] };
  return { zone, records, notes: [`${everywhere.gap.problem} Records of other namespaces are missing here.`] };
}

/**
 * @param words NAME, KIND/NAME, or both as two words
 * @param namespace undefined: all
 * @throws Error in one sentence
 */
export function readObjects(
  reader: KubeReader,
  words: readonly string[],
  namespace: string | undefined,
  caller: AbortSignal,
): Promise<ObjectFacts[]> {
  return withLimit(LIMIT_MS, caller, async (signal) => {
    const objects = await findObjects(reader, words.join('/'), namespace, signal);
    return Promise.all(objects.map((object) => readAround(reader, object, signal)));
  });
}

/** The first object to repair, and how many others there are. */
export interface FirstFacts {
  /** Undefined: all objects are Ready. */
  readonly first: ObjectFacts | undefined;
  /** The objects that are not Ready, the first one included. */
  readonly open: number;
  /** All objects. */
  readonly total: number;
  /** Sentences about rights that are missing. */
  readonly notes: readonly string[];
}

/**
 * @param namespace undefined: all
 * @throws Error in one sentence
 */
export async function readFirstToRepair(
  reader: KubeReader,
  namespace: string | undefined,
  caller: AbortSignal,
): Promise<FirstFacts> {
  const { zones, records, notes } = await readOverview(reader, namespace, caller);
  const objects = objectsToRepair({ zones, records });
  const [object] = objects;
  const first =
    object === undefined
      ? undefined
      : await withLimit(LIMIT_MS, caller, (signal) => readAround(reader, object, signal));
  return { first, open: objects.length, total: zones.length + records.length, notes };
}

async function findObjects(
  reader: KubeReader,
  word: string,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Shown[]> {
  const [, kind, name = ''] = /^(?:([^/]+)\/)?([^/]+)$/.exec(word) ?? [];
  const type = kind === undefined ? undefined : TYPES[kind.toLowerCase()];
  if (name === '' || (kind !== undefined && type === undefined))
    throw new Error(`${word} is not an object: give NAME, dnszone/NAME or dnsrecord/NAME.`);
  const types = type === undefined ? [DNS_ZONE, DNS_RECORD] : [type];
  const lists = await Promise.all(types.map((each) => list<Shown>(reader, each, namespace, signal)));
  const all = lists.flatMap(({ items }) => items);
  const objects = all.filter(({ metadata }) => metadata.name === name);
  if (objects.length > 0) return objects;
  const gap = lists.find((each) => each.gap !== undefined)?.gap;
  throw new Error(gap?.problem ?? unknownName(name, placeOf(namespace), all));
}

const placeOf = (namespace: string | undefined) =>
  namespace === undefined ? 'any namespace' : `namespace ${namespace}`;

async function readAround(reader: KubeReader, object: Shown, signal: AbortSignal): Promise<ObjectFacts> {
  const [namespace = '', name = ''] = isZone(object) ? [] : zoneKeyOf(object).split('/');
  const zone = isZone(object) ? undefined : await readShown(reader, { kind: 'DNSZone', namespace, name }, signal);
  const messages = conditionsOf(object).flatMap(({ status, message }) => (status === 'True' ? [] : [message]));
  const isShown = (key: Named) => key.kind === 'DNSZone' && key.namespace === namespace && key.name === name;
  const keys = namedIn(messages.join('\n'), object).filter((key) => !isShown(key));
  const named = await Promise.all(keys.map(async (key) => ({ key, ...(await readShown(reader, key, signal)) })));
  return { object, zone, named };
}

async function readShown(
  reader: KubeReader,
  { kind, namespace, name }: Named,
  signal: AbortSignal,
): Promise<ShownObject> {
  const read = await reader.get<Shown>(kind === 'DNSZone' ? DNS_ZONE : DNS_RECORD, { namespace, name }, signal);
  if (!isGap(read)) return { object: read };
  if (read.gap === 'kind') throw new Error(read.problem);
  return { problem: read.problem };
}

/** @throws Error in one sentence if the cluster does not have the kind */
async function list<T extends KubeObject>(
  reader: KubeReader,
  type: ResourceType,
  namespace: string | undefined,
  signal: AbortSignal,
): Promise<Listed<T>> {
  const listed = await reader.list<T>(type, namespace, signal);
  if (listed.gap?.gap === 'kind') throw new Error(listed.gap.problem);
  return listed;
}

/** The objects of a namespace that a name may mean, in a sentence, for a name that means none. */
export function unknownName(name: string, where: string, known: readonly Shown[]): string {
  const names = known.map((object) => object.metadata.name);
  const near = names.filter((each) => each.includes(name) || name.includes(each)).slice(0, 5);
  const hint = near.length > 0 ? ` Similar names are ${near.join(', ')}.` : '';
  return `No DNSZone or DNSRecord in ${where} has the name ${name}.${hint} "kubectl zonestead status" lists the objects.`;
}
