// How loaded a process is, in three levels, judged from measurements. Pure: measurement and time come in.
//
//   level 0   everything is served
//   level 1   requests without a key, and with keys that were not seen lately, are refused, and those of the heaviest
//             keys (shares.ts)
//   level 2   large requests are refused as well
//
// A level is entered at once and left only after two seconds below a lower threshold, so that it does not flap.

export interface Measurement {
  /** How long a callback waits for the event loop, in ms. */
  readonly delayMs: number;
  /** Heap in use as a share of V8's limit. */
  readonly heap: number;
  /** Resident memory as a share of the container's limit; 0 where there is no limit. */
  readonly resident: number;
}

export type LoadLevel = 0 | 1 | 2;

export interface Load {
  readonly level: LoadLevel;
  /** The delay, smoothed over about a second. */
  readonly delayMs: number;
  /** The time since which the measurements allow a lower level, in ms; null while they do not. */
  readonly calmSince: number | null;
}

/** Refuses requests at a port of the process while the process is overloaded. */
export interface Guard {
  /**
   * @param credential a text that stands for the key of the request; null: it has none
   * @throws Refusal busy at level 1 if the request has no key that was used recently, or if its key makes the most
   * requests
   */
  refuseStrangers(credential: string | null): void;
  /** For requests that need much work. @throws Refusal busy at level 2 */
  refuseLarge(): void;
  /** Remembers the key of an authenticated request for ten minutes. */
  remember(credential: string): void;
}

export const NO_LOAD: Load = { level: 0, delayMs: 0, calmSince: null };

/** The weight of a new measurement in the smoothed delay, at five measurements a second. */
const SMOOTHING = 0.3;
const CALM_MS = 2_000;
type Thresholds = Readonly<Record<keyof Measurement, number>>;
const ENTER: Readonly<Record<1 | 2, Thresholds>> = {
  1: { delayMs: 500, heap: 0.85, resident: 0.85 },
  2: { delayMs: 1_000, heap: 0.92, resident: 0.93 },
};
const LEAVE: Readonly<Record<1 | 2, Thresholds>> = {
  1: { delayMs: 350, heap: 0.78, resident: 0.8 },
  2: { delayMs: 700, heap: 0.87, resident: 0.88 },
};

/** The load after one more measurement. @param now in ms */
export function judgeLoad(before: Load, measurement: Measurement, now: number): Load {
  const delayMs = before.delayMs + SMOOTHING * (measurement.delayMs - before.delayMs);
  const smoothed = { ...measurement, delayMs };
  const enteredLevel = judgeLevel(smoothed, ENTER);
  if (enteredLevel >= before.level) return { level: enteredLevel, delayMs, calmSince: null };
  const keptLevel = judgeLevel(smoothed, LEAVE);
  if (keptLevel >= before.level) return { level: before.level, delayMs, calmSince: null };
  const calmSince = before.calmSince ?? now;
  if (now - calmSince < CALM_MS) return { level: before.level, delayMs, calmSince };
  return { level: keptLevel, delayMs, calmSince: null };
}

function judgeLevel(measurement: Measurement, thresholds: Readonly<Record<1 | 2, Thresholds>>): LoadLevel {
  const reaches = (limit: Thresholds) =>
    measurement.delayMs >= limit.delayMs || measurement.heap >= limit.heap || measurement.resident >= limit.resident;
  if (reaches(thresholds[2])) return 2;
  return reaches(thresholds[1]) ? 1 : 0;
}
