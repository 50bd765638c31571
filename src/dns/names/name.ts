/**
 * Parses names as users write them to the one form that is stored and compared: lower-case A-labels without final dot,
 * and owner names relative to their zone with `@` for the apex. These are the rules of contract N1 to N11.
 */

import type { RecordType } from '../types/record-type.ts';
import { accept, clip, refuse, type Verdict } from '../verdict.ts';
import { LDH_UNDERSCORE, looksLikeAddress, MAX_NAME, offendingLabel, toLabels } from './labels.ts';
import { judgeOwnerForType } from './owner.ts';

/** A zone label: as a service label, but without a hyphen at its ends, which no registry delegates. */
const ZONE_LABEL = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/;

/**
 * The apex of a zone, for instance `example.com` for `Example.COM.`. A single label is fine (Handshake, private names);
 * the root is not.
 */
export function parseZoneName(input: string): Verdict<string> {
  const field = 'zoneName';
  if (input === '.') return refuse(field, 'The root zone cannot be hosted here; name a domain such as "example.com".');
  const labels = toLabels(withoutFinalDot(input), field);
  if (!labels.ok) return labels;
  const bad = offendingLabel(labels.value, ZONE_LABEL);
  if (bad !== null) {
    return refuse(
      field,
      `The label ${clip(bad)} of ${clip(input)} cannot be part of a zone name: use letters, digits, "_" and inner hyphens.`,
    );
  }
  if (looksLikeAddress(labels.value)) {
    return refuse(field, `${clip(input)} is an IP address; a zone has a domain name such as "example.com".`);
  }
  return accept(labels.value.join('.'));
}

/**
 * An owner name relative to `zone` (which must be canonical): `@`, `www`, `*.dev`, `_acme-challenge`. A name with a
 * final dot is absolute and is made relative when it lies in the zone.
 */
export function parseOwnerName(input: string, zone: string, type: RecordType): Verdict<string> {
  const field = 'name';
  if (input === '') return refuse(field, 'The name is empty; write "@" for the zone apex.');
  if (input === '@') return judgeOwnerForType('@', zone, type);
  const absolute = input.endsWith('.');
  const labels = toLabels(withoutFinalDot(input), field);
  if (!labels.ok) return labels;
  const name = labels.value.join('.');

  const inside = name === zone || name.endsWith(`.${zone}`);
  if (absolute && !inside) {
    return refuse(
      field,
      `${clip(input)} ends in a dot, so it is absolute, and it is not in the zone ${zone}. Write the name relative to the zone, without final dot.`,
    );
  }
  const relative = inside ? name.slice(0, -zone.length - 1) || '@' : name;
  if (inside && !absolute) {
    return refuse(
      field,
      `Names are relative to the zone: ${clip(input)} would be ${clip(`${name}.${zone}.`)}. Write ${clip(relative)}, or the whole name with a final dot.`,
    );
  }
  const shape = judgeLabels(input, relative === '@' ? [] : relative.split('.'));
  if (!shape.ok) return shape;
  const length = fqdn(relative, zone).length;
  if (length > MAX_NAME) {
    return refuse(field, `Name and zone have ${length} octets together; at most ${MAX_NAME} are allowed.`);
  }
  return judgeOwnerForType(relative, zone, type);
}

/** Contract N5, N6 and N11: `*` only as the whole leftmost label, otherwise letters, digits, `_` and `-`. */
function judgeLabels(input: string, labels: readonly string[]): Verdict<null> {
  const plain = labels[0] === '*' ? labels.slice(1) : labels;
  const bad = offendingLabel(plain, LDH_UNDERSCORE);
  if (bad === null) return accept(null);
  const hint = bad.includes('*')
    ? 'a wildcard is "*" alone as the leftmost label'
    : 'use letters, digits, "-" and "_", and "@" alone for the apex';
  return refuse('name', `The label ${clip(bad)} of ${clip(input)} is not accepted: ${hint}.`);
}

/** The absolute name without final dot of a relative one: `www` in `example.com` is `www.example.com`. */
export function fqdn(relative: string, zone: string): string {
  return relative === '@' ? zone : `${relative}.${zone}`;
}

/**
 * The ordername: labels reversed and joined by a space, `''` at the apex. Sorted by bytes it gives the canonical
 * order of RFC 4034 section 6.1, as the space sorts before every character of a label.
 */
export function orderName(relative: string): string {
  return relative === '@' ? '' : relative.split('.').reverse().join(' ');
}

/** The owner name, relative to its zone, of an ordername. */
export function nameOfOrder(ordername: string): string {
  return ordername === '' ? '@' : ordername.split(' ').reverse().join('.');
}

/** The name and every shorter suffix of it, longest first: `a.b.c`, `b.c`, `c`. */
export function listSuffixes(name: string): string[] {
  const labels = name.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * A name to look for the enclosing zone of, as ACME clients hand it over: final dot, capitals, U-labels and a leading
 * `*.` are taken; the canonical name comes out. At least two labels, so that a single-label zone is never meant.
 */
export function parseLookupName(input: string): Verdict<string> {
  const field = 'suffix_of';
  const plain = withoutFinalDot(input.startsWith('*.') ? input.slice(2) : input);
  const labels = toLabels(plain, field);
  if (!labels.ok) return labels;
  const bad = offendingLabel(labels.value, LDH_UNDERSCORE);
  if (bad !== null) return refuse(field, `The label ${clip(bad)} of ${clip(input)} cannot be part of a host name.`);
  if (labels.value.length < 2) {
    return refuse(field, `${clip(input)} has a single label; at least two are needed. Use zoneName for such a zone.`);
  }
  return accept(labels.value.join('.'));
}

function withoutFinalDot(text: string): string {
  return text.endsWith('.') ? text.slice(0, -1) : text;
}
