// A change of the history in the fields that it changed. Pure: what was kept is JSON of whatever version wrote it, so it is
// taken as it comes.
import { clip } from './shown.ts';

export interface ChangedField {
  field: string;
  /** Null: there was, or is, none. */
  before: string | null;
  after: string | null;
}

/** Octets of a value in a page. */
const VALUE = 120;
/** In this order; what is not named here comes in no list. */
const FIELDS = ['zoneName', 'state', 'owner', 'name', 'type', 'content', 'priority', 'ttl', 'defaultTtl'];

export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [old, now] = [objectOf(before), objectOf(after)];
  return FIELDS.flatMap((field) => {
    const [one, other] = [textOf(old?.[field]), textOf(now?.[field])];
    return one === other ? [] : [{ field, before: one, after: other }];
  });
}

/** `www A` of a record; null of the zone itself. */
export function subjectOf({ before, after }: { before: unknown; after: unknown }): string | null {
  const { name, type } = objectOf(after) ?? objectOf(before) ?? {};
  return typeof name === 'string' && typeof type === 'string' ? `${clip(name)} ${clip(type)}` : null;
}

function objectOf(value: unknown): Record<string, unknown> | null {
  return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null;
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return clip(typeof value === 'string' ? value : JSON.stringify(value), VALUE);
}
