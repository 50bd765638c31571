// Turns the changes of a zone into entries for people: a sentence that names the object, the person and the time. The
// changes of one request are one group. Pure.

import type { KeyName } from '#service/keys/names.ts';
import { SERVICE_KEY } from '#service/owners/leases.ts';
import type { ChangeView } from '#service/zones/history.ts';
import { changedFields } from '../shell/changed-fields.ts';
import { nameOwners } from '../shell/owner-label.ts';
import { clipText } from '../shell/shown.ts';
import { type When, whenOf } from '../shell/when.ts';

interface Author {
  /** The e-mail address of a person, or the name of a key. */
  name: string;
  /** `console`, the name of the person's key, or the program that used the key last. Null if it is unknown. */
  by: string | null;
  keyId: string;
  /** The object or program that owns the record. */
  owner: string | null;
}

interface Entry {
  id: number;
  /** `Created`, `Changed`, … */
  verb: string;
  /** `CNAME *.apps`. Null: the zone itself. */
  subject: { type: string; name: string } | null;
  /** The whole value of a created or deleted record. Null for other changes. */
  value: { text: string; isGone: boolean } | null;
  /** The fields that an update changed. Empty for other changes. */
  fields: { field: string; before: string | null; after: string | null }[];
  /** The remaining fields, for the details. */
  others: { field: string; text: string }[];
  serial: number;
}

export interface HistoryGroup {
  author: Author;
  when: When;
  requestId: string;
  entries: Entry[];
  /** Whether the request may have more changes on another page. */
  isCut: boolean;
  /** The changes of the request, those of other pages included. */
  total: number;
  /** `Created 72 records`, for a request with more changes than a page shows unfolded. Null: few changes. */
  summary: string | null;
  /** The time of the oldest change. */
  since: string;
  /** `undo`, or the time of a restore. Null for other changes. */
  mark: string | null;
  /**
   * `undone` or `partly undone`, as far as the changes of the page say. Null: the changes are in effect, or were
   * changed again.
   */
  undone: string | null;
  /** The query of the page that undoes the changes of records. Null: there are none. */
  undo: string | null;
  /** The query of the page that undoes all changes of the key since then. Null: the service made the change. */
  undoKey: string | null;
  /** The query of the page that restores the records as they were after the change. */
  restore: string;
}

/** Entries that a page shows without a click. */
export const MAX_UNFOLDED = 3;

const VERBS: Readonly<Record<string, string>> = {
  create: 'Created',
  change: 'Changed',
  update: 'Changed',
  delete: 'Deleted',
  park: 'Parked',
  unpark: 'Unparked',
  keys: 'Changed the keys of',
  restore: 'Restored',
};

/**
 * @param changes newest first
 * @param names the names of the keys, by id
 * @param more whether there are newer and older changes on other pages.
 * @param counts the changes of requests that may be on two pages, by request
 */
export function groupHistory(
  changes: readonly ChangeView[],
  names: ReadonlyMap<string, KeyName>,
  now: Date,
  more: { newer: boolean; older: boolean } = { newer: false, older: false },
  counts: ReadonlyMap<string, number> = new Map(),
): HistoryGroup[] {
  const groups: HistoryGroup[] = [];
  const undoneIds = undoneIn(changes);
  for (const change of changes) {
    const last = groups.at(-1);
    const author = toAuthor(change, names.get(change.keyId));
    const entry = toEntry(change);
    if (last?.requestId === change.requestId && last.author.owner === author.owner) {
      last.entries.push(entry);
      last.since = change.at;
    } else {
      const mark = describeMark(change);
      groups.push({
        author,
        when: whenOf(change.at, now),
        requestId: change.requestId,
        entries: [entry],
        isCut: more.newer && groups.length === 0,
        total: 1,
        summary: null,
        since: change.at,
        mark,
        undone: null,
        undo: null,
        undoKey: null,
        restore: encodeQuery({ at: change.at }),
      });
    }
  }
  const oldest = groups.at(-1);
  if (oldest !== undefined && more.older) oldest.isCut = true;
  return groups.map((group) => ({
    ...group,
    ...describeSize(group, counts),
    undone: describeUndone(group, undoneIds),
    undo: buildUndoQuery(group),
    undoKey: buildUndoKeyQuery(group),
  }));
}

/** A request whose changes are all on the page has no count of its own. */
function describeSize({ entries, isCut, requestId }: HistoryGroup, counts: ReadonlyMap<string, number>) {
  const total = isCut ? (counts.get(requestId) ?? entries.length) : entries.length;
  if (total <= MAX_UNFOLDED) return { total, summary: null };
  const [verb, ...others] = new Set(entries.map((entry) => (entry.subject === null ? '' : entry.verb)));
  const size = total.toLocaleString('en');
  return { total, summary: verb && others.length === 0 ? `${verb} ${size} records` : `${size} changes` };
}

