// docs/reference/conditions.md: the conditions, and the advice for each of their reasons.
import {
  DELEGATED_ADVICE,
  KEY_ROLL_ADVICE,
  READY_ADVICE,
  TARGETS_ADVICE,
  UNHEALTHY_ADVICE,
} from '#resources/advice.ts';
import { code, page, paragraph, table } from './markdown.ts';

/** In Markdown. */
const CONDITIONS: readonly (readonly [type: string, kind: string, meaning: string])[] = [
  ['Accepted', 'both', 'the object is valid, permitted, and not in conflict with another object'],
  ['Programmed', 'both', 'the service has stored it'],
  [
    'Propagated',
    'DNSRecord',
    '[every living node has it, and every name server answers it](../explanation/what-ready-means.md); the message names the servers',
  ],
  [
    'Delegated',
    'DNSZone',
    'the parent zone points to the name servers and has the DS record; `Ready` does not depend on it',
  ],
  [
    'Healthy',
    'DNSRecord',
    'every address of a record with `spec.healthCheck` or `spec.healthFrom` works; only such a record has it, and `Ready` does not depend on it',
  ],
  [
    'DeletionBlocked',
    'DNSZone',
    'the zone is not deleted: it contains records that no DNSRecord owns, or too many DNSZones or their CRD were deleted',
  ],
  [
    'DeletionsHeld',
    'DNSZone',
    '[too many DNSRecords, or their CRD, were deleted](../explanation/ownership-drift-adoption.md#many-deletions-at-once), and their records remain',
  ],
  [
    'Degraded',
    'DNSZone',
    '[a name server has answered nothing for two minutes](../explanation/what-ready-means.md), and the zone is Ready without it; the reason is `NameServerUnreachable`, or `NameServerCordoned` for [planned work](../how-to/cordon-name-servers.md)',
  ],
  [
    'EtcdRestored',
    'DNSZone',
    '[etcd was restored from a backup](../how-to/after-an-etcd-restore.md), and the operator releases no records and deletes no zones until an owner accepts the older objects; the reason is `OlderObjects`',
  ],
  [
    'TargetsExist',
    'DNSZone',
    'no record points to [a name that is known not to exist](../how-to/dangling-names.md); absent while that was never found',
  ],
  [
    'KeysRolling',
    'DNSZone',
    '[a key roll](../how-to/roll-a-dnssec-key.md) is under way, and the message says what it waits for; absent on a zone that never had one and asks for none',
  ],
  [
    'Ready',
    'both',
    'all of the above except `Delegated`, `Healthy`, `DeletionBlocked`, `DeletionsHeld`, `Degraded`, `EtcdRestored`, `TargetsExist` and `KeysRolling`',
  ],
];

export function conditionsPage(): string {
  return page(
    'Conditions',
    paragraph(
      'This page lists the conditions of DNSZone and DNSRecord, the reason of each problem, and how to fix it. The message of a condition always names the concrete object, value or server. [`kubectl zonestead why`](../how-to/kubectl-plugin.md) prints both for one object.',
    ),
    table(
      ['condition', 'kind', 'True means'],
      CONDITIONS.map(([type, kind, meaning]) => [code(type), kind, meaning]),
    ),
    paragraph(
      'Every condition but `Healthy` begins as `Unknown` with reason `Pending`. While the api is unavailable, objects that were Ready stay Ready with reason `APIUnavailable`.',
    ),
    '## Ready',
    'These reasons appear in `Ready` while it is not True, and in the condition that causes it.',
    table(
      ['reason', 'meaning', 'remedy'],
      Object.entries(READY_ADVICE).map(([reason, { meaning, remedy }]) => [code(reason), meaning, remedy]),
    ),
    '## Delegated',
    table(
      ['reason', 'status', 'meaning', 'remedy'],
      Object.entries(DELEGATED_ADVICE).map(([reason, { status, meaning, remedy }]) => [
        code(reason),
        status,
        meaning,
        remedy,
      ]),
    ),
    '## TargetsExist',
    table(
      ['reason', 'meaning', 'remedy'],
      Object.entries(TARGETS_ADVICE).map(([reason, { meaning, remedy }]) => [code(reason), meaning, remedy]),
    ),
    '## KeysRolling',
    'The reasons `RollUnderWay` (True) and `NotRolling` (False) need no action.',
    table(
      ['reason', 'status', 'meaning', 'remedy'],
      Object.entries(KEY_ROLL_ADVICE).map(([reason, { status, meaning, remedy }]) => [
        code(reason),
        status,
        meaning,
        remedy,
      ]),
    ),
    '## Healthy',
    'The addresses are in `status.members`, each with its state and the reason.',
    table(
      ['reason', 'status', 'meaning', 'remedy'],
      Object.entries(UNHEALTHY_ADVICE).map(([reason, { status, meaning, remedy }]) => [
        code(reason),
        status,
        meaning,
        remedy,
      ]),
    ),
  );
}
