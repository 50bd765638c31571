// Which versions may follow each other on one database, and what a migration locks. The chain of versions is made up.
import { expect, test } from 'vitest';
import { planLines } from '#cli/serve/migration-lines.ts';
import { indexesToBuild, missingSteps, oldestAfter, refuseJump, toStep } from '#store/schema-steps.ts';
import { createdTables, locksOf } from '#store/statement-locks.ts';

// 0.2.0 adds a column next to an old one, 0.3.0 uses it alone, and 0.4.0 drops the old one.
const CHAIN = [
  toStep('0000_schema', 100, 'create table notes (old text)'),
  toStep('0001_expand', 200, 'alter table notes add column new text'),
  toStep('0002_contract', 400, '-- contract: 0.3.0\nalter table notes drop column if exists old'),
  toStep('0003_contract', 600, '-- contract: 0.5.0\ndrop table if exists notes'),
];
const database = (appliedUntil: number | null, ...versions: string[]) => ({
  appliedUntil,
  versions,
  oldestVersion: null,
});
const judge = (version: string, state: ReturnType<typeof database>, chain = CHAIN.slice(0, 3)) =>
  refuseJump(version, missingSteps(chain, state), state);

test('a new database takes every version', () => {
  expect(missingSteps(CHAIN, database(null)).length).toBe(4);
  expect(judge('0.4.0', database(null))).toBeNull();
});

test('the next version follows, and the one after it is refused with the version to install first', () => {
  expect(judge('0.4.0', database(200, '0.2.0', '0.3.0'))).toBeNull();
  expect(judge('0.4.0', database(200, '0.3.1'))).toBeNull();
  expect(judge('0.4.0', database(200, '0.3.0-rc.1'))).toBeNull();
  const refusal = judge('0.4.0', database(200, '0.1.0', '0.2.0'));
  expect(refusal).toContain('Version 0.4.0 cannot follow version 0.2.0 directly.');
  expect(refusal).toContain('Install version 0.3.0 first');
});

test('a jump over several versions is refused with all of them in their order', () => {
  const refusal = judge('0.6.0', database(100, '0.1.0', '0.0.9'), [...CHAIN].reverse());
  expect(refusal).toContain('cannot follow version 0.1.0');
  expect(refusal).toContain('Install version 0.3.0, then version 0.5.0 first');
  expect(judge('0.6.0', database(100), CHAIN)).toContain('cannot follow an unknown version');
});

test('a version without a migration that takes something away may be skipped', () => {
  expect(judge('0.3.0', database(100, '0.1.0'), CHAIN.slice(0, 2))).toBeNull();
});

test('a program that is older than the schema allows is refused, and the previous version is not', () => {
  const state = { ...database(400, '0.4.0', '0.3.0'), oldestVersion: oldestAfter(CHAIN.slice(0, 3)) };
  expect(refuseJump('0.3.0', [], state)).toBeNull();
  expect(refuseJump('0.2.9', [], state)).toContain('works with version 0.3.0 and later ones');
  expect(refuseJump('0.10.0', [], state)).toBeNull();
});

test.each([
  ['alter table records add column x text', 'records', 'ACCESS EXCLUSIVE'],
  ['ALTER TABLE ONLY "public"."records" DROP COLUMN x', 'records', 'ACCESS EXCLUSIVE'],
  ['alter table records validate constraint c', 'records', 'SHARE UPDATE EXCLUSIVE'],
  ['alter table zones set (fillfactor = 80)', 'zones', 'SHARE UPDATE EXCLUSIVE'],
  ['create index if not exists x on records (id)', 'records', 'SHARE'],
  ['create trigger t after insert on zones for each row execute function f()', 'zones', 'SHARE ROW EXCLUSIVE'],
  ['update zones set comment = null', 'zones', 'ROW EXCLUSIVE'],
  ['lock table records in share row exclusive mode', 'records', 'SHARE ROW EXCLUSIVE'],
  ['vacuum', null, 'ACCESS EXCLUSIVE'],
])('the lock is known of: %s', (sql, table, mode) => {
  expect(locksOf(sql, new Set())).toEqual([{ table, mode }]);
});

test('a foreign key locks both tables, and a new table of a migration has no lock', () => {
  const key = 'alter table remarks add constraint f foreign key (zone) references zones (id) not valid';
  expect(locksOf(key, new Set())).toEqual([
    { table: 'remarks', mode: 'SHARE ROW EXCLUSIVE' },
    { table: 'zones', mode: 'SHARE ROW EXCLUSIVE' },
  ]);
  const created = createdTables(['create table "remarks" (zone text)']);
  expect(locksOf(key, created)).toEqual([{ table: 'zones', mode: 'SHARE ROW EXCLUSIVE' }]);
  expect(locksOf('create function f() returns void language sql as $$ select 1 $$', created)).toEqual([]);
});

test('the plan prints each lock with its rows, the indexes to build first, and a refusal alone', () => {
  const step = toStep(
    '0001_remark',
    1,
    '-- contract: 0.1.0\nalter table records add column remark text;\n--> statement-breakpoint\n' +
      'create index if not exists records_remark_idx on records (remark);\n--> statement-breakpoint\ncreate table x (y text)',
  );
  const plan = { steps: [step], refusal: null, rows: new Map([['records', 1_000_000]]) };
  expect(planLines(plan)).toEqual([
    'Before the upgrade, build these indexes, which then block no writer:',
    '  create index concurrently if not exists records_remark_idx on records (remark);',
    '',
    '0001_remark, after which programs older than 0.1.0 do not work',
    '  ACCESS EXCLUSIVE on records (about 1000000 rows), blocks readers and writers: alter table records add column remark text;',
    '  SHARE on records (about 1000000 rows), blocks writers: create index if not exists records_remark_idx on records (remark);',
    'Run zonestead migrate to apply them, in one transaction.',
  ]);
  expect(indexesToBuild(step)).toHaveLength(1);
  expect(planLines({ ...plan, refusal: 'Install version 0.3.0 first.' })).toEqual(['Install version 0.3.0 first.']);
  expect(planLines({ ...plan, steps: [] })).toEqual(['no migration is missing']);
});
