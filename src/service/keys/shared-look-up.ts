// Look-ups that every request makes. Requests that arrive while look-ups are in progress share the next statement, so
// that a busy process sends fewer statements than it gets requests. The statement is always sent after the request
// arrived, so a request never uses an outdated row: after a key was revoked, its next request is refused.
import type { Db } from '#store/database.ts';

/** The number of look-ups in progress in one process. With two, look-ups continue if one connection hangs. */
const AT_ONCE = 2;

interface LookUps<Asked, Found> {
  inProgress: number;
  /** The requested rows for which no statement was sent yet. */
  next: Map<string, PromiseWithResolvers<Found> & { asked: Asked }>;
}

/**
 * Creates a look-up by an id.
 * @param ask looks up all of them with one statement, and returns the answers in the same order
 */
export function sharedLookUp<Asked, Found>(
  ask: (db: Db, asked: readonly Asked[]) => Promise<readonly Found[]>,
): (db: Db, id: string, asked: Asked) => Promise<Found> {
  const lookUps = new WeakMap<Db, LookUps<Asked, Found>>();

  const send = async (db: Db, state: LookUps<Asked, Found>): Promise<void> => {
    if (state.inProgress === AT_ONCE || state.next.size === 0) return;
    const waiters = [...state.next.values()];
    state.next = new Map();
    state.inProgress += 1;
    try {
      const results = await ask(
        db,
        waiters.map(({ asked }) => asked),
      );
      for (const [at, { resolve }] of waiters.entries()) resolve(results[at] as Found);
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    } finally {
      state.inProgress -= 1;
      void send(db, state);
    }
  };

  return (db, id, question) => {
    const state = lookUps.get(db) ?? { inProgress: 0, next: new Map() };
    lookUps.set(db, state);
    const waits = state.next.get(id) ?? { ...Promise.withResolvers<Found>(), asked: question };
    state.next.set(id, waits);
    void send(db, state);
    return waits.promise;
  };
}
