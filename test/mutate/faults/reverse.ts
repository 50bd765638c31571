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
      [
        'named-zones',
        'a client that names zones widens the rights of its key',
        'src/service/reverse/scope.ts',
        'reverseIn.filter((zoneId) => scope.zones?.includes(zoneId) ?? true)',
        '[...reverseIn]',
      ],
    ],
  ),
  ...faults('integration', TESTS, [
    [
      'any-zone',
      'the zones that a set names do not limit its PTR records',
      'src/service/reverse/scope.ts',
      'if (reverseIn === undefined) return scope;',
      'if (reverseIn !== null) return scope;',
    ],
    [
      'generation',
      'a wish for a PTR record cannot be taken back under the same generation',
      'src/service/owners/set.ts',
      'JSON.stringify(withoutReverse(health ?? {}))',
      'JSON.stringify(health ?? {})',
    ],
    [
      'wish',
      'a wish that is taken back under the same generation stays',
      'src/service/owners/decide.ts',
      'isSame ? withWish(record.health, set, set.values[index])',
      'isSame ? record.health',
    ],
  ]),
  ...faults(
    'unit',
    ['test/unit/operator/reverse.test.ts'],
    [
      [
        'grant',
        'a namespace without a grant gets PTR records',
        'src/operator/record/reverse.ts',
        'permitsReverse(place.zone, namespace, place.relative, labelsIn(context))',
        'place.relative.length > 0',
      ],
      [
        'restored',
        'a restore of etcd removes PTR records',
        'src/operator/record/reconcile.ts',
        ' || losesReverse(object, desired, reverse ?? [])',
        '',
      ],
      [
        'grant-end',
        'a grant that ended while the operator was down counts on',
        'src/operator/record/owner.ts',
        'JSON.stringify([...facts, ...listReverse(set)])',
        'JSON.stringify(facts)',
      ],
      [
        'observed',
        'a DNSZone with a key that only reads grants PTR records',
        'src/operator/record/reverse.ts',
        'zones.find(({ spec }) => spec.credentialsSecretRef === undefined)',
        'zones[0]',
      ],
      [
        'deepest',
        'the grant of a zone counts in a deeper zone',
        'src/operator/record/reverse.ts',
        'for (const suffix of listSuffixes(name)) {',
        'for (const suffix of listSuffixes(name).reverse()) {',
      ],
      [
        'look',
        'a PTR record that is missing is never looked at again',
        'src/operator/record/prove.ts',
        ' || !isReversed;',
        ';',
      ],
    ],
  ),
  ...faults(
    'unit',
    ['test/unit/operator/triggers.test.ts'],
    [
      [
        'trigger',
        'a change of a grant is seen at the next edit of the record',
        'src/operator/run/triggers.ts',
        'if (zoneNameIndex(object).some(isReverseName))',
        'if (zoneNameIndex(object).length === 0)',
      ],
    ],
  ),
];
