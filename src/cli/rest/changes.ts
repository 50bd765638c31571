// `zonestead changes list`: the history of a zone.
import type { Change } from '#client/client.ts';
import { show } from '../output.ts';
import { table } from '../table.ts';
import { type Session, zoneOf } from './session.ts';

const DEFAULT_LIMIT = 100;
/** The most changes of one page. */
const PAGE = 1_000;

/** @throws Error if the API key cannot see the zone */
export async function listChanges(
  session: Session,
  nameOrId: string,
  { limit = DEFAULT_LIMIT, name }: { limit?: number; name?: string },
): Promise<void> {
  const { client, signal, print } = session;
  const { id } = await zoneOf(session, nameOrId);
  const read: Change[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: Math.min(PAGE, limit - read.length), ...(cursor === undefined ? {} : { cursor }) };
    const { changes: some, next } = await client.zones.changes(id, page, { signal });
    read.push(...some);
    cursor = next;
  } while (cursor !== undefined && read.length < limit);
  const changes = name === undefined ? read : read.filter((change) => nameOf(change) === name);
  await show(session, { changes }, () => {
    if (changes.length === 0) print('no changes');
    else table(['ID', 'TIME', 'KEY', 'OWNER', 'CHANGE'], changes.map(rowOf), print);
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

function rowOf(change: Change): string[] {
  return [String(change.id), change.at, change.keyId, change.owner ?? '-', sentenceOf(change)];
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
