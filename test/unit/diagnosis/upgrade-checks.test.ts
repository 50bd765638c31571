// The findings before and after an upgrade.
import { expect, test } from 'vitest';
import { checkUpgrade, type NodeFacts, type UpgradeFacts } from '#diagnosis/upgrade-checks.ts';

const NODE: NodeFacts = {
  name: 'ns1',
  version: '2.0.0',
  isLiving: true,
  isDuplicate: false,
  lagSeconds: 0,
  failingCount: 0,
  held: null,
};
const SOUND: UpgradeFacts = {
  pendingMigrations: [],
  laterMigrations: 0,
  invalidIndexes: [],
  clearKeys: 0,
  apis: [{ name: '10.0.0.1', version: '2.0.0' }],
  operators: [{ name: 'prod', version: '2.0.0' }],
  nodes: [NODE],
  archive: { lastAgeSeconds: 60, isFailing: false },
};

/** The findings that are not well, by level. */
const faults = (facts: Partial<UpgradeFacts>) =>
  checkUpgrade({ ...SOUND, ...facts }, '2.0.0').flatMap(({ level, what }) =>
    level === 'ok' ? [] : [`${level}: ${what}`],
  );
const node = (changes: Partial<NodeFacts>) => faults({ nodes: [{ ...NODE, ...changes }] });

test('an installation of one version with current name servers and a fresh archive has no fault', () => {
  expect(faults({})).toEqual([]);
});

test('parts of another version are warnings, also those that do not say theirs', () => {
  expect(
    faults({
      apis: [{ name: '10.0.0.1', version: '1.9.0' }],
      operators: [{ name: 'prod', version: null }],
      nodes: [{ ...NODE, version: '1.9.0' }],
    }),
  ).toEqual([
    'warn: replica of the api 10.0.0.1: version 1.9.0',
    'warn: operator of cluster prod: version unknown',
    'warn: name server ns1: version 1.9.0',
  ]);
});

test('missing migrations are a warning, and migrations of a newer version and unusable indexes are failures', () => {
  expect(
    faults({ pendingMigrations: ['0001_more'], laterMigrations: 2, invalidIndexes: ['records_name_idx'] }),
  ).toEqual([
    'fail: the database has 2 migrations of a newer version than this program',
    'warn: the database lacks the migrations 0001_more',
    'fail: the build of these indexes has failed: records_name_idx',
  ]);
});

test.each([
  [null, 'warn: the database archives no WAL, so the age of its backups is unknown'],
  [{ lastAgeSeconds: 7_200, isFailing: false }, 'fail: the database archived WAL 120 min ago'],
  [{ lastAgeSeconds: null, isFailing: false }, 'fail: the database archived WAL never'],
  [{ lastAgeSeconds: 60, isFailing: true }, 'fail: the database archived WAL 1 min ago, and its last attempt failed'],
])('an archive that is %j is told', (archive, fault) => {
  expect(faults({ archive })).toEqual([fault]);
});

test.each([
  [{ isLiving: false }, ['warn: name server ns1 is silent', 'fail: no name server reports to the api']],
  [{ lagSeconds: null }, ['fail: name server ns1: it has not applied its first list']],
  [{ lagSeconds: 45 }, ['fail: name server ns1: it is 45 s behind']],
  [{ failingCount: 3 }, ['fail: name server ns1: it does not serve 3 zones as it should']],
  [{ held: { count: 2 } }, ['fail: name server ns1: it holds 2 zones that the database lacks']],
  [{ isDuplicate: true }, ['fail: name server ns1: another process has its name']],
])('a name server that is %j stops an upgrade, which restarts others', (changes, expected) => {
  expect(node(changes)).toEqual(expected);
});
