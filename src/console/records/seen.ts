// The values of a record that a person saw when a page was opened (shell/seen.ts). Pure.
import { writeHealth, writeReverse } from '#contract/check-text.ts';
import type { HealthInput } from '#dns/members.ts';
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
interface Entered extends HealthInput {
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
        health: enteredValues.check === undefined ? record.health : enteredValues,
      },
      zone,
    );
  return differingValues(seenRecord, now, typed);
}

function pickShownValues(
  record: Pick<ManagedRecord, 'content' | 'priority' | 'ttl' | 'comment'> & { health: HealthInput | null },
  { defaultTtl }: Zone,
): Values {
  const { content, priority, ttl, comment, health } = record;
  return {
    Content: clipText(content),
    Priority: priority === null ? '' : String(priority),
    TTL: ttl === null ? `${defaultTtl} (default)` : String(ttl),
    Comment: clipText(comment ?? ''),
    Check: writeHealth(health ?? {}),
    'Reverse record': writeReverse(health ?? {}),
  };
}
