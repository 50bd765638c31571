// The indexes of the cache of DNSRecords, which replace a scan of all objects in each run.

import type { IndexFunction } from '#kube/cache/indexes.ts';
import type { Cache } from '#kube/cache/store.ts';
import { findCondition } from '#kube/objects/conditions.ts';
import { keyOf } from '#kube/objects/resource.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { zoneKeyOf } from '#resources/zone-ref.ts';
import { BY_ZONE } from '../access/context.ts';
import { BY_CHECKED, BY_FOLLOWING, indexChecked, indexFollowing } from '../checks/checked-index.ts';

/** The DNSRecords that another object keeps from being Ready, by the key of their DNSZone. */
const BY_CONTESTED_ZONE = 'contestedZone';

/** By the key of the DNSZone and the first label in lower case, which all spellings of a name but the apex share. */
const BY_LABEL = 'label';

/** The DNSRecords that want PTR records. All of them have one value. */
export const BY_REVERSE = 'reverse';
export const REVERSE = 'true';

export const RECORD_INDEXES: Readonly<Record<string, IndexFunction<DNSRecord>>> = {
  [BY_ZONE]: (record) => [zoneKeyOf(record)],
  [BY_LABEL]: (record) => [labelOf(zoneKeyOf(record), record.spec.name)],
  [BY_CHECKED]: indexChecked,
  [BY_FOLLOWING]: indexFollowing,
  [BY_REVERSE]: ({ spec }) => (spec.reverse === true ? [REVERSE] : []),
  [BY_CONTESTED_ZONE]: (record) => (isBlockedByOther(record) ? [zoneKeyOf(record)] : []),
};

/** Whether a conflict with another object, or a missing grant of another object, keeps the object from being Ready. */
export function isBlockedByOther({ status }: DNSZone | DNSRecord): boolean {
  const reason = findCondition(status?.conditions, 'Ready')?.reason;
  return reason === 'Conflict' || reason === 'NotPermitted';
}

/** The DNSRecords of a DNSZone whose names have the same first label as this name. */
export function findWithLabel(records: Pick<Cache<DNSRecord>, 'byIndex'>, zoneKey: string, name: string): DNSRecord[] {
  return records.byIndex(BY_LABEL, labelOf(zoneKey, name));
}

function labelOf(zoneKey: string, name: string): string {
  return `${zoneKey} ${name.split('.', 1)[0]?.toLowerCase()}`;
}

/** The keys of the DNSRecords that may wait for a value of the DNSRecord with this key. */
export function contested(records: Pick<Cache<DNSRecord>, 'byIndex'>, zoneKey: string, key: string): string[] {
  const waitingKeys = records.byIndex(BY_CONTESTED_ZONE, zoneKey).map(keyOf);
  return waitingKeys.filter((each) => each !== key);
}
