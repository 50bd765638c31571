// How the cache of DNSRecords is searched: what would otherwise be a walk over all of them for each of them. Pure.
import { findCondition } from '../kube/conditions.ts';
import type { IndexFunction } from '../kube/indexes.ts';
import { BY_RECORD_ID, BY_ZONE } from './house.ts';
import { ledgerOf, type Seal } from './record-birth.ts';
import { BY_LABEL, labelIndex } from './record-elders.ts';
import { zoneKeyOf } from './record-zone.ts';
import type { DNSRecord } from './resources/dnsrecord.ts';
import type { DNSZone } from './resources/dnszone.ts';

/** By the key of its DNSZone: those who want what another one has. */
export const BY_CONTESTED_ZONE = 'contestedZone';
/** By the id of the zone: those whose creation was sent, and who do not know what it made. */
export const BY_EXPECTED_IN = 'expectedIn';

export function recordIndexes(seal: Seal): Record<string, IndexFunction<DNSRecord>> {
  return {
    [BY_ZONE]: (record) => [zoneKeyOf(record)],
    [BY_LABEL]: labelIndex,
    [BY_RECORD_ID]: ({ status }) => (status?.records ?? []).flatMap(({ id }) => id ?? []),
    [BY_CONTESTED_ZONE]: (record) => (isLoser(record) ? [zoneKeyOf(record)] : []),
    [BY_EXPECTED_IN]: (record) => {
      const { zoneId, entries } = ledgerOf(record, seal);
      return zoneId !== undefined && entries.some(({ id }) => id === undefined) ? [zoneId] : [];
    },
  };
}

/** Whether it wants what another one has, or may not have for another one's sake. */
export function isLoser({ status }: DNSZone | DNSRecord): boolean {
  const reason = findCondition(status?.conditions, 'Ready')?.reason;
  return reason === 'Conflict' || reason === 'NotPermitted';
}
