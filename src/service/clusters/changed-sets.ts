// The sets of a cluster whose records another client changed in the last minute: the answer to a heartbeat tells them,
// so that the operator sees such a change within seconds.
import { orderName } from '#dns/names/name.ts';
import { ownersAtChanges, type UnownedChange, unownedChanges } from '#store/unowned-changes.ts';
import { type Actor, mayWriteRecord } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { readKeyNames } from '../keys/names.ts';
import type { ClusterView } from './clusters.ts';

export interface ChangedSet {
  /** The number of the change in the history. */
  change: number;
  zoneId: string;
  /** The owner whose records were changed. */
  owner: string;
  /** The key that changed them. */
  by: string;
}

/**
 * A change is told again until it is a minute old, so that a lost answer loses none. The records are those that the key
 * may write.
 * @param cluster the answer to its heartbeat
 */
export async function readChangedSets(
  context: ServiceContext,
  actor: Actor,
  { name, owner }: Pick<ClusterView, 'name' | 'owner'>,
): Promise<ChangedSet[]> {
  const holder = owner === 'personal' ? actor.user?.id : owner.slice('org:'.length);
  const changes = holder === undefined ? [] : await unownedChanges(context.db, holder);
  const visibleChanges = changes.filter(({ zoneId, ...record }) => mayWriteRecord(actor, zoneId, record));
  if (visibleChanges.length === 0) return [];
  const places = visibleChanges.map((change) => ({ ...change, ordername: orderName(change.name) }));
  const owners = await ownersAtChanges(context.db, name, places);
  if (owners.length === 0) return [];
  const byId = new Map(visibleChanges.map((change) => [change.id, change]));
  const names = await readKeyNames(
    context,
    visibleChanges.map(({ keyId }) => keyId),
  );
  return owners.flatMap(({ change, owner: ownerName }) => {
    const unownedChange = byId.get(change);
    return unownedChange
      ? [
          {
            change,
            zoneId: unownedChange.zoneId,
            owner: ownerName,
            by: keyText(unownedChange, names.get(unownedChange.keyId)),
          },
        ]
      : [];
  });
}

/** The name of a key of a person is theirs, so only the keys of apps have one here. */
function keyText({ keyId }: UnownedChange, key: { name: string; email: string | null } | undefined): string {
  return key === undefined || key.email !== null ? `key ${keyId}` : `key ${key.name} (${keyId})`;
}
