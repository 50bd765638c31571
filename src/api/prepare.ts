// The api's first minutes: a database that is not there yet, or refuses, must not end the process, because the address may be
// mended, or Postgres start later than we do. It must not know what is prepared.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../telemetry/log.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

/**
 * Tries until it works; each cause of waiting is logged once.
 * @param tell gets the cause in one sentence for people who read probes: without addresses and credentials
 * @returns false when the signal aborted first
 */
export async function untilPrepared(
  prepare: () => Promise<void>,
  log: Logger,
  tell: (problem: string) => void,
  signal: AbortSignal,
  firstWaitMs = FIRST_WAIT_MS,
): Promise<boolean> {
  let told = '';
  for (let wait = firstWaitMs; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      await prepare();
      if (told !== '') log.info('the database is there');
      return true;
    } catch (error) {
      const problem = problemOf(error);
      tell(problem);
      if (problem !== told) log.warn({ problem }, 'the database cannot be used; trying again');
      told = problem;
      await sleep(wait, undefined, { signal }).catch(() => undefined);
    }
  }
  return false;
}

/** SQLSTATEs and errno codes that an operator of the service can do something about. */
const PROBLEMS: Readonly<Record<string, string>> = {
  '28P01': 'Postgres refuses the password',
  '28000': 'Postgres refuses the login',
  '3D000': 'there is no such database',
  '42501': 'the role may not do that',
  '57P03': 'Postgres is starting',
  '53300': 'Postgres has no connection left',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up',
  ECONNREFUSED: 'the connection is refused',
  CONNECT_TIMEOUT: 'the host does not answer',
};

/** The innermost cause that carries a code: the driver's, below what the query builder says. */
function problemOf(error: unknown): string {
  let code = '';
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'string') code = at.code;
    const [first] = at instanceof AggregateError ? at.errors : [];
    if (first instanceof Error && 'code' in first) code = String(first.code);
  }
  const known = PROBLEMS[code];
  if (known !== undefined) return `${known} (${code})`;
  return code === '' ? 'it cannot be brought to the schema of this version' : `it failed with ${code}`;
}
