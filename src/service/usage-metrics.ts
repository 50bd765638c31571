// The size of the database and of the history, as metrics. Every api process reads them, at most once in 30 seconds, so
// each has the same values.
//
//   zonestead_database_bytes{tables}            octets on disk of a group of tables, with their indexes
//   zonestead_database_volume_bytes             the size of the volume by ZONESTEAD_DATABASE_VOLUME; 0: not known
//   zonestead_quota_committed_bytes             octets that the quotas of all owners together allow
//   zonestead_history_oldest_seconds            age of the oldest change of zones and records
//   zonestead_history_shortest_seconds          how far back the history of the owner reaches that lost most to its quota
import { type Clock, realClock } from '#base/clock.ts';
import { endsWithin } from '#base/wait.ts';
import type { Db } from '#store/database.ts';
import { readCommitments, readHistoryDepth, readTableBytes, TABLE_GROUPS } from '#store/usage.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { committedBytes } from './accounts/usage.ts';

/** A scrape waits no longer for the database, in ms. */
const READ_MS = 1_000;
const FRESH_MS = 30_000;

export interface Sizes {
  tables: ReadonlyMap<string, number>;
  committed: number;
  /** In seconds. */
  oldest: number;
  shortest: number;
}

interface SizeLimits {
  bytes: number;
  historyBytes: number;
}

/** @returns a function that reads the sizes for {@link watchSizes} */
export function sizesOf(db: Db, { bytes, historyBytes }: SizeLimits, now: () => Date): () => Promise<Sizes> {
  return async () => {
    const [tables, { owners, recordBytes }, { oldest, cut }] = await Promise.all([
      readTableBytes(db),
      readCommitments(db, bytes),
      readHistoryDepth(db),
    ]);
    const age = (at: Date | null) => (at === null ? 0 : Math.max(0, (now().getTime() - at.getTime()) / 1000));
    const depth = age(oldest);
    return {
      tables,
      committed: committedBytes(owners, recordBytes, historyBytes),
      oldest: depth,
      shortest: cut === null ? depth : Math.min(depth, age(cut)),
    };
  };
}

/** Registers the metrics. While the database does not answer, they keep their last values. */
export function watchSizes(
  metrics: Metrics,
  read: () => Promise<Sizes>,
  volumeBytes: number,
  clock: Clock = realClock,
): void {
  let reading: Promise<void> | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let sizes: Sizes | null = null;
  const latest = async (): Promise<Sizes | null> => {
    if (reading === null && clock.now() - readAt >= FRESH_MS)
      reading = read()
        .then(
          (value) => {
            sizes = value;
            readAt = clock.now();
          },
          () => undefined,
        )
        .finally(() => {
          reading = null;
        });
    if (reading !== null) await endsWithin(clock, READ_MS, reading);
    return sizes;
  };
  metrics.gauge({
    name: 'database_bytes',
    help: 'Octets of a group of tables on disk, with their indexes.',
    labels: ['tables'],
    collect: async (gauge) => {
      const current = await latest();
      for (const tables of TABLE_GROUPS) gauge.set({ tables }, current?.tables.get(tables) ?? 0);
    },
  });
  const single = (name: string, help: string, value: (current: Sizes) => number): void => {
    metrics.gauge({
      name,
      help,
      collect: async (gauge) => {
        const current = await latest();
        gauge.set(current === null ? 0 : value(current));
      },
    });
  };
  single(
    'database_volume_bytes',
    'The size of the volume by ZONESTEAD_DATABASE_VOLUME; 0: not known.',
    () => volumeBytes,
  );
  single(
    'quota_committed_bytes',
    'Octets that the quotas of all owners together allow, without indexes.',
    ({ committed }) => committed,
  );
  single(
    'history_oldest_seconds',
    'Seconds since the oldest change of zones and records that the history has; 0 if it is empty.',
    ({ oldest }) => oldest,
  );
  single(
    'history_shortest_seconds',
    'Seconds that the history of the owner reaches back that lost most of it to its quota.',
    ({ shortest }) => shortest,
  );
}
