// The log line about a change of records that have owners, for protocols whose answers cannot name them.
import { MAX_TOLD_OWNERS } from '#base/owner-names.ts';
import type { OwnedChange } from '../records/rrsets.ts';

/** The record sets of a line: a request has up to thousands. */
const MAX_SETS = 10;

interface WarnLog {
  warn(fields: object, message: string): void;
}

/** Writes one line at level warn, unless no record has an owner. @param fields the request and its key */
export function logOwned(log: WarnLog, zone: string, ownedChanges: readonly OwnedChange[], fields: object): void {
  if (ownedChanges.length === 0) return;
  const sets = ownedChanges.slice(0, MAX_SETS).map(({ name, type, owners }) => ({
    ...{ name, type, owners: owners.slice(0, MAX_TOLD_OWNERS) },
    ...(owners.length > MAX_TOLD_OWNERS ? { moreOwners: owners.length - MAX_TOLD_OWNERS } : {}),
  }));
  const more = ownedChanges.length > MAX_SETS ? { more: ownedChanges.length - MAX_SETS } : {};
  log.warn(
    { ...fields, zone, sets, ...more },
    'a client changed records that have owners, which may revert the change',
  );
}
