// The values of a record that a person saw when a page was opened (shell/seen.ts). Pure.
import { recordTag } from '#service/conditions/tags.ts';
import { type ManagedRecord, recordView } from '#service/zones/view.ts';
import { type Differing, differingValues, type Seen, type Values } from '../shell/seen.ts';
import { clipText } from '../shell/shown.ts';

type Zone = { defaultTtl: number };

/** The text of the hidden field `seen`. */
export function seenText(record: ManagedRecord, zone: Zone): string {
  return JSON.stringify({ id: record.id, etag: tagManagedRecord(record, zone), values: pickShownValues(record, zone) });
}

export function tagManagedRecord(record: ManagedRecord, zone: Zone): string {
  return recordTag(recordView(record, zone));
}

/** The values of a form as a record. A comment that was not sent stays. */
interface Entered {
  content: string;
  ttl?: number | undefined;
  priority?: number | null | undefined;
  comment?: string | null | undefined;
}

/** The values that differ. @param enteredValues null for a page without fields */
export function differing(
  seenRecord: Seen,
  record: ManagedRecord,
  zone: Zone,
  enteredValues: Entered | null,
): Differing[] {
  const now = pickShownValues(record, zone);
  const typed =
    enteredValues &&
    pickShownValues(
      {
        content: enteredValues.content,
        priority: enteredValues.priority ?? record.priority,
        ttl: enteredValues.ttl ?? null,
        comment: enteredValues.comment === undefined ? record.comment : enteredValues.comment,
      },
      zone,
    );
  return differingValues(seenRecord, now, typed);
}

function pickShownValues(
  { content, priority, ttl, comment }: Pick<ManagedRecord, 'content' | 'priority' | 'ttl' | 'comment'>,
  { defaultTtl }: Zone,
): Values {
  return {
    Content: clipText(content),
    Priority: priority === null ? '' : String(priority),
    TTL: ttl === null ? `${defaultTtl} (default)` : String(ttl),
    Comment: clipText(comment ?? ''),
  };
}
