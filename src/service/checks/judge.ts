// The states of a checked address, and the probes that change them. Pure.
//
//     Unknown     no probe has succeeded yet; it counts as healthy
//     Healthy     after one success
//     Unhealthy   after so many failures in a row: after the first one, the retries follow each other quickly
//     Healthy     again after so many successes in a row, at the normal interval
import type { TargetState } from '#store/check-targets.ts';
import type { ProbeDefinition } from './definition.ts';

/** The memory of the process about an address. The state is that of the database. */
export interface Track {
  state: TargetState;
  /** In a row; one of both is 0. */
  failures: number;
  successes: number;
  /** When it became healthy again, in ms; null: not since the process began to probe. */
  upAt: number | null;
}

/**
 * After an address became healthy again, it does not become unhealthy for this long, in ms: it might go up and down.
 */
export const PAUSE_MS = 30_000;

/** @param isOk whether the probe succeeded */
export function countProbe(track: Track, isOk: boolean): Track {
  // Numbers without end would be of no use.
  const more = (count: number) => Math.min(count + 1, 1_000);
  return isOk
    ? { ...track, successes: more(track.successes), failures: 0 }
    : { ...track, failures: more(track.failures), successes: 0 };
}

type Rule = Pick<ProbeDefinition, 'failures' | 'successes' | 'interval' | 'retryInterval'>;

/** The state that the probes call for; the present one, if they call for no other. */
export function wantedState({ state, failures, successes }: Track, rule: Rule): TargetState {
  if (state === 'Unhealthy') return successes >= rule.successes ? 'Healthy' : 'Unhealthy';
  if (failures >= rule.failures) return 'Unhealthy';
  return successes > 0 ? 'Healthy' : state;
}

/** Whether the pause after a change for the better holds back the change for the worse. */
export function isPaused({ upAt }: Track, now: number): boolean {
  return upAt !== null && now < upAt + PAUSE_MS;
}

/** Until the next probe, in ms. */
export function nextProbeMs(track: Track, rule: Rule): number {
  const isConfirming = track.state !== 'Unhealthy' && track.failures > 0 && track.failures < rule.failures;
  return 1_000 * (isConfirming ? Math.min(rule.retryInterval, rule.interval) : rule.interval);
}
