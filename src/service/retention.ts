// The retention job deletes expired history, stored answers to Idempotency-Keys, uploads, quarantined names, deleted
// zones, and the changes that name servers had an hour to read. It also notes the counters of name servers once a
// minute, and deletes the oldest history of an owner with too much of it. The job runs in one replica at a time, in
// small transactions with pauses between them. All steps can be repeated. An error ends the round, and the next round
// tries again.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Db, Tx } from '#store/database.ts';
import { dropEndedRows, dropEndedZoneKeys, dropEndedZones } from '#store/deleted-zones.ts';
import { addMonths, dropMonthBefore } from '#store/history-months.ts';
import { deleteSamples, takeSamples } from '#store/node-samples.ts';
import { dropEndedNames } from '#store/quarantine.ts';
import {
  countHistory,
  deleteDays,
  deleteFeedChanges,
  deleteHistoryBefore,
  deleteOldest,
  deleteUploads,
  deleteUsedSignIns,
  forgetEmptyUsage,
  HISTORIES,
  lockRetention,
  moveFeedPositions,
  ownerOver,
  type PrunedHistory,
} from '#store/retention.ts';
import { SIGN_IN_MS } from './accounts/sessions.ts';
import type { RoundResult } from './retention-metrics.ts';
import { UPLOAD_MS } from './zonefile/upload.ts';

export interface RetentionSettings {
  /** How long history is kept, in ms. */
  historyMs: number;
  /**
   * The octets of history that one owner keeps: so many for zones and records, as many for teams, members and keys, and
   * as many for answers to Idempotency-Keys.
   */
  historyBytes: number;
  /** How long answers to an Idempotency-Key are kept, in ms. */
  answersMs: number;
}

interface RetentionOptions {
  db: Db;
  settings: RetentionSettings;
  now(): Date;
  /** The number of rows that one statement deletes or counts. (Default: 1000.) */
  rows?: number;
  /** The pause between two steps, in ms. (Default: 20.) */
  pauseMs?: number;
}

const ROWS = 1_000;
const PAUSE_MS = 20;
/** Longer than any transaction. A row that is older than this is visible, and so are all rows with lower ids. */
const SETTLED_MS = 60_000;
/** A name server that was down for longer compares its zones with a list of all. */
const FEED_MS = 60 * 60 * 1_000;
/** The overview of the console shows a day. */
const SAMPLES_MS = 25 * 60 * 60 * 1_000;

/** From here on, changes of zones are dropped by month, so they are kept for up to a month longer. */
const WHOLE_MONTHS_MS = 62 * 24 * 60 * 60 * 1_000;

/** The time between two rounds, in ms. */
export const ROUND_MS = 60_000;

/** Runs one round per minute until the signal. An error is logged, and the next round tries again. */
export async function runRetention(
  options: RetentionOptions & { log: Logger; everyMs?: number; onRound?: (result: RoundResult) => void },
  signal: AbortSignal,
): Promise<void> {
  const { log, everyMs = ROUND_MS, onRound = () => undefined } = options;
  while (!signal.aborted) {
    // The random part keeps replicas that started together from running their rounds at the same time.
    await sleep(everyMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      await retentionRound(options, signal);
      onRound('ok');
    } catch (error) {
      if (signal.aborted) return;
      onRound('failed');
      log.warn({ err: error }, 'the retention failed to delete old rows; the next round follows');
    }
  }
}

/** Runs one round. It returns early if another replica runs a round, and at the signal. */
export async function retentionRound(options: RetentionOptions, signal: AbortSignal): Promise<void> {
  const { settings, now, rows = ROWS } = options;
  const at = now().getTime();
  const before = (ms: number) => new Date(at - ms);
  const repeat = (step: (tx: Tx) => Promise<number>) => untilFew(options, rows, step, signal);

  await repeat((tx) => deleteUploads(tx, before(UPLOAD_MS), rows));
  await repeat((tx) => deleteUsedSignIns(tx, before(SIGN_IN_MS), rows));
  await repeat((tx) => dropEndedNames(tx, new Date(at), rows));
  for (const drop of [dropEndedZoneKeys, dropEndedRows, dropEndedZones])
    await repeat((tx) => drop(tx, new Date(at), rows));
  await repeat(async (tx) => {
    await moveFeedPositions(tx, new Date(at), before(FEED_MS));
    return 0;
  });
  await repeat((tx) => deleteFeedChanges(tx, before(FEED_MS), rows));
  await repeat(async (tx) => {
    await takeSamples(tx);
    return 0;
  });
  await repeat((tx) => deleteSamples(tx, before(SAMPLES_MS), rows));
  await repeat((tx) => deleteDays(tx, before(settings.historyMs), rows));
  await repeat(async (tx) => {
    await addMonths(tx, new Date(at));
    return 0;
  });
  const isByMonth = settings.historyMs >= WHOLE_MONTHS_MS;
  for (const history of HISTORIES) {
    const keptMs = history === 'answers' ? settings.answersMs : settings.historyMs;
    let after = 0;
    await repeat(async (tx) => {
      const { deleted, last } = await deleteHistoryBefore(tx, history, {
        before: before(keptMs),
        after,
        limit: rows,
        unplacedOnly: history === 'zones' && isByMonth,
      });
      after = last;
      return deleted;
    });
    await repeat((tx) => countHistory(tx, history, before(SETTLED_MS), rows));
    // After the count: a month is dropped with its part of the totals.
    if (history === 'zones')
      await repeat(async (tx) => ((await dropMonthBefore(tx, before(settings.historyMs))) ? rows : 0));
    await repeat(async (tx) => {
      await forgetEmptyUsage(tx, history);
      return 0;
    });
    await boundHistory(options, history, signal);
  }
}

/** Repeats a step, each time in a new transaction, until it handles fewer than `rows` rows. */
async function untilFew(
  options: RetentionOptions,
  rows: number,
  step: (tx: Tx) => Promise<number>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const handledRows = await alone(options.db, step);
    if (handledRows === null || handledRows < rows) return;
    await pause(options, signal);
  }
}

/** Deletes the oldest history, or the oldest answers, of owners that exceed `historyBytes`. */
async function boundHistory(options: RetentionOptions, history: PrunedHistory, signal: AbortSignal): Promise<void> {
  const { settings, rows: limit = ROWS } = options;
  while (!signal.aborted) {
    const more = await alone(options.db, async (tx) => {
      const over = await ownerOver(tx, history, settings.historyBytes);
      if (over === null) return false;
      const { owner, bucket, bytes } = over;
      const excess = bytes - settings.historyBytes;
      await deleteOldest(tx, history, { owner, bucket, excess, limit });
      return true;
    });
    if (!more) return;
    await pause(options, signal);
  }
}

/** Runs a step in a transaction under the lock of the job. @returns null if another replica holds the lock */
async function alone<T>(db: Db, step: (tx: Tx) => Promise<T>): Promise<T | null> {
  return db.transaction(async (tx) => ((await lockRetention(tx)) ? step(tx) : null));
}

async function pause({ pauseMs = PAUSE_MS }: RetentionOptions, signal: AbortSignal): Promise<void> {
  await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
}
