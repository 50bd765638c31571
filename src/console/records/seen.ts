// The values of a record that a person saw when a page was opened. A form sends them back with the ETag, so that a change that
// somebody else made meanwhile is not overwritten unseen: the page then shows the values that the person saw, those of now, and
// those that the person entered. Pure.
import type { Condition } from '#service/conditions/condition.ts';
import { recordTag } from '#service/conditions/tags.ts';
import type { Refusal } from '#service/refusal.ts';
import { type ManagedRecord, recordView } from '#service/zones/view.ts';
import { clip } from '../shell/shown.ts';

const LABELS = ['Content', 'Priority', 'TTL', 'Comment'] as const;
type Values = Readonly<Record<(typeof LABELS)[number], string>>;
type Zone = { defaultTtl: number };

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

/** The text of the hidden field `seen`. */
export function seenText(record: ManagedRecord, zone: Zone): string {
  return JSON.stringify({ id: record.id, etag: etagOf(record, zone), values: valuesOf(record, zone) });
}

export function etagOf(record: ManagedRecord, zone: Zone): string {
  return recordTag(recordView(record, zone));
}

/** The hidden fields `seen` of a form. Programs that send none write without a condition, and so does a text of another form. */
export function seenIn(sent: string | string[] | undefined): Seen[] {
  return [sent ?? []].flat().flatMap((text) => {
    const seen = parsed(text);
    return typeof seen?.id === 'string' && typeof seen.etag === 'string' ? [seen as Seen] : [];
  });
}

function parsed(text: string): Partial<Seen> | null {
  try {
    return JSON.parse(text) as Partial<Seen> | null;
  } catch {
    return null;
  }
}

export function conditionOf(seen: Seen | undefined): Condition | null {
  return seen === undefined ? null : { ifMatch: [seen.etag], ifNoneMatch: null };
}

/** Whether somebody else changed the record, or something else, after the page was opened. */
export function isClash(refused: Refusal | undefined): boolean {
  return refused?.rule === 'changed-meanwhile';
}

/** The values of a form as a record. A comment that was not sent stays. */
interface Entered {
  content: string;
  ttl?: number | undefined;
  priority?: number | null | undefined;
  comment?: string | null | undefined;
}

/** The values that differ. @param entered null for a page without fields */
export function differing(seen: Seen, record: ManagedRecord, zone: Zone, entered: Entered | null): Differing[] {
  const now = valuesOf(record, zone);
  const typed =
    entered &&
    valuesOf(
      {
        content: entered.content,
        priority: entered.priority ?? record.priority,
        ttl: entered.ttl ?? null,
        comment: entered.comment === undefined ? record.comment : entered.comment,
      },
      zone,
    );
  return LABELS.flatMap((label) => {
    const row = { label, saw: String(seen.values?.[label] ?? ''), now: now[label], entered: typed?.[label] ?? null };
    return row.saw === row.now && (row.entered ?? row.now) === row.now ? [] : [row];
  });
}

function valuesOf(
  { content, priority, ttl, comment }: Pick<ManagedRecord, 'content' | 'priority' | 'ttl' | 'comment'>,
  { defaultTtl }: Zone,
): Values {
  return {
    Content: clip(content),
    Priority: priority === null ? '' : String(priority),
    TTL: ttl === null ? `${defaultTtl} (default)` : String(ttl),
    Comment: clip(comment ?? ''),
  };
}
