// Where the writer of a record with `reverse` may write the PTR record. The scope is stored with the record, because
// the reverse zone may be created after the key was revoked. Pure.
import type { RecordHealth } from '#dns/members.ts';
import { REVERSE_TYPE, type ReverseScope } from '#dns/reverse.ts';
import type { Actor } from '../accounts/actor.ts';
import { likePattern } from '../keys/patterns.ts';

/** A key with overrides for more zones may not write reverse records: each record would store them all. */
export const MAX_SCOPE_ZONES = 64;

const NOWHERE: ReverseScope = { zones: [] };

type Rights = Pick<Actor, 'records' | 'grants' | 'onlyNames' | 'onlyTypes'>;

/** The scope to store with a record: the rights of the key, and in the zones that the record names. Null: no PTR. */
export function scopeForRecord(actor: Rights, health: RecordHealth | null): ReverseScope | null {
  if (health?.reverse !== true) return null;
  const scope = reverseScopeOf(actor);
  const { reverseIn } = health;
  if (reverseIn === undefined) return scope;
  return { ...scope, zones: reverseIn.filter((zoneId) => scope.zones?.includes(zoneId) ?? true) };
}

export function reverseScopeOf({ records, grants, onlyNames, onlyTypes }: Rights): ReverseScope {
  if (onlyTypes !== null && !onlyTypes.includes(REVERSE_TYPE)) return NOWHERE;
  const mayWrite = records === 'write';
  const others = [...grants].filter(([, level]) => (level === 'write') !== mayWrite).map(([zoneId]) => zoneId);
  if (others.length > MAX_SCOPE_ZONES) return NOWHERE;
  return {
    ...(mayWrite ? {} : { zones: others }),
    ...(mayWrite && others.length > 0 ? { not: others } : {}),
    ...(onlyNames === null ? {} : { names: onlyNames.map(likePattern) }),
  };
}
