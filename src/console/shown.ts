// What is stored as pages show it: clipped, so that no value makes a page heavy, and with internationalised names spelt
// out beside their A-labels. Pure; escaping is the templates'.
import { domainToASCII, domainToUnicode } from 'node:url';
import type { RecordRow } from '../store/records.ts';
import type { ZoneRow } from '../store/zones.ts';

/** Octets of a value in a list: a page, with all that it loads, stays below 200 kB. */
export const CLIP = 240;
/** Of a value that can be edited in a page; longer ones are for the API and zone files. */
export const EDITABLE = 16_000;

export interface ShownRecord {
  id: string;
  name: string;
  /** The name and type as they are read out beside what can be done with the record. */
  label: string;
  /** The name in its own script; null when that is the same. */
  unicode: string | null;
  type: string;
  content: string;
  /** Seconds in force. */
  ttl: number;
  isDefaultTtl: boolean;
  priority: number | null;
  managedBy: string | null;
}

export function shownRecord(row: RecordRow, zone: Pick<ZoneRow, 'defaultTtl'>): ShownRecord {
  const { id, name, type, priority, managedBy } = row;
  const [ttl, isDefaultTtl] = [row.ttl ?? zone.defaultTtl, row.ttl === null];
  return {
    id,
    name,
    label: clip(`${name} ${type}`, 60),
    unicode: unicodeOf(name),
    type,
    content: clip(row.content),
    ttl,
    isDefaultTtl,
    priority,
    managedBy,
  };
}

/** As many characters as take so many octets in a page, where some are escaped. */
export function clip(text: string, most = CLIP): string {
  let octets = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    octets += '&<>"\''.includes(character) ? 6 : character > '\x7f' ? 3 : 1;
    if (octets > most) return `${text.slice(0, at)}…`.toWellFormed();
  }
  return text;
}

/** Null when the name has no A-label, or none that can be read. */
export function unicodeOf(name: string): string | null {
  if (!name.includes('xn--')) return null;
  // A label at a time: underscores and asterisks are no part of a host name.
  const labels = name.split('.').map((label) => (label.startsWith('xn--') && domainToUnicode(label)) || label);
  const unicode = labels.join('.');
  return unicode === name ? null : unicode;
}

/** What to look for when somebody types a text: as it is, and as the A-labels under which names are stored. */
export function searchTexts(text: string): string[] {
  const ascii = /[^\x20-\x7e]/.test(text) ? domainToASCII(text) : '';
  return ascii === '' || ascii === text ? [text] : [text, ascii];
}

/** An address with those of the values that are not empty. */
export function withQuery(path: string, values: Record<string, string | null | undefined>): string {
  const query = new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? path : `${path}?${query}`;
}
