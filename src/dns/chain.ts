/**
 * Alias chains inside one zone (X4): a CNAME or ALIAS whose chain comes back to itself never answers. The walk takes one
 * name at a time and a limited number of steps, so that its cost does not grow with the zone.
 *
 * The caller loads the links on demand:
 *
 *     const known = new Map<string, string | null>();
 *     for (let name = nextNeeded(record, zone, known); name !== null; name = nextNeeded(record, zone, known)) {
 *       known.set(name, await targetOfCnameOrAliasAt(name));   // null: there is none
 *     }
 *     const inZoneCname = (name: string) => known.get(name) ?? null;
 */
import { fqdn } from './name.ts';
import type { ParsedRecord } from './record.ts';
import { FINE, type WriteRule } from './surroundings.ts';
import { conflict } from './verdict.ts';

/** Resolvers give up after 8 to 17 links; a longer chain inside one zone is refused like a loop. */
export const MAX_LINKS = 16;

type Walk = { end: 'open' } | { end: 'unknown'; name: string } | { end: 'loop'; path: string[] } | { end: 'long' };

/** The absolute name whose CNAME or ALIAS target must be known to judge `record`, or null when all is known. */
export function nextNeeded(
  record: ParsedRecord,
  zone: string,
  known: ReadonlyMap<string, string | null>,
): string | null {
  const walk = follow(record, zone, (name) => known.get(name));
  return walk.end === 'unknown' ? walk.name : null;
}

export const refuseLoop: WriteRule = (record, { zone, inZoneCname }) => {
  const walk = follow(record, zone, inZoneCname);
  if (walk.end === 'loop') {
    return conflict(
      'content',
      `The ${record.type} record would close a loop: ${walk.path.join(' → ')}; name another target.`,
    );
  }
  if (walk.end === 'long') {
    return conflict(
      'content',
      `The target ${record.target} begins a chain of more than ${MAX_LINKS} aliases; point to its end.`,
    );
  }
  return FINE;
};

function follow(record: ParsedRecord, zone: string, lookup: (name: string) => string | null | undefined): Walk {
  if (record.type !== 'CNAME' && record.type !== 'ALIAS') return { end: 'open' };
  const path = [fqdn(record.name, zone)];
  let name = record.target;
  while (name !== null && isInZone(name, zone)) {
    if (path.includes(name)) return { end: 'loop', path: [...path, name] };
    if (path.length > MAX_LINKS) return { end: 'long' };
    path.push(name);
    const target = lookup(name);
    if (target === undefined) return { end: 'unknown', name };
    name = target;
  }
  return { end: 'open' };
}

function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
