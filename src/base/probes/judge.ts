// The states of a checked address, and the probes that change them. Pure.
//
//     Unknown     no probe has succeeded yet; it counts as healthy
//     Healthy     after one success
//     Unhealthy   after so many failures in a row: after the first one, the retries follow each other quickly
//     Healthy     again after so many successes in a row, at the normal interval
import type { AddressState } from '../check-form.ts';
import type { ProbeDefinition } from './definition.ts';

/** The memory of the process about an address. The state is that of the database. */
export interface Track {
  state: AddressState;
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

/** The state that the probes have proven; null: there are too few of them. */
export function provenState({ state, failures, successes }: Track, rule: Rule): 'Healthy' | 'Unhealthy' | null {
  if (failures >= rule.failures) return 'Unhealthy';
  return successes >= (state === 'Unhealthy' ? rule.successes : 1) ? 'Healthy' : null;
}

/** The state that the probes call for; the present one, if they call for no other. */
export function wantedState(track: Track, rule: Rule): AddressState {
  return provenState(track, rule) ?? track.state;
}

/** Whether the pause after a change for the better holds back the change for the worse. */
export function isPaused({ upAt }: Track, now: number): boolean {
  return upAt !== null && now < upAt + PAUSE_MS;
}

/** Whether the next probe confirms a failure. */
export function isConfirming({ state, failures }: Track, rule: Pick<Rule, 'failures'>): boolean {
  return state !== 'Unhealthy' && failures > 0 && failures < rule.failures;
}

/** Until the next probe, in ms. */
export function nextProbeMs(track: Track, rule: Rule): number {
  return 1_000 * (isConfirming(track, rule) ? Math.min(rule.retryInterval, rule.interval) : rule.interval);
}

/** A process that begins to probe changes nothing by that: an unhealthy address must succeed as often as ever. */
export function newTrack(state: AddressState): Track {
  return { state, failures: 0, successes: 0, upAt: null };
}
