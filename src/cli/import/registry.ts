// The TXT registry of external-dns: TXT records that say which records belong to which instance and object. The service
// has owners for this, so the registry becomes owners, and its TXT records are omitted. Pure.
//
//     a-www.example.com      TXT "heritage=external-dns,external-dns/owner=prod,external-dns/resource=ingress/shop/web"
//     www.example.com A   →  the owner external-dns:prod/ingress/shop/web
import { fqdn } from '#dns/names/name.ts';
import { buildEndpointOwner } from '#external-dns/owner.ts';
import type { FoundRecord, ReadZone, Remark } from './read.ts';

/** The options of external-dns that have the same names. */
export interface RegistryOptions {
  txtPrefix?: string;
  txtSuffix?: string;
  txtWildcardReplacement?: string;
}

const HERITAGE = 'heritage=external-dns';
const TYPE_TEMPLATE = '%{record_type}';

interface Entry {
  place: string;
  labels: Readonly<Record<string, string>>;
  isUsed: boolean;
}

/** The zone with owners instead of registry records. */
export function useRegistry(read: ReadZone, options: RegistryOptions): ReadZone {
  const entries = new Map<string, Entry>();
  const others: FoundRecord[] = [];
  for (const each of read.records) {
    const labels = parseLabels(each);
    if (labels === null) others.push(each);
    else entries.set(fqdn(each.record.name, read.zone), { place: each.place, labels, isUsed: false });
  }
  const records = others.map((each): FoundRecord => {
    const entry = findEntry(each, read.zone, entries, options);
    if (entry === undefined) return each;
    entry.isUsed = true;
    const { owner: ownerId = '', resource } = entry.labels;
    const recordType = recordTypeOf(each);
    const labels = resource === undefined ? {} : { resource };
    return { ...each, owner: buildEndpointOwner(ownerId, { recordType, labels }) };
  });
  return {
    ...read,
    records,
    skipped: [...read.skipped, ...[...entries.values()].map(remarkOn)],
    notes: [...read.notes, ...notesOn(entries)],
  };
}

/** A sentence for people who import registry records without turning them into owners; null if there are none. */
export function unusedRegistry({ records }: ReadZone): Remark | null {
  const first = records.find((each) => parseLabels(each) !== null);
  if (first === undefined) return null;
  const message =
    'This is a record of the TXT registry of external-dns. With --external-dns, the registry becomes owners.';
  return { place: first.place, message };
}

function remarkOn({ place, isUsed }: Entry): Remark {
  const message = isUsed
    ? 'The registry of external-dns becomes owners.'
    : 'This record of the registry of external-dns is about a record that the source does not have.';
  return { place, message };
}

function notesOn(entries: ReadonlyMap<string, Entry>): Remark[] {
  const ids = new Set([...entries.values()].filter(({ isUsed }) => isUsed).map(({ labels }) => labels.owner ?? ''));
  return [...ids].map((id) => ({
    place: `external-dns ${id}`,
    message: `Start its webhook with ZONESTEAD_EXTERNAL_DNS_OWNER_ID=${id}, so that it knows these records.`,
  }));
}

/** The labels of a registry record without their prefix; null for all other records. */
function parseLabels({ record: { type, rdata } }: FoundRecord): Record<string, string> | null {
  if (type !== 'TXT') return null;
  // Older versions wrote quotes into the text as well. No label has a quote or a backslash.
  const text = rdata.replace(/["\\]/g, '').replace(/ /g, '');
  if (text !== HERITAGE && !text.startsWith(`${HERITAGE},`)) return null;
  const pairs = text.split(',').map((pair) => pair.split('=', 2));
  const labels = pairs.flatMap(([key = '', value = '']) =>
    key.startsWith('external-dns/') ? [[key.slice('external-dns/'.length), value]] : [],
  );
  return Object.fromEntries(labels) as Record<string, string>;
}

function recordTypeOf({ record: { type } }: FoundRecord): string {
  return type === 'ALIAS' ? 'CNAME' : type;
}

/** The registry entry of a record: the newer form names the type, the older one does not. */
function findEntry(
  found: FoundRecord,
  zone: string,
  entries: ReadonlyMap<string, Entry>,
  options: RegistryOptions,
): Entry | undefined {
  const name = fqdn(found.record.name, zone);
  const type = recordTypeOf(found).toLowerCase();
  return entries.get(entryName(name, type, options)) ?? entries.get(entryName(name, null, options));
}

/** The name at which external-dns writes the entry of a name and type, as its registry does it. */
function entryName(name: string, type: string | null, options: RegistryOptions): string {
  const { txtPrefix = '', txtSuffix = '', txtWildcardReplacement = '' } = options;
  const [first = '', ...rest] = name.split('.');
  const label = first === '*' && txtWildcardReplacement !== '' ? txtWildcardReplacement : first;
  const hasTemplate = txtPrefix.includes(TYPE_TEMPLATE) || txtSuffix.includes(TYPE_TEMPLATE);
  const filled = (affix: string) => affix.replaceAll(TYPE_TEMPLATE, type ?? '').toLowerCase();
  const typed = type === null || hasTemplate ? label : `${type}-${label}`;
  return [`${filled(txtPrefix)}${typed}${filled(txtSuffix)}`, ...rest].join('.');
}
