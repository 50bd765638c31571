// drizzle, by its CommonJS files. For every ES module of a package, Node reads the package.json of the package again,
// and that of drizzle has 180 kB: its ES modules take 0.4 s of processor time to load, and these files less than 0.1 s
// (Node 26.10).
import { createRequire } from 'node:module';
import type * as Orm from 'drizzle-orm';
import type * as PgCore from 'drizzle-orm/pg-core';
import type * as PgProxy from 'drizzle-orm/pg-proxy';
import type * as Migrator from 'drizzle-orm/pg-proxy/migrator';

const load = createRequire(import.meta.url);

export const { and, asc, count, desc, eq, getTableColumns, gt, inArray, isNull, like, lt, lte, ne, or, sql } = load(
  'drizzle-orm',
) as typeof Orm;
export const {
  bigint,
  boolean,
  check,
  customType,
  date,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} = load('drizzle-orm/pg-core') as typeof PgCore;
export const { drizzle } = load('drizzle-orm/pg-proxy') as typeof PgProxy;
export const { migrate } = load('drizzle-orm/pg-proxy/migrator') as typeof Migrator;
