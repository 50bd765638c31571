// Runs the three commands of the plugin: reads objects, and prints the sections that pure functions make of them.
import type { ResourceType } from '#kube/objects/resource.ts';
import { DNS_RECORD, type DNSRecord } from '#resources/dnsrecord.ts';
import { DNS_ZONE, type DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { type ClusterReader, type ContextOptions, withReader } from './cluster.ts';
import { type Named, namedIn } from './next-step.ts';
import { conditionsOf, isZone, namespaceOf, type Shown } from './objects.ts';
import { printSections, type Section } from './sections.ts';
import { statusSections } from './status.ts';
import { treeSections } from './tree.ts';
import { type Facts, type ShownObject, unknownName, whySections } from './why.ts';

export interface PluginContext {
  /** The setting KUBECONFIG. */
  readonly kubeconfig: string | undefined;
  readonly print: (line: string) => void;
  readonly signal: AbortSignal;
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

/** @throws Error in one sentence */
export function runStatus(options: ContextOptions, around: PluginContext): Promise<void> {
  return show(options, around, async (reader) => {
    const namespace = options.allNamespaces ? undefined : reader.namespace;
    const zones = await reader.list<DNSZone>(DNS_ZONE, namespace);
    const records = await reader.list<DNSRecord>(DNS_RECORD, namespace);
    const notes = [zones.note, records.note].filter((note) => note !== undefined);
    return statusSections({ zones: zones.items, records: records.items, namespace, notes });
  });
}

/** @param name a DNSZone, or the name of its zone in DNS @throws Error in one sentence */
export function runTree(name: string, options: ContextOptions, around: PluginContext): Promise<void> {
  return show(options, around, async (reader) => {
    const where = options.allNamespaces ? undefined : reader.namespace;
    const word = name.replace(/^[^/]*\//, '');
    const { items, note } = await reader.list<DNSZone>(DNS_ZONE, where);
    const zones = items.filter(({ metadata, spec }) => [metadata.name, spec.zoneName].includes(word));
    if (zones.length === 0) throw new Error(note ?? unknownName(word, placeOf(where), items));
    const trees = await Promise.all(zones.map((zone) => treeOf(reader, zone)));
    return trees.flat();
  });
}

async function treeOf(reader: ClusterReader, zone: DNSZone): Promise<Section[]> {
  const key = `${namespaceOf(zone)}/${zone.metadata.name}`;
  const everywhere = await reader.list<DNSRecord>(DNS_RECORD, undefined);
  const { items, note } =
    everywhere.note === undefined ? everywhere : await reader.list<DNSRecord>(DNS_RECORD, namespaceOf(zone));
  const records = items.filter((record) => zoneKeyOf(record) === key);
  const partial = `${everywhere.note} Records of other namespaces are missing here.`;
  return treeSections({ zone, records, notes: note === undefined ? (everywhere.note ? [partial] : []) : [note] });
}

/** @param words NAME, KIND/NAME, or both as two words @throws Error in one sentence */
export function runWhy(words: readonly string[], options: ContextOptions, around: PluginContext): Promise<void> {
  if (words.length === 0)
    throw new Error(
      'name an object, for example "kubectl zonestead why zdr/www"; "kubectl zonestead status" lists those that are not Ready',
    );
  return show(options, around, async (reader) => {
    const objects = await find(reader, words.join('/'), options.allNamespaces === true);
    const sections = await Promise.all(objects.map(async (object) => whySections(await factsOf(reader, object))));
    return sections.flat();
  });
}

async function find(reader: ClusterReader, word: string, everywhere: boolean): Promise<Shown[]> {
  const [, kind, name = ''] = /^(?:([^/]+)\/)?([^/]+)$/.exec(word) ?? [];
  const type = kind === undefined ? undefined : TYPES[kind.toLowerCase()];
  if (name === '' || (kind !== undefined && type === undefined))
    throw new Error(`${word} is not an object: give NAME, dnszone/NAME or dnsrecord/NAME.`);
  const where = everywhere ? undefined : reader.namespace;
  const types = type === undefined ? [DNS_ZONE, DNS_RECORD] : [type];
  const lists = await Promise.all(types.map((each) => reader.list<Shown>(each, where)));
  const known = lists.flatMap(({ items }) => items);
  const found = known.filter(({ metadata }) => metadata.name === name);
  if (found.length > 0) return found;
  const note = lists.find((list) => list.note !== undefined)?.note;
  throw new Error(note ?? unknownName(name, placeOf(where), known));
}

const placeOf = (namespace: string | undefined) =>
  namespace === undefined ? 'any namespace' : `namespace ${namespace}`;

async function factsOf(reader: ClusterReader, object: Shown): Promise<Facts> {
  const [namespace = '', name = ''] = isZone(object) ? [] : zoneKeyOf(object).split('/');
  const zone = isZone(object) ? undefined : await lookAt(reader, { kind: 'DNSZone', namespace, name });
  const messages = conditionsOf(object).flatMap(({ status, message }) => (status === 'True' ? [] : [message]));
  const isShown = (key: Named) => key.kind === 'DNSZone' && key.namespace === namespace && key.name === name;
  const keys = namedIn(messages.join('\n'), object).filter((key) => !isShown(key));
  const named = await Promise.all(keys.map(async (key) => ({ key, ...(await lookAt(reader, key)) })));
  return { object, zone, named };
}

async function lookAt(reader: ClusterReader, { kind, namespace, name }: Named): Promise<ShownObject> {
  const object = await reader.get<Shown>(kind === 'DNSZone' ? DNS_ZONE : DNS_RECORD, namespace, name);
  if (object === null) return { problem: `${kind} ${namespace}/${name} does not exist.` };
  return typeof object === 'string' ? { problem: object } : { object };
}

async function show(
  options: ContextOptions,
  { kubeconfig, print, signal }: PluginContext,
  read: (reader: ClusterReader) => Promise<Section[]>,
): Promise<void> {
  printSections(await withReader(options, kubeconfig, signal, read), print);
}
