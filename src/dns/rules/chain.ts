/**
 * Alias chains inside one zone (contract X4): a CNAME or ALIAS whose chain comes back to itself never answers. The walk
 * takes one name at a time and a limited number of steps, so that its cost does not grow with the zone.
 */
import { fqdn } from '../names/name.ts';
import type { ParsedRecord } from '../record.ts';
import { conflict } from '../verdict.ts';
import { FINE, type WriteRule } from './surroundings.ts';

/** Resolvers give up after 8 to 17 links; a longer chain inside one zone is refused like a loop. */
export const MAX_LINKS = 16;

type Walk = { end: 'open' } | { end: 'loop'; path: string[] } | { end: 'long' };

export const refuseLoop: WriteRule = (record, { zone, inZoneCname }) => {
  const walk = follow(record, zone, inZoneCname);
  if (walk.end === 'loop') {
    return conflict(
      'alias-loop',
      'content',
      `The ${record.type} record would close a loop: ${walk.path.join(' → ')}; name another target.`,
    );
  }
  if (walk.end === 'long') {
    return conflict(
      'alias-chain',
      'content',
      `The target ${record.target} begins a chain of more than ${MAX_LINKS} aliases; point to its end.`,
    );
  }
  return FINE;
};

function follow(record: ParsedRecord, zone: string, inZoneCname: (name: string) => string | null): Walk {
  if (record.type !== 'CNAME' && record.type !== 'ALIAS') return { end: 'open' };
  const path = [fqdn(record.name, zone)];
  let name: string | null = record.target;
  while (name !== null && isInZone(name, zone)) {
    if (path.includes(name)) return { end: 'loop', path: [...path, name] };
    if (path.length > MAX_LINKS) return { end: 'long' };
    path.push(name);
    name = inZoneCname(name);
  }
  return { end: 'open' };
}

function isInZone(name: string, zone: string): boolean {
  return name === zone || name.endsWith(`.${zone}`);
}
