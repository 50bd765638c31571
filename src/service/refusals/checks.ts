// Refusals about health checks and the addresses that they probe.
import type { RefusalText } from './rule.ts';

export const CHECK_REFUSALS = {
  'no-check': {
    code: 'not_found',
    field: 'name',
    sentence: 'the check {name} does not exist: {known}.',
  },
  'check-of-several': {
    code: 'bad_request',
    field: 'owner',
    sentence: 'several owners have a check {name}: {owners}. Name one of them.',
  },
  'check-in-use': {
    code: 'conflict',
    field: 'name',
    sentence: '{records} records name the check {name}. Take it off them first, or name another one there.',
  },
  'too-many-checks': {
    code: 'forbidden',
    sentence: 'a team or person has at most {limit} checks; delete one of them first.',
  },
  'checks-need-all-records': {
    code: 'forbidden',
    sentence:
      'A check decides about the records of all zones of its owner, so this needs a key that may {verb} all of their records, without a list of names or types.',
  },
  'no-target': {
    code: 'not_found',
    field: 'address',
    sentence: 'no record with the check {name} has the address {address}. zonestead checks show {name} lists them.',
  },
  'check-without-signals': {
    code: 'conflict',
    field: 'name',
    sentence:
      'the check {name} has the type {type}: the service probes its addresses, so no monitor sends their state. A signal needs a check of the type signal.',
  },
  'may-not-signal': {
    code: 'forbidden',
    sentence:
      'This key may not send signals for the check {name}: its right "signals" names {names}. A key that may write all records of the owner may send signals for every check.',
  },
  'wrong-address': {
    code: 'bad_request',
    field: 'address',
    sentence: '{address} is not an address.',
  },
} as const satisfies Record<string, RefusalText>;
