// Permits for work at the name server: at most four zones at once, because Knot gains little from more and refuses
// connections beyond eight. Bulk never takes the last permit, so a small change waits for at most one small change.
import { Limit } from '#base/limit.ts';

const PERMITS = 4;
const BULK_PERMITS = 3;

type Lane = 'small' | 'bulk';

export interface Permits {
  /** Whether work of the lane would get a permit at once. */
  isFree(lane: Lane): boolean;
  /** Runs the work when it has a permit. @throws the reason of the signal; the error of the work */
  run<T>(lane: Lane, work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

export function createPermits(): Permits {
  const isBulk = (lane: string) => lane === 'bulk';
  return new Limit({
    permits: PERMITS,
    share: (lane) => (isBulk(lane) ? BULK_PERMITS : PERMITS),
    rank: (lane) => (isBulk(lane) ? 1 : 0),
  });
}
