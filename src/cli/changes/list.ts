// `zonestead changes list`: the history of a zone.
import type { Change } from '#contract/change.ts';
import { listZoneChanges } from '#contract/operations/zones.ts';
import { show } from '../output.ts';
import { describeRestCommand, ZONE } from '../rest/command.ts';
import { type Session, zoneOf } from '../rest/session.ts';
import { table } from '../table.ts';

const DEFAULT_LIMIT = 100;
/** The most changes of one page. */
const PAGE = 1_000;

interface ListOptions {
  limit?: number;
  name?: string;
}

export const list = describeRestCommand({
  name: 'list',
  describe: 'list the changes of a zone and of its records, newest first',
  arguments: [ZONE],
  options: [
    { flags: '--limit <number>', describe: 'list at most this many changes (default: 100)', value: 'number' },
    { flags: '--name <name>', describe: 'list only changes of records of this name, among these' },
  ],
  run: (session, [zone = ''], options: ListOptions) => listChanges(session, zone, options),
});

/** @throws Error if the API key cannot see the zone */
async function listChanges(
  session: Session,
  nameOrId: string,
  { limit = DEFAULT_LIMIT, name }: ListOptions,
): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const read: Change[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: Math.min(PAGE, limit - read.length), ...(cursor === undefined ? {} : { cursor }) };
    const { changes: some, next } = await client.call(listZoneChanges, { params: { id }, query: page }, { signal });
    read.push(...some);
    cursor = next;
  } while (cursor !== undefined && read.length < limit);
  const marked = withMarks(read);
  const changes = name === undefined ? marked : marked.filter((change) => nameOf(change) === name);
  await show(session, { changes }, () => {
    if (changes.length === 0) print('no changes');
    else table(['ID', 'TIME', 'KEY', 'OWNER', 'UNDO', 'CHANGE'], changes.map(rowOf), print);
  });
}

/** A change with the ids of the changes that undid it. Absent if there are none. */
type MarkedChange = Change & { undoneBy?: number[] };

/**
 * Adds `undoneBy`. An undo is newer than its changes, so a list that begins with the newest change has it. Pure.
 * @param changes from the newest change on
 */
function withMarks(changes: readonly Change[]): MarkedChange[] {
  const undoneBy = new Map<number, number[]>();
  for (const { id, undoes = [] } of changes) {
    for (const undone of undoes) undoneBy.set(undone, [...(undoneBy.get(undone) ?? []), id]);
  }
  return changes.map((change) => {
    const by = undoneBy.get(change.id);
    return by === undefined ? change : { ...change, undoneBy: by };
  });
}

interface Stored {
  name?: string;
  zoneName?: string;
  type?: string;
  content?: string;
  ttl?: number | null;
  priority?: number | null;
  comment?: string;
}

function nameOf({ before, after }: Change): string | undefined {
  return ((after ?? before) as Stored | null)?.name;
}

function rowOf(change: MarkedChange): string[] {
  return [String(change.id), change.at, change.keyId, change.owner ?? '-', markOf(change), sentenceOf(change)];
}

/** The ids that a row shows. */
const SHOWN_IDS = 3;

/** For instance `undoes 9, undone by 12`, `restored to 2026-11-21T10:31:00.000Z`, or `-`. Pure. */
export function markOf({
  undoes = [],
  undoneBy = [],
  restoredTo,
}: Pick<MarkedChange, 'undoes' | 'undoneBy' | 'restoredTo'>): string {
  const marks = [
    restoredTo === undefined ? [] : `restored to ${restoredTo}`,
    undoes.length === 0 ? [] : `undoes ${idsIn(undoes)}`,
    undoneBy.length === 0 ? [] : `undone by ${idsIn(undoneBy)}`,
  ].flat();
  return marks.join(', ') || '-';
}

function idsIn(ids: readonly number[]): string {
  const more = ids.length - SHOWN_IDS;
  return `${ids.slice(0, SHOWN_IDS).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** For instance `update www A 192.0.2.1 → 192.0.2.2`. Pure. */
export function sentenceOf({ action, before, after }: Pick<Change, 'action' | 'before' | 'after'>): string {
  const [old, wanted] = [before as Stored | null, after as Stored | null];
  const [noun = '', verb = ''] = action.split('.');
  if (noun === 'zone') return `${verb} the zone`;
  const { name = '', type = '' } = wanted ?? old ?? {};
  if (old === null || wanted === null) return `${verb} ${name} ${type} ${shownValue(wanted ?? old)}`;
  const same = shownValue(old) === shownValue(wanted);
  const ttl = old.ttl === wanted.ttl ? '' : ` (TTL ${old.ttl ?? 'default'} → ${wanted.ttl ?? 'default'})`;
  return `${verb} ${name} ${type} ${shownValue(old)}${same ? '' : ` → ${shownValue(wanted)}`}${ttl}`;
}

function shownValue(record: Stored | null): string {
  const { priority, content = '' } = record ?? {};
  return priority === null || priority === undefined ? content : `${priority} ${content}`;
}