/**
 * The ids of the changes that were undone. A change whose undo was undone is in effect again.
 * @param changes newest first, so that each undo precedes its changes
 */
function undoneIn(changes: readonly ChangeView[]): ReadonlySet<number> {
  const undoneIds = new Set<number>();
  for (const { id, undoes = [] } of changes) if (!undoneIds.has(id)) for (const each of undoes) undoneIds.add(each);
  return undoneIds;
}

function describeUndone({ entries }: HistoryGroup, undoneIds: ReadonlySet<number>): string | null {
  const count = entries.filter(({ id }) => undoneIds.has(id)).length;
  if (count === 0) return null;
  return count === entries.length ? 'undone' : 'partly undone';
}

function describeMark({ undoes, restoredTo }: ChangeView): string | null {
  if (restoredTo !== undefined) return `restored to ${restoredTo.slice(0, 19).replace('T', ' ')} UTC`;
  return undoes === undefined ? null : 'undo';
}

/** A single change is undone by its number, and several ones by their request, which may have more on another page. */
function buildUndoQuery({ requestId, entries, isCut }: HistoryGroup): string | null {
  const records = entries.filter(({ subject }) => subject !== null);
  if (records.length === 0) return null;
  return encodeQuery(entries.length === 1 && !isCut ? { change: String(entries[0]?.id) } : { requestId });
}

/** The changes of the group are the oldest that it undoes. */
function buildUndoKeyQuery({ author: { keyId }, entries, since }: HistoryGroup): string | null {
  const isOfRecords = entries.some(({ subject }) => subject !== null);
  return keyId === SERVICE_KEY || !isOfRecords ? null : encodeQuery({ keyId, since });
}

function encodeQuery(query: Record<string, string>): string {
  return new URLSearchParams(query).toString();
}

function toAuthor({ keyId, owner }: ChangeView, key: KeyName | undefined): Author {
  const shared = { keyId, owner: owner === undefined ? null : nameOwners(owner) };
  if (key === undefined) return { ...shared, name: keyId === SERVICE_KEY ? 'the service' : 'a deleted key', by: null };
  if (key.email !== null)
    return { ...shared, name: key.email, by: key.name === 'console' ? 'console' : `key ${key.name}` };
  return { ...shared, name: key.name, by: key.lastUsedBy === null ? null : parseProgram(key.lastUsedBy) };
}

/** `curl` for `curl/8.5.0`: the first product of a User-Agent (RFC 9110 section 10.1.5). */
function parseProgram(agent: string): string {
  return clipText(agent.split(/[/\s]/)[0] || agent, 40);
}

function toEntry(change: ChangeView): Entry {
  const { id, action, before, after, serial } = change;
  const [kind, verb = ''] = action.split('.');
  const fields = changedFields(before, after);
  const shared = { id, verb: VERBS[verb] ?? verb, serial };
  const record = kind === 'record' ? (readKnownRecord(after) ?? readKnownRecord(before)) : null;
  if (record === null) {
    // The state says the same as the verb.
    const shownFields = verb === 'change' ? fields : [];
    return {
      ...shared,
      subject: null,
      value: null,
      fields: shownFields,
      others: listOthers(verb === 'change' ? [] : fields),
    };
  }
  const subject = { type: clipText(record.type), name: clipText(record.name) };
  const isUpdate = before !== null && after !== null;
  if (isUpdate) return { ...shared, subject, value: null, fields, others: [] };
  const value = { text: formatContent(record), isGone: after === null };
  const rest = fields.filter(({ field }) => !['name', 'type', 'content', 'priority'].includes(field));
  return { ...shared, subject, value, fields: [], others: listOthers(rest) };
}

function listOthers(fields: Entry['fields']): Entry['others'] {
  return fields.flatMap(({ field, before, after }) =>
    (after ?? before) === null ? [] : [{ field, text: [before, after].filter((each) => each !== null).join(' → ') }],
  );
}

interface KnownRecord {
  name: string;
  type: string;
  content: string;
  priority: number | null;
}

/** Any version may have stored the JSON, so its form is checked. */
function readKnownRecord(value: unknown): KnownRecord | null {
  const { name, type, content, priority } = (value ?? {}) as Record<string, unknown>;
  if (typeof name !== 'string' || typeof type !== 'string' || typeof content !== 'string') return null;
  return { name, type, content, priority: typeof priority === 'number' ? priority : null };
}

function formatContent({ content, priority }: KnownRecord): string {
  return clipText(priority === null ? content : `${priority} ${content}`);
}
