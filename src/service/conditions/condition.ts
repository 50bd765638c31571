// Conditions of changes: If-Match and If-None-Match (RFC 9110 section 13.1). A change is judged by them where it is
// judged by all other rules: with the rows that its transaction has locked, or that its statement compares once more.
// So of several writers with the same tag, exactly one succeeds.
import type { ZoneRow } from '#store/zones.ts';
import type { Caller } from '../context.ts';
import { refusal } from '../refusal.ts';
import { type RecordView, zoneView } from '../zones/view.ts';
import { type Current, isAmong, matchesTag, type TagCondition } from './match.ts';
import { recordsTag, recordTag, stripForm, zoneTag } from './tags.ts';

/** @throws Refusal precondition_failed */
export function mustMatchRecord(condition: TagCondition | null | undefined, row: RecordView): void {
  if (condition) mustMatch(condition, 'record', { etag: recordTag(row), record: row });
}

/** Judges the condition of a change of the zone itself. @throws Refusal precondition_failed */
export function mustMatchZone(
  { condition }: Pick<Caller, 'condition'>,
  zone: ZoneRow,
  { nameservers }: { nameservers: string[] },
): void {
  if (!condition) return;
  const view = zoneView(zone, nameservers);
  mustMatch(condition, 'zone', { etag: zoneTag(view), zone: view });
}

/** Judges the condition of a change of the records of a zone. @throws Refusal precondition_failed */
export function mustMatchRecords(
  { condition }: Pick<Caller, 'condition'>,
  zone: Pick<ZoneRow, 'id' | 'serial' | 'ownersVersion'>,
): void {
  if (condition) mustMatch(condition, 'records', { etag: recordsTag(zone) });
}

/**
 * Judges one value that a person saw, where a change of the rest of the zone does not matter.
 * @param seenValue undefined: no condition; null or an empty text: there was none
 * @throws Refusal precondition_failed
 */
export function mustBeAsSeen(
  field: string,
  seenValue: string | number | null | undefined,
  now: string | number | null,
): void {
  if (seenValue === undefined || (seenValue || null) === (now || null)) return;
  const showValue = (value: string | number | null) => (value ? `"${value}"` : 'none');
  throw refusal('value-changed', { seen: showValue(seenValue), now: showValue(now) }, { field });
}

const STATES = {
  record: 'The record',
  zone: 'The zone',
  records: 'The state of the records of the zone',
} as const;

function mustMatch({ ifMatch, ifNoneMatch, field }: TagCondition, of: keyof typeof STATES, current: Current): void {
  const { etag } = current;
  const what = STATES[of];
  if (ifMatch !== null && !matchesTag(ifMatch, etag)) {
    const isWeak = ifMatch !== '*' && ifMatch.every((each) => each.startsWith('W/'));
    throw refusal(isWeak ? 'weak-tag' : 'changed-meanwhile', { what, etag }, { field: field ?? 'If-Match', current });
  }
  if (ifNoneMatch !== null && (ifNoneMatch === '*' || ifNoneMatch.some((each) => isAmong([stripForm(each)], etag)))) {
    throw refusal('matches-none-match', { what, etag }, { field: 'If-None-Match', current });
  }
}
