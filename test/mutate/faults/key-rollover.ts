// Faults in the key rolls that DNSZones ask for.
import type { Fault } from '../fault.ts';
import { fault } from './fault.ts';

const DECISION = 'test/unit/operator/key-rollover.test.ts';
const CHECKS = 'test/unit/operator/key-checks.test.ts';

export const KEY_ROLLOVER_FAULTS: readonly Fault[] = [
  fault(
    'key-rollover-cancelled',
    'the operator begins a roll again that a person cancelled',
    ['src/operator/zone/key-rollover.ts', 'isCancelled: cancelledAt >= requestedMs', 'isCancelled: false'],
    'unit',
    DECISION,
  ),
  fault(
    'key-rollover-algorithm-cancelled',
    'a cancelled roll to another algorithm begins again at once',
    ['src/operator/zone/key-rollover.ts', 'isCancelled: cancelledAt > from', 'isCancelled: false'],
    'unit',
    DECISION,
  ),
  fault(
    'key-rollover-period',
    'a cancelled roll by age begins again at once',
    [
      'src/operator/zone/key-rollover.ts',
      'Math.max(oldestOf(keys), cancelledAt) + readPeriodMs',
      'oldestOf(keys) + readPeriodMs',
    ],
    'unit',
    DECISION,
  ),
  fault(
    'key-rollover-under-way',
    'a roll begins while another one is under way',
    ['src/operator/zone/key-rollover.ts', ' || roll !== null || ', ' || '],
    'unit',
    DECISION,
  ),
  fault(
    'key-rollover-age',
    'a key that was made before the request and signs since later answers it',
    [
      'src/operator/zone/key-rollover.ts',
      '({ createdAt }) => Date.parse(createdAt)',
      '({ since }) => Date.parse(since)',
    ],
    'unit',
    DECISION,
  ),
  fault(
    'key-rollover-unserved',
    'a roll begins while a name server does not answer, or by an object that is older than the zone',
    ['src/operator/zone/key-checks.ts', 'mayBegin: isServed && mayChange', 'mayBegin: true'],
    'unit',
    CHECKS,
  ),
  fault(
    'key-rollover-lost-status',
    'a status that another write prevented lacks the keys for minutes',
    ['src/operator/zone/key-checks.ts', ' || !isSameKeys(status, last.fields)', ''],
    'unit',
    CHECKS,
  ),
  fault(
    'key-rollover-finished',
    'the Events call a cancelled roll finished',
    ['src/operator/zone/key-status.ts', 'oldest !== undefined && !keys.some(', 'oldest !== undefined || keys.some('],
    'unit',
    CHECKS,
  ),
  fault(
    'key-rollover-noted',
    'the service does not keep that a roll was cancelled',
    ['src/service/key-rolls/roll.ts', 'await noteCancelledRoll(tx, zone.id, rollCancelledAt);\n', ''],
    'integration',
    'test/integration/service/key-rolls/roll.test.ts',
  ),
  fault(
    'key-rollover-kept',
    'a zone that is created again forgets that a roll of its key was cancelled',
    ['src/store/former-keys.ts', 'r.created_at, r.roll_cancelled_at', 'r.created_at, null::timestamptz'],
    'integration',
    'test/integration/service/key-rolls/roll.test.ts',
  ),
];
