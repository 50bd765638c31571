// Faults in reverse records: the zone that gets a PTR, the name that it has, and the time when it goes.
import type { Fault } from '../fault.ts';

const SQL = 'src/store/migrations/0000_schema.sql';
const TESTS = ['test/integration/service/reverse/reverse.test.ts'];

type Row = readonly [name: string, breaks: string, file: string, find: string, replace: string];

const faults = (project: Fault['project'], tests: readonly string[], rows: readonly Row[]): Fault[] =>
  rows.map(([name, breaks, file, find, replace]) => ({
    name: `reverse-${name}`,
    breaks,
    edits: [{ file, find, replace }],
    project,
    tests,
  }));

export const REVERSE_FAULTS: readonly Fault[] = [
  ...faults('integration', TESTS, [
    [
      'other-owner',
      'a team writes PTR records into the reverse zone of another one',
      SQL,
      'if home.no is null or home.owner <> of_owner then',
      'if home.no is null then',
    ],
    [
      'by-hand',
      'a PTR record is written next to one by hand',
      SQL,
      "and r.reverse_of is null) then 'HandWritten'",
      "and false) then 'HandWritten'",
    ],
    [
      'first',
      'an older record takes the PTR record of an address from the one that has it',
      SQL,
      'order by j.is_present desc, j.created_at, j.id',
      'order by j.created_at, j.id',
    ],
    [
      'orphans',
      'the PTR records of a deleted zone stay',
      SQL,
      "if tg_op = 'DELETE' then\n    insert into reverse_due",
      "if tg_op = 'UPDATE' then\n    insert into reverse_due",
    ],
    [
      'withdrawn',
      'a drained record keeps its PTR record',
      SQL,
      "when w.withdrawn then 'Withdrawn'",
      "when false then 'Withdrawn'",
    ],
    [
      'undone',
      'a restore of the reverse zone writes the PTR records of that time',
      'src/store/undo.ts',
      "? 'reverseOf', false)",
      "? 'nothing', false)",
    ],
    [
      'hides',
      'no deeper reverse zone can be created where the service wrote PTR records',
      'src/store/records.ts',
      '    isNull(records.reverseOf),\n',
      '',
    ],
  ]),
  ...faults(
    'unit',
    ['test/unit/service/reverse'],
    [
      [
        'types',
        'a key for other types writes PTR records',
        'src/service/reverse/scope.ts',
        'if (onlyTypes !== null && !onlyTypes.includes(REVERSE_TYPE)) return NOWHERE;',
        '',
      ],
    ],
  ),
];
