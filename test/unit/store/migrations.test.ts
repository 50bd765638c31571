// The lint of migrations, on made-up statements and on the migrations of the checkout.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lintMigration } from '../../support/migrations/lint.ts';

const FOLDER = new URL('../../../src/store/migrations', import.meta.url).pathname;
const rules = (sql: string) => lintMigration(sql).map(({ rule }) => rule);

test('no migration of this version breaks the previous one or blocks its writers', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'));
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect([file, lintMigration(readFileSync(join(FOLDER, file), 'utf8'))]).toEqual([file, []]);
});

test.each([
  ['drop table if exists records', ['drop']],
  ['drop table records', ['drop', 'drop-exists']],
  ['alter table "zones" drop column if exists comment', ['drop']],
  ['drop trigger if exists zones_announced on zones', ['drop']],
  ['alter table zones rename column comment to remark', ['rename']],
  ['alter table zones rename to areas', ['rename']],
  ['alter table records alter column ttl type bigint', ['type']],
  ['ALTER TABLE "records" ALTER COLUMN "ttl" SET DATA TYPE bigint', ['type']],
  ['alter table records alter ttl set not null', ['not-null']],
  ['alter table records add column remark text not null', ['not-null']],
  ['alter table records add column id2 uuid default gen_random_uuid()', ['rewrite']],
  ['alter table records add column n bigint generated always as identity', ['rewrite']],
  ['create index records_remark_idx on records (remark)', ['index']],
  ['CREATE UNIQUE INDEX "x" ON "changes" USING btree ("id")', ['index']],
  ['create index concurrently if not exists x on records (remark)', ['concurrently']],
  ['alter table records add constraint x foreign key (zone_no) references zones (no)', ['validate']],
  ['alter table records add constraint x check (ttl > 0)', ['validate']],
  ['alter table records add constraint x unique (id)', ['unique']],
  ['update changes set owner = null', ['rows']],
  ['delete from records where ttl = 0', ['rows']],
])('the lint finds a fault in: %s', (sql, found) => {
  expect(rules(sql)).toEqual(found);
});

test.each([
  'alter table records add column remark text',
  `alter table records add column remark text not null default ''`,
  'create index if not exists records_remark_idx on records (remark)',
  'create index team_bindings_idx on team_bindings (created_at)',
  'alter table records add constraint x check (ttl > 0) not valid',
  'alter table records add constraint x foreign key (zone_no) references zones (no) not valid',
  'create table remarks (id text primary key, n bigint not null);\n--> statement-breakpoint\ncreate index r on remarks (n)',
  'create or replace function f() returns void language plpgsql as $$ begin drop table records; end $$',
  '-- drop table records',
])('the lint finds no fault in: %s', (sql) => {
  expect(rules(sql)).toEqual([]);
});

test('a statement may break a rule if the comment next to it gives a reason, for itself alone', () => {
  const because = '-- lint: allow rename: no released version has read this column\n';
  const statement = 'alter table zones rename column comment to remark';
  expect(rules(`${because}${statement}`)).toEqual([]);
  expect(rules(`-- lint: allow rename: ok\n${statement}`)).toEqual(['rename']);
  expect(rules(`-- lint: allow type: no released version has read it\n${statement}`)).toEqual(['rename']);
  expect(rules(`${because}${statement};\n--> statement-breakpoint\n${statement}`)).toEqual(['rename']);
  expect(rules(`${because}${statement}; ${statement}`)).toEqual(['rename']);
});

test('a migration that names the oldest version which works with it may drop, and nothing else', () => {
  const contract = '-- contract: 0.3.0\n';
  expect(rules(`${contract}alter table zones drop column if exists comment`)).toEqual([]);
  expect(rules(`${contract}alter table zones rename column comment to remark`)).toEqual(['rename']);
  expect(rules('-- contract: soon\nalter table zones drop column if exists comment')).toEqual(['drop']);
});
