// Converts a change of the history to the list of fields that it changed. Pure. Any version may have written the stored
// JSON, so its form is not trusted.
import { clipText } from './shown.ts';

interface ChangedField {
  field: string;
  /** Null if the field had, or has, no value. */
  before: string | null;
  after: string | null;
}

/** The largest length of a value on a page, in octets. */
const VALUE = 120;
/** The fields in the order in which they are shown. Other fields are not shown. */
const FIELDS = [
  'zoneName',
  'state',
  'owner',
  'name',
  'type',
  'content',
  'priority',
  'ttl',
  'check',
  'tier',
  'whenAllFail',
  'weight',
  'reverse',
  'defaultTtl',
  'denial',
  'comment',
  'secondaries',
];

export function changedFields(before: unknown, after: unknown): ChangedField[] {
  const [old, now] = [asObject(before), asObject(after)];
  return FIELDS.flatMap((field) => {
    const [one, other] = [formatValue(old?.[field]), formatValue(now?.[field])];
    return one === other ? [] : [{ field, before: one, after: other }];
  });
}

/** `www A` for a record. Null for the zone itself. */
export function describeSubject({ before, after }: { before: unknown; after: unknown }): string | null {
  const { name, type } = asObject(after) ?? asObject(before) ?? {};
  return typeof name === 'string' && typeof type === 'string' ? `${clipText(name)} ${clipText(type)}` : null;
}

function asObject(value: unknown): Record<string, unknown> | null {
  // A list has a method with the name of the field `reverse`.
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function formatValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return clipText(Array.isArray(value) ? value.map(plain).join(', ') || 'none' : plain(value), VALUE);
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
