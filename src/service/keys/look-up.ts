// Looks up the key of every request. Requests that arrive while look-ups are in progress share the next statement, so that a busy
// process sends fewer statements than it gets requests. The statement is always sent after the request arrived, so a request
// never uses an outdated key: after a key was revoked, its next request is refused.
import type { Db } from '#store/database.ts';
import { type KeyRow, keysByIds } from '#store/keys.ts';

/** The number of look-ups in progress in one process. With two, look-ups continue if one connection hangs. */
const AT_ONCE = 2;

interface LookUps {
  inProgress: number;
  /** The requested keys for which no statement was sent yet. */
  next: Map<string, PromiseWithResolvers<KeyRow | null>>;
}

const lookUps = new WeakMap<Db, LookUps>();

/** Null: there is no such key. */
export function lookUpKey(db: Db, id: string): Promise<KeyRow | null> {
  const state = lookUps.get(db) ?? { inProgress: 0, next: new Map() };
  lookUps.set(db, state);
  const asked = state.next.get(id) ?? Promise.withResolvers<KeyRow | null>();
  state.next.set(id, asked);
  void send(db, state);
  return asked.promise;
}

async function send(db: Db, state: LookUps): Promise<void> {
  if (state.inProgress === AT_ONCE || state.next.size === 0) return;
  const asked = state.next;
  state.next = new Map();
  state.inProgress += 1;
  try {
    const found = new Map((await keysByIds(db, [...asked.keys()])).map((key) => [key.id, key]));
    for (const [id, { resolve }] of asked) resolve(found.get(id) ?? null);
  } catch (error) {
    for (const { reject } of asked.values()) reject(error);
  } finally {
    state.inProgress -= 1;
    void send(db, state);
  }
}
