// One zone for tests of undo and restore: its records as texts, its history, and the requests.
import type { Change } from '#contract/change.ts';
import type { UndoAnswer } from '#contract/undo.ts';
import type { Reply } from '../http/requests.ts';
import type { TestKey } from './keys.ts';
import type { TestService } from './service.ts';

export interface UndoZone {
  id: string;
  path: string;
  add(name: string, type: string, content: string, more?: object): Promise<string>;
  put(id: string, record: object): Promise<void>;
  drop(id: string): Promise<void>;
  /** Applies a set of an owner, of type A unless `more` has another one. */
  own(owner: string, name: string, values: string[], more?: object): Promise<void>;
  /** `www A 60 192.0.2.1 (comment)`, sorted. */
  records(): Promise<string[]>;
  /** All changes, the newest first. */
  changes(): Promise<Change[]>;
  /** The ids of the changes, the newest first. */
  ids(): Promise<number[]>;
  undo(body: object, key?: TestKey, headers?: Record<string, string>): Promise<Reply>;
  /** @throws if it is refused */
  undone(body: object): Promise<UndoAnswer>;
  restore(body: object, key?: TestKey, headers?: Record<string, string>): Promise<Reply>;
  /** @throws if it is refused */
  restored(body: object): Promise<UndoAnswer>;
  serial(): Promise<number>;
}

interface Row {
  id: string;
  name: string;
  type: string;
  ttl: number;
  content: string;
  priority: number | null;
  comment?: string;
}

export async function undoZone(service: TestService, name?: string): Promise<UndoZone> {
  const { id } = await service.zone(name);
  return undoZoneAt(service, id);
}

export function undoZoneAt({ request, admin }: TestService, id: string): UndoZone {
  const path = `/zones/${id}`;
  const good = (reply: Reply): Reply => {
    if (reply.status >= 300) throw new Error(`${reply.status} ${reply.text}`);
    return reply;
  };
  const undo: UndoZone['undo'] = (body, key = admin, headers = {}) =>
    request('POST', `${path}/changes:undo`, body, key.text, headers);
  const restore: UndoZone['restore'] = (body, key = admin, headers = {}) =>
    request('POST', `${path}:restore`, body, key.text, headers);
  const changes = async () => {
    const found: Change[] = [];
    let query = '?limit=1000';
    for (;;) {
      const { body } = good(await request('GET', `${path}/changes${query}`));
      found.push(...(body.changes as Change[]));
      if (body.next === undefined) return found;
      query = `?limit=1000&cursor=${body.next}`;
    }
  };
  return {
    id,
    path,
    add: async (at, type, content, more = {}) =>
      good(await request('POST', `${path}/records`, { name: at, type, content, ...more })).body.id as string,
    put: async (record, body) => void good(await request('PUT', `${path}/records/${record}`, body)),
    drop: async (record) => void good(await request('DELETE', `${path}/records/${record}`)),
    own: async (owner, at, values, more = {}) => {
      const set = { owner, name: at, type: 'A', values: values.map((content) => ({ content })), ...more };
      good(await request('POST', `${path}/records:apply`, { sets: [set], atomic: true }));
    },
    records: async () => {
      const { body } = good(await request('GET', `${path}/records`));
      return (body.records as Row[]).map(formatRow).sort();
    },
    changes,
    ids: async () => (await changes()).map((change) => change.id),
    undo,
    undone: async (body) => good(await undo(body)).body as unknown as UndoAnswer,
    restore,
    restored: async (body) => good(await restore(body)).body as unknown as UndoAnswer,
    serial: async () => good(await request('GET', path)).body.serial as number,
  };
}

function formatRow({ name, type, ttl, content, priority, comment }: Row): string {
  const words = [name, type, ttl, ...(priority === null ? [] : [priority]), content];
  return `${words.join(' ')}${comment === undefined ? '' : ` (${comment})`}`;
}
