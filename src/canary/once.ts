// One measurement by hand: a change, then the steady answers of every path in a few rounds.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Canary } from './canary.ts';
import type { Path } from './paths.ts';
import type { Verdict } from './verdict.ts';
import type { PathVerdicts } from './watch.ts';

export interface PathReport {
  /** The host name of the name server. */
  readonly server: string;
  readonly address: string;
  readonly transport: string;
  readonly asked: number;
  readonly right: number;
  /** The first problem; null if all answers are right. */
  readonly problem: string | null;
}

export interface OnceReport {
  readonly paths: readonly PathReport[];
  /** The result of the change, and the reason if it is not `answered`. */
  readonly change: { readonly result: string; readonly seconds: number | null; readonly problem: string | null };
  readonly isRight: boolean;
}

const ROUNDS = 3;
const PAUSE_MS = 200;

/**
 * Takes about a second on a healthy installation, and at most the limit of a change and 20 s. It removes its record.
 * @throws Error that names the remedy, if the zone cannot be read; the signal's reason
 */
export async function measureOnce(canary: Canary, clock: Clock, signal: AbortSignal): Promise<OnceReport> {
  let unresolved: string | null = null;
  try {
    await canary.prepare(signal);
  } catch (error) {
    // Names without an address are a result; a zone that cannot be read leaves nothing to measure.
    if (!canary.isStarted) throw canary.explain(error);
    unresolved = error instanceof Error ? error.message : String(error);
  }
  try {
    const { result, seconds, latePaths, error } = await canary.change(signal);
    const rounds: { path: Path; verdicts: PathVerdicts }[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round > 0) await sleep(clock, PAUSE_MS, signal);
      rounds.push(await canary.look(signal));
    }
    const paths = canary.paths.map((path) => reportPath(path, rounds.flat(), latePaths));
    const problem = error === null ? unresolved : canary.explain(error).message;
    const isRight = result === 'answered' && problem === null && paths.every((each) => each.problem === null);
    return { paths, change: { result, seconds, problem }, isRight };
  } finally {
    await canary.cleanUp();
  }
}

function reportPath(
  path: Path,
  looks: readonly { path: Path; verdicts: PathVerdicts }[],
  latePaths: readonly Path[],
): PathReport {
  const verdicts: Verdict[] = looks
    .filter((look) => look.path === path)
    .flatMap(({ verdicts: { keys, soa, value } }) => (value === null ? [keys, soa] : [keys, soa, value]));
  const first = verdicts.find(({ problem }) => problem !== null)?.problem ?? null;
  const { address, transport, server } = path;
  return {
    ...{ server: server.name, address, transport },
    asked: verdicts.length,
    right: verdicts.filter(({ result }) => result === 'right').length,
    problem: first ?? (latePaths.includes(path) ? 'does not answer the change within the limit' : null),
  };
}
