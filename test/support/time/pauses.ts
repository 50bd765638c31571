// Notices when the machine did nothing for this process, so that a test may excuse a warning about lateness only then.
const EVERY_MS = 100;
/** A pause that can cause a warning: waits of the api and the node for each other are longer than this. */
const PAUSE_MS = 750;
/**
 * The time after a pause in which its consequences are logged. The longest wait that the warnings are about has 30 s.
 */
const AFTER_MS = 45_000;

export interface Pauses {
  /** Whether the process was paused shortly before a moment, in Unix time in ms. */
  before(at: number): boolean;
  stop(): void;
}

export function watchPauses(now: () => number = Date.now): Pauses {
  const ends: number[] = [];
  let last = now();
  const timer = setInterval(() => {
    const at = now();
    if (at - last >= EVERY_MS + PAUSE_MS) ends.push(at);
    last = at;
  }, EVERY_MS);
  timer.unref();
  return {
    // A line that was logged at the end of a pause may be older than the timer that measured it.
    before: (at) => ends.some((end) => end - AFTER_MS <= at && at <= end + AFTER_MS),
    stop: () => clearInterval(timer),
  };
}
