// The state that a person saw when a page was opened. A form sends it back with its ETag, so that a change that another
// client made meanwhile is not overwritten unseen: the page then shows the values that the person saw and those of now.
// Pure.
import type { TagCondition } from '#service/conditions/match.ts';
import type { Refusal } from '#service/refusal.ts';

/** Values for people, by their labels. */
export type Values = Readonly<Record<string, string>>;

export interface Seen {
  id: string;
  etag: string;
  values: Values;
}

/** A value that differs. `entered` is null on a page without fields. */
export interface Differing {
  label: string;
  saw: string;
  now: string;
  entered: string | null;
}

/**
 * The hidden fields `seen` of a form. Programs that send none write without a condition, and so does a text of another
 * form.
 */
export function seenIn(sentTexts: string | string[] | undefined): Seen[] {
  return [sentTexts ?? []].flat().flatMap((text) => {
    const candidate = parsed(text);
    return typeof candidate?.id === 'string' && typeof candidate.etag === 'string' ? [candidate as Seen] : [];
  });
}

function parsed(text: string): Partial<Seen> | null {
  try {
    return JSON.parse(text) as Partial<Seen> | null;
  } catch {
    return null;
  }
}

export function toTagCondition(seenState: Seen | undefined): TagCondition | null {
  return seenState === undefined ? null : { ifMatch: [seenState.etag], ifNoneMatch: null };
}

/** Whether another client changed the object, or something else, after the page was opened. */
export function isClash(refused: Refusal | undefined): boolean {
  return refused?.rule === 'changed-meanwhile';
}

/** The values that differ. @param enteredValues null for a page without fields */
export function differingValues(seenState: Seen, now: Values, enteredValues: Values | null): Differing[] {
  return Object.entries(now).flatMap(([label, value]) => {
    const row = {
      label,
      saw: String(seenState.values?.[label] ?? ''),
      now: value,
      entered: enteredValues?.[label] ?? null,
    };
    return row.saw === row.now && (row.entered ?? row.now) === row.now ? [] : [row];
  });
}
