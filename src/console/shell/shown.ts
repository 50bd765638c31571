// Prepares stored values for pages: values are clipped, so that no value makes a page heavy, and internationalised
// names are shown next to their A-labels. Pure. Templates do the escaping.
import { domainToASCII, domainToUnicode } from 'node:url';
import { writeHealth } from '#contract/check-text.ts';
import type { ManagedRecord, ZoneView } from '#service/zones/view.ts';

/** The largest length of a value in a list, in octets. A page with all its files stays below 200 kB. */
export const CLIP = 240;
/** The largest length of a value that can be edited on a page. Longer values need the API or a zone file. */
export const EDITABLE = 16_000;

interface ShownRecord {
  id: string;
  name: string;
  /** The name and type that screen readers read with the links of the record. */
  label: string;
  /** The name in its own script. Null if it is the same. */
  unicode: string | null;
  type: string;
  content: string;
  /** The effective TTL in seconds. */
  ttl: number;
  isDefaultTtl: boolean;
  priority: number | null;
  comment: string | null;
  managedBy: string | null;
  /** Its check and tier: `web, tier 1`. Null: none. */
  health: string | null;
  /** Whether its check says that its address does not work. */
  isFailing: boolean;
  /** Whether the service writes the PTR record of its address. */
  isReverse: boolean;
}

export function shownRecord(
  record: ManagedRecord & { failing?: boolean },
  zone: Pick<ZoneView, 'defaultTtl'>,
): ShownRecord {
  const { id, name, type, priority, comment, managedBy } = record;
  const [ttl, isDefaultTtl] = [record.ttl ?? zone.defaultTtl, record.ttl === null];
  return {
    id,
    name,
    label: clipText(`${name} ${type}`, 60),
    unicode: toUnicode(name),
    type,
    content: clipText(record.content),
    ttl,
    isDefaultTtl,
    priority,
    comment: comment === null ? null : clipText(comment),
    managedBy,
    health: writeHealth(record.health ?? {}) || null,
    isFailing: record.failing === true,
    isReverse: record.health?.reverse === true,
  };
}

/**
 * These change the direction of the text after them, and so could disguise the words that a page writes next to a
 * value.
 */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * The number of characters that fit into these octets of a page, in which some characters are escaped. A character that
 * changes the direction of text is shown as its code point, for instance `[U+202E]`.
 */
export function clipText(value: string, most = CLIP): string {
  const text = value.slice(0, most + 1).replaceAll(DIRECTIONS, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `[U+${code}]`;
  });
  let octets = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    octets += '&<>"\''.includes(character) ? 6 : character > '\x7f' ? 3 : 1;
    if (octets > most) return `${text.slice(0, at)}…`.toWellFormed();
  }
  return text;
}

/** Null if the name has no readable A-label. */
export function toUnicode(name: string): string | null {
  if (!name.includes('xn--')) return null;
  // Converts one label at a time, because underscores and asterisks are not part of host names.
  const labels = name.split('.').map((label) => (label.startsWith('xn--') && domainToUnicode(label)) || label);
  const unicode = labels.join('.');
  return unicode === name ? null : unicode;
}

/** The texts to search for: the typed text, and the A-labels under which names are stored. */
export function searchTexts(text: string): string[] {
  const ascii = /[^\x20-\x7e]/.test(text) ? domainToASCII(text) : '';
  return ascii === '' || ascii === text ? [text] : [text, ascii];
}

/** An address with the values that are not empty. */
export function withQuery(path: string, values: Record<string, string | null | undefined>): string {
  const query = new URLSearchParams(Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : [])));
  return query.size === 0 ? path : `${path}?${query}`;
}

/** A number of an address, from 1 to 9,999,999. Null for any other text. */
export function parsePositive(text: unknown): number | null {
  return typeof text === 'string' && /^[1-9][0-9]{0,6}$/.test(text) ? Number(text) : null;
}
