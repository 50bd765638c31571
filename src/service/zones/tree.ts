// The order in which zones are created and restored. Whether a zone may be added depends on the zones around it, so one
// lock of the database, that of the tree of zones, lets one transaction at a time decide that. Everything that takes
// long happens before it:
//
//     1. the turn of the name    A second creation of the same name waits in memory, and at another replica for the
//                                lock of the name.
//     2. the turn of the parent  It may be busy, which concerns its owner alone.
//     3. a slot of the process   Few transactions wait for the lock of the tree with a connection; teams take turns.
//     4. the lock of the tree    Held for the last checks and the commit.
//
// A long transaction, which also writes records, takes steps 3 and 4 when everything is written. A crash at any line
// leaves nothing behind, because all of it is one transaction, whose locks end with it.
import type { Tx } from '#store/database.ts';
import { lockZoneName, lockZoneTree } from '#store/zones.ts';
import { inTurn } from '../change/locked.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';

interface Addition {
  /** Canonical. */
  name: string;
  /** The ids of the zones whose turn the transaction needs: that of its parent, if it belongs to the same owner. */
  turns: readonly string[];
  /** Whether the transaction writes records before it enters the tree. */
  isLong: boolean;
}

/**
 * Runs the transaction that adds a zone.
 * @param work calls `enterTree` before its last checks, and does nothing after them that takes long
 * @throws Refusal busy; the errors of `work`
 */
export async function addZone<T>(
  context: ServiceContext,
  caller: Caller,
  { name, turns, isLong }: Addition,
  work: (tx: Tx, enterTree: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let leave = () => {};
  const takeSlot = async () => {
    leave = await context.additions.take(holderOf(caller.actor));
  };
  const runLocked = async (tx: Tx) => {
    await lockZoneName(tx, name);
    return work(tx, async () => {
      if (isLong) await takeSlot();
      await lockZoneTree(tx);
    });
  };
  try {
    return await inTurn(context, caller, [`name ${name}`, ...turns], runLocked, {
      before: isLong ? undefined : takeSlot,
    });
  } finally {
    leave();
  }
}
