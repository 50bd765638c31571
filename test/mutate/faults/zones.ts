// Faults in the life of zones: the key of a zone that is created again, creations and restores next to each other.
import type { Fault } from '../fault.ts';

const FORMER = 'src/store/former-keys.ts';
const KEPT: Pick<Fault, 'project' | 'tests'> = {
  project: 'integration',
  tests: ['test/integration/service/undo/kept-key.test.ts'],
};
const BESIDE: Pick<Fault, 'project' | 'tests'> = {
  project: 'integration',
  tests: ['test/integration/service/undo/beside-a-restore.test.ts'],
};

export const ZONE_FAULTS: readonly Fault[] = [
  {
    name: 'zones-key-lost',
    breaks: 'a zone that its owner creates again has another DNSSEC key',
    edits: [{ file: FORMER, find: "r.origin = 'zone_keys')\n", replace: "r.origin = 'no_keys')\n" }],
    ...KEPT,
  },
  {
    name: 'zones-key-foreign',
    breaks: 'another owner gets the DNSSEC key of a deleted zone',
    edits: [
      {
        file: FORMER,
        find: 'where name = $1 and team_id is not distinct from $2 and user_id is not distinct from $3 and until',
        replace: 'where name = $1 and ($2::text is null or true) and ($3::text is null or true) and until',
      },
    ],
    ...KEPT,
  },
  {
    name: 'zones-key-oldest',
    breaks: 'a zone gets the oldest of several former keys',
    edits: [{ file: FORMER, find: 'order by deleted_at desc, id', replace: 'order by deleted_at, id' }],
    ...KEPT,
  },
  {
    name: 'zones-key-ended',
    breaks: 'a key outlives the quarantine of its name',
    edits: [{ file: FORMER, find: 'and until > $4::timestamptz', replace: 'and $4::timestamptz is not null' }],
    ...KEPT,
  },
  {
    name: 'zones-new-key-ignored',
    breaks: 'the request for a new key has no effect',
    edits: [
      {
        file: 'src/service/zones/create.ts',
        find: 'earlierZone === null || isNew ? null',
        replace: 'earlierZone === null ? null',
      },
    ],
    ...KEPT,
  },
  {
    name: 'zones-new-key-annotation',
    breaks: 'the annotation of a DNSZone for a new key has no effect',
    edits: [
      {
        file: 'src/operator/zone/create.ts',
        find: "annotations?.[NEW_KEY] === 'true'",
        replace: "annotations?.[NEW_KEY] === 'yes'",
      },
    ],
    project: 'unit',
    tests: ['test/unit/operator/kept-keys.test.ts'],
  },
  {
    name: 'zones-key-forgotten',
    breaks: 'the condition of a DNSZone forgets which key its zone got',
    edits: [{ file: 'src/operator/zone/find.ts', find: ', key: object.status?.key }', replace: ' }' }],
    project: 'unit',
    tests: ['test/unit/operator/kept-keys.test.ts'],
  },
  {
    name: 'zones-restore-holds-tree',
    breaks: 'a restore copies its rows under the lock that every creation of a zone needs',
    edits: [
      {
        file: 'src/service/undo/zone.ts',
        find: '    const { zone, grants } = await bringBack(tx, context, deletedZone);',
        replace: '    await enterTree();\n    const { zone, grants } = await bringBack(tx, context, deletedZone);',
      },
      {
        file: 'src/service/undo/zone.ts',
        find: '    await enterTree();\n    await mustStillManage',
        replace: '    await mustStillManage',
      },
    ],
    ...BESIDE,
  },
  {
    name: 'zones-records-hold-tree',
    breaks: 'a creation writes its records under the lock that every creation of a zone needs',
    edits: [
      {
        file: 'src/service/zones/create.ts',
        find: '    if (records === undefined) await enterTree();',
        replace: '    await enterTree();',
      },
      {
        file: 'src/service/zones/create.ts',
        find: '      await enterTree();\n      await mustFit(tx, zone);',
        replace: '      await mustFit(tx, zone);',
      },
    ],
    ...BESIDE,
  },
  {
    name: 'zones-restore-hides',
    breaks: 'a zone that was created below a restored one meanwhile hides its records',
    edits: [{ file: 'src/service/undo/zone.ts', find: '    await mustHaveChildren(tx, zone, below);\n', replace: '' }],
    ...BESIDE,
  },
  {
    name: 'zones-name-lock',
    breaks: 'a second creation of a name waits for the first one with the lock of the tree',
    edits: [{ file: 'src/service/zones/tree.ts', find: '    await lockZoneName(tx, name);\n', replace: '' }],
    ...BESIDE,
  },
  {
    name: 'zones-lame-delegation',
    breaks: 'the parent delegates a new child zone before every name server has it',
    edits: [
      {
        file: 'src/service/nodes/child-zones.ts',
        find: "return isDue || livingInstances.every((row) => judgeInstance(row, id, [xid]).state !== 'behind');",
        replace: 'return isDue || livingInstances.length >= 0;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/child-zones.test.ts'],
  },
  {
    name: 'zones-deleted-number',
    breaks: 'an owner has any number of deleted zones, and each deletion reads all of them',
    edits: [
      {
        file: 'src/service/zones/quarantine.ts',
        find: 'zones: Math.max(room.zones, LEAST_KEPT)',
        replace: 'zones: 1e9',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/undo/zone.test.ts'],
  },
  {
    name: 'zones-delegation-queue',
    breaks: 'an owner whose parents are busy delays the delegations of other owners',
    edits: [
      { file: 'src/service/nodes/child-zones.ts', find: 'const BUSY_MS = 100;', replace: 'const BUSY_MS = 5_000;' },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/child-zones.test.ts'],
  },
  {
    name: 'zones-delegation-stuck',
    breaks: 'a silent node delays a delegation without a limit',
    edits: [
      {
        file: 'src/service/nodes/child-zones.ts',
        find: 'return isDue || livingInstances.every(',
        replace: 'return livingInstances.every(',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/child-zones.test.ts'],
  },
  {
    name: 'zones-delegation-forgotten',
    breaks: 'a delegation whose api ended is lost',
    edits: [
      {
        file: 'src/service/nodes/child-zones.ts',
        find: 'const IDLE_MS = 1_000;',
        replace: 'const IDLE_MS = 1_000_000;',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/child-zones.test.ts'],
  },
  {
    name: 'zones-lame-departure',
    breaks: 'name servers remove a deleted child zone while others delegate it',
    edits: [
      {
        file: 'src/service/zones/zones.ts',
        find: '    if (parent) await beginDeparture(tx, id);\n',
        replace: '',
      },
    ],
    project: 'integration',
    tests: ['test/integration/service/nodes/child-zones.test.ts'],
  },
];
