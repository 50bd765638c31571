// Refusals of undo and restore.
import type { RefusalText } from './rule.ts';

export const UNDO_REFUSALS = {
  'undo-conflicts': {
    code: 'conflict',
    sentence: 'Nothing was changed. {problems}',
    about:
      'Some records cannot be put back: a later change wrote them, an owner keeps them, or a rule about records forbids it. A preview (`dryRun`) lists all conflicts.',
  },
  'undo-against-rule': {
    code: 'conflict',
    sentence: '{name} {type}: {problem}',
    about: 'A rule about records forbids the earlier records, for instance because the name is a CNAME now.',
  },
  'no-change': {
    code: 'not_found',
    field: 'changes',
    sentence:
      'the history of this zone has no change {id}. History is deleted after the days in ZONESTEAD_HISTORY_DAYS, which is 400 unless the administrator chose another number.',
  },
  'undo-nothing': {
    code: 'not_found',
    sentence: 'The history of this zone has no change of records that matches. List the changes to see their ids.',
  },
  'undo-of-zone': {
    code: 'bad_request',
    field: 'changes',
    sentence:
      '{id} is a change of the zone itself ({action}), and only changes of records can be undone. Park, unpark or change the zone instead.',
  },
  'undo-too-many': {
    code: 'bad_request',
    sentence:
      'At most {limit} changes are undone at once, and more match. Select fewer, or restore the zone as it was at a time.',
  },
  'undo-too-old': {
    code: 'bad_request',
    sentence:
      'The zone changed too often since then to undo single changes. Restore the zone as it was at a time, or write the records again.',
  },
  'undo-beyond-history': {
    code: 'bad_request',
    field: 'since',
    sentence: 'the history of this zone is complete only after {from}, and {at} is earlier; choose a later time.',
  },
  'restores-a-part': {
    code: 'forbidden',
    sentence:
      'This key may only write records of some names or types, and a restore puts back all records of the zone; undo single changes instead.',
  },
  'restore-in-future': {
    code: 'bad_request',
    field: 'at',
    sentence: 'the time {at} is later than now ({now}); choose an earlier time.',
  },
  'restore-before-zone': {
    code: 'bad_request',
    field: 'at',
    sentence: 'the zone was created at {created}, and {at} is earlier; choose a later time.',
  },
  'restore-beyond-history': {
    code: 'bad_request',
    field: 'at',
    sentence:
      'the history of this zone is complete only after {from}, and {at} is earlier; choose a later time. History is deleted after the days in ZONESTEAD_HISTORY_DAYS, and earlier if there is more than ZONESTEAD_HISTORY_BYTES.',
  },
  'no-deleted-zone': {
    code: 'not_found',
    field: 'zoneName',
    sentence:
      'there is no deleted zone {name} of this account that can be restored. A zone is kept for the hours in ZONESTEAD_QUARANTINE_HOURS after its deletion, unless the administrator releases its name earlier or the owner deletes more than its quota of zones or records.',
  },
  'zone-there-again': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      '{name} exists again, as {id} with {held} records. The deleted zone {deleted} has {count} records and can be restored until {until}: delete {id} first, and then restore with "zoneId": "{deleted}". {key}',
  },
  'zone-hides-deleted': {
    code: 'conflict',
    field: 'zoneName',
    sentence:
      'the zone {child} ({id}) was created below {zone} since its deletion, and would hide {count} record(s) of it: {names}. Delete {child} first, and create it again after the restore.',
  },
  'restore-too-large': {
    code: 'bad_request',
    sentence:
      'The records that differ are larger than {mebibytes} MiB in total. Choose a later time, or undo single changes.',
  },
} as const satisfies Record<string, RefusalText>;
