// Decides how one lookup of a record's target changes the stored knowledge about the target. Pure.
//
//     unknown ── exists ──▶ exists ◀── exists ── absent 1 ─▶ absent 2 ─▶ absent 3 and more: reported
//
// Each proven absence counts one, an hour after the one before. One answer that the name exists ends the row. A lookup
// without a result (no answer, SERVFAIL, REFUSED) changes nothing: it proves neither.
import { CONFIRMATIONS, type KnownTarget, type TargetState } from '#store/record-targets.ts';

export type TargetOutcome =
  | { readonly found: 'exists' }
  | { readonly found: 'absent'; readonly name: string; readonly isDomainAbsent: boolean }
  | { readonly found: 'unknown'; readonly problem: string }
  /** A name of private networks, which the resolvers need not know: it is not asked for. */
  | { readonly found: 'private' };

export interface LookupTimes {
  /** The time between two lookups of a target that exists, in ms. */
  readonly everyMs: number;
  /** The time between two lookups of a target that does not exist, in ms. */
  readonly confirmMs: number;
}

/** After so many lookups without a result, the next ones are as rare as those of a target that exists. */
const SOON = 3;

export function planTarget(before: KnownTarget, outcome: TargetOutcome, times: LookupTimes): TargetState {
  const confirmMs = Math.min(times.confirmMs, times.everyMs);
  switch (outcome.found) {
    case 'exists':
      return { ...KNOWN, absences: 0, absentName: null, isDomainAbsent: false, nextMs: times.everyMs };
    case 'absent': {
      const absences = Math.min(CONFIRMATIONS, before.absences + 1);
      return {
        ...KNOWN,
        absences,
        absentName: outcome.name,
        isDomainAbsent: outcome.isDomainAbsent,
        nextMs: confirmMs,
      };
    }
    case 'private': {
      const error = 'is a name of private networks';
      return {
        ...KNOWN,
        isKnown: false,
        absences: 0,
        error,
        absentName: null,
        isDomainAbsent: false,
        nextMs: times.everyMs,
      };
    }
    case 'unknown': {
      const failures = before.failures + 1;
      const nextMs = failures < SOON ? confirmMs : times.everyMs;
      const { absences } = before;
      return {
        isKnown: false,
        absences,
        failures,
        error: outcome.problem,
        absentName: null,
        isDomainAbsent: false,
        nextMs,
      };
    }
  }
}

const KNOWN = { isKnown: true, failures: 0, error: null } as const;
