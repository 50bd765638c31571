// Prepares the database at the start of the api, and tells its problem to people. A database that is not reachable yet
// must not end the process, because an operator may correct its address, or Postgres may start later than the api.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '#store/database.ts';
import { isMigrated } from '#store/migrate.ts';
import type { HealthReport } from '#telemetry/health.ts';
import type { Logger } from '#telemetry/log.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Retries until the preparation succeeds, and logs each cause once.
 * @param report receives the cause as one sentence for the readiness probe, without addresses and credentials
 * @returns false if the signal aborted first
 */
export async function untilPrepared(
  prepare: () => Promise<void>,
  log: Logger,
  report: (problem: string) => void,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<boolean> {
  let reportedProblem = '';
  for (let wait = firstWaitMs; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      await prepare();
      if (reportedProblem !== '') log.info('the database is ready');
      return true;
    } catch (error) {
      const problem = describeFailure(error);
      report(problem);
      if (problem !== reportedProblem) log.warn({ problem }, 'the database is not usable; retrying');
      reportedProblem = problem;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}

/** SQLSTATEs and errno codes whose cause an administrator can correct. */
const PROBLEMS: Readonly<Record<string, string>> = {
  '28P01': 'Postgres rejects the password',
  '28000': 'Postgres rejects the login',
  '3D000': 'the database does not exist',
  '42501': 'the role lacks a permission',
  '57P03': 'Postgres is starting',
  '53300': 'Postgres has too many connections',
  ENOTFOUND: 'the host name does not exist',
  EAI_AGAIN: 'the host name cannot be resolved',
  ECONNREFUSED: 'the connection was refused',
  NO_PRIMARY: 'no server of the database takes writes',
  CONNECT_TIMEOUT: 'the host does not answer',
};

/** Whether the database answers and has the schema of this version, for people who ask in an outage. Never rejects. */
export async function checkDatabase(db: Db): Promise<HealthReport> {
  try {
    return (await isMigrated(db)) ? { ok: true } : { ok: false, checks: { database: 'not migrated' } };
  } catch (error) {
    return { ok: false, checks: { database: describeFailure(error) } };
  }
}

/** The code of the innermost cause: the driver's error, which the query builder wraps. */
function describeFailure(error: unknown): string {
  let code = '';
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') code = at.code;
    // It names the server and what is wrong with its certificate, for which there are many codes.
    if (code === 'TLS_FAILED') return at.message;
    // It says which version to install first, and names no address.
    if (code === 'MIGRATION_REFUSED') return at.message;
    const [first] = at instanceof AggregateError ? at.errors : [];
    if (first instanceof Error && 'code' in first) code = String(first.code);
  }
  const knownProblem = PROBLEMS[code];
  if (knownProblem !== undefined) return `${knownProblem} (${code})`;
  return code === '' ? 'the migration to the schema of this version failed' : `the database failed with ${code}`;
}
