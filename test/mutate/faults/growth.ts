// Faults in the parts for large installations: migrations, history and sizes.
import type { Fault } from '../fault.ts';

const steps = { project: 'integration', tests: ['test/integration/store/migration-steps.test.ts'] } as const;
const months = { project: 'integration', tests: ['test/integration/store/history-months.test.ts'] } as const;
const usage = { project: 'integration', tests: ['test/integration/service/accounts/usage.test.ts'] } as const;
const pure = { project: 'unit', tests: ['test/unit/store/schema-steps.test.ts'] } as const;
const parts = { project: 'unit', tests: ['test/unit/diagnosis/upgrade-cluster.test.ts'] } as const;
const lint = { project: 'unit', tests: ['test/unit/store/migrations.test.ts'] } as const;

export const GROWTH_FAULTS: readonly Fault[] = [
  {
    name: 'growth-jump',
    breaks: 'a version skips one that its migration needs',
    edits: [
      {
        file: 'src/store/migrate.ts',
        find: 'if (refusal !== null) throw new MigrationRefused(refusal);',
        replace: '',
      },
    ],
    ...steps,
  },
  {
    name: 'growth-jump-path',
    breaks: 'a refusal names the versions to install in the wrong order',
    edits: [
      {
        file: 'src/store/schema-steps.ts',
        find: '[...new Set(unmet)].sort(compareVersions)',
        replace: '[...new Set(unmet)]',
      },
    ],
    ...pure,
  },
  {
    name: 'growth-crd-served',
    breaks: 'upgrade-check does not see that the cluster serves another version of a CRD',
    edits: [
      {
        file: 'src/diagnosis/upgrade-cluster.ts',
        find: 'if (!served.includes(kind.version))',
        replace: 'if (served.length === 0)',
      },
    ],
    ...parts,
  },
  {
    name: 'growth-crd-order',
    breaks: 'upgrade-check takes a newer schema for an older one',
    edits: [{ file: 'src/diagnosis/upgrade-cluster.ts', find: 'return order < 0', replace: 'return order > 0' }],
    ...parts,
  },
  {
    name: 'growth-cluster-unread',
    breaks: 'upgrade-check does not say that it has no right to read the cluster',
    edits: [
      {
        file: 'src/diagnosis/upgrade-cluster.ts',
        find: "if (crd?.gap === 'right') return [unchecked('CRDs', crd.problem)];",
        replace: "if (crd?.gap === 'right') return [];",
      },
    ],
    ...parts,
  },
  {
    name: 'growth-edge-ready',
    breaks: 'upgrade-check does not see that a pod of an edge is not ready',
    edits: [{ file: 'src/diagnosis/upgrade-cluster.ts', find: 'if (ready >= wanted)', replace: 'if (ready >= 1)' }],
    ...parts,
  },
  {
    name: 'growth-version-forgotten',
    breaks: 'a version without a migration is not remembered, so the next one is refused',
    edits: [
      {
        file: 'src/store/migrate.ts',
        find: 'await noteVersion(tx, version, oldestAfter(missing));',
        replace: 'if (missing.length > 0) await noteVersion(tx, version, oldestAfter(missing));',
      },
    ],
    ...steps,
  },
  {
    name: 'growth-rollback-too-far',
    breaks: 'a program starts on a schema that it cannot use',
    edits: [{ file: 'src/store/migrate.ts', find: 'rows.flatMap(({ oldest }) => oldest ?? [])', replace: '[]' }],
    ...steps,
  },
  {
    name: 'growth-held',
    breaks: 'a migration blocks writers for as long as it takes',
    edits: [
      {
        file: 'src/store/migrate.ts',
        find: 'state.appliedUntil === null ? null : maxHeldMs',
        replace: 'state.appliedUntil === null ? null : maxHeldMs * 100',
      },
    ],
    ...steps,
  },
  {
    name: 'growth-lint-reason',
    breaks: 'an exception of the lint counts for the whole migration',
    edits: [
      {
        file: 'test/support/migrations/lint.ts',
        find: `sql.split('--> statement-breakpoint').flatMap(splitStatements)`,
        replace: '[sql]',
      },
    ],
    ...lint,
  },
  {
    name: 'growth-lint-contract',
    breaks: 'a migration that names no version may drop a column that the previous version uses',
    edits: [{ file: 'test/support/migrations/lint.ts', find: '!(mayContract && isContract)', replace: '!mayContract' }],
    ...lint,
  },
  {
    name: 'growth-month-uncounted',
    breaks: 'a month is dropped before it is counted, so its octets are never subtracted',
    edits: [{ file: 'src/store/history-months.ts', find: 'if (last?.counted !== true) return false;', replace: '' }],
    ...months,
  },
  {
    name: 'growth-month-early',
    breaks: 'a month is dropped while some of it must be kept',
    edits: [
      {
        file: 'src/store/history-months.ts',
        find: 'where until <= $1::timestamptz',
        replace: "where until - interval '1 month' <= $1::timestamptz",
      },
    ],
    ...months,
  },
  {
    name: 'growth-month-shared',
    breaks: 'the rows of a dropped month in a bucket that it shares stay counted',
    edits: [
      {
        file: 'src/store/history-months.ts',
        find: 'where id >= $1::bigint *',
        replace: 'where false and id >= $1::bigint *',
      },
    ],
    ...months,
  },
  {
    name: 'growth-month-whole',
    breaks: 'the octets of a dropped month stay in the totals',
    edits: [
      {
        file: 'src/store/history-months.ts',
        find: `('zones', 'whole')`,
        replace: "('zones', `(select '' as owner, 0::bigint as bytes) x`)",
      },
    ],
    ...months,
  },
  {
    name: 'growth-month-locked',
    breaks: 'a reader of the history ends the round of the retention',
    edits: [
      {
        file: 'src/store/history-months.ts',
        find: 'if (sqlFailure(error)?.code === LOCK_NOT_AVAILABLE) return false;',
        replace: '',
      },
    ],
    ...months,
  },
  {
    name: 'growth-month-zone',
    breaks: 'the months depend on the time zone of the session',
    edits: [
      {
        file: 'src/store/migrations/0000_schema.sql',
        find: "low timestamptz := date_trunc('month', month::timestamp) at time zone 'UTC'",
        replace: "low timestamptz := date_trunc('month', month)",
      },
    ],
    ...months,
  },
  {
    name: 'growth-totals-oldest',
    breaks: 'the total of an owner stays when its oldest history is deleted',
    edits: [
      {
        file: 'src/store/retention.ts',
        find: '(select $1 as owner, bytes from oldest union all',
        replace: '(select $1 as owner, 0::bigint as bytes union all',
      },
    ],
    ...months,
  },
  {
    name: 'growth-short-history',
    breaks: 'a history of a few days is kept for a month longer',
    edits: [{ file: 'src/service/retention.ts', find: 'settings.historyMs >= WHOLE_MONTHS_MS', replace: 'true' }],
    ...months,
  },
  {
    name: 'growth-usage-others',
    breaks: 'a team sees the usage of every team',
    edits: [
      { file: 'src/store/usage.ts', find: 'where id = any($1::text[])', replace: 'where id = any($1::text[]) or true' },
    ],
    ...usage,
  },
  {
    name: 'growth-usage-own-limit',
    breaks: 'the usage of a team shows the limits of the service in place of its own',
    edits: [
      { file: 'src/service/accounts/usage.ts', find: 'row.ownRecords ?? limits.records', replace: 'limits.records' },
    ],
    ...usage,
  },
  {
    name: 'growth-usage-since',
    breaks: 'a cut history looks whole',
    edits: [{ file: 'src/store/usage.ts', find: "p.owner in ('', o.id)", replace: "p.owner = ''" }],
    ...usage,
  },
  {
    name: 'growth-usage-deleted',
    breaks: 'the quotas of deleted zones are forgotten',
    edits: [{ file: 'src/service/accounts/usage.ts', find: '2 * recordBytes', replace: '0 * recordBytes' }],
    ...usage,
  },
  {
    name: 'growth-sizes-away',
    breaks: 'the sizes go to 0 while the database is down',
    edits: [
      {
        file: 'src/service/usage-metrics.ts',
        find: '          () => undefined,\n',
        replace: '          () => { sizes = null; },\n',
      },
    ],
    ...usage,
  },
];
