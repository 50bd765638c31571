// Times on pages: how long ago something happened, with the exact time behind it. Pure.

/** A time as `partials/time` shows it. */
export interface When {
  /** ISO 8601, for machines. */
  at: string;
  /** `3 min ago`, or the day if it was long ago. */
  ago: string;
  /** `3 min`, for a state that has lasted since then. */
  span: string;
  /** `2026-11-21 10:31:07 UTC`. */
  exact: string;
}

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Older times are shown as a day. */
const DAYS = 30;

/** @param at an ISO 8601 time in UTC */
export function whenOf(at: string, now: Date): When {
  const seconds = Math.floor((now.getTime() - Date.parse(at)) / 1_000);
  const span = formatSpan(seconds);
  // The clocks of database and api may differ by a little.
  const ago = seconds < MINUTE ? 'just now' : seconds < (DAYS + 1) * DAY ? `${span} ago` : at.slice(0, 10);
  return { at, ago, span, exact: `${at.slice(0, 19).replace('T', ' ')} UTC` };
}

function formatSpan(seconds: number): string {
  if (seconds < MINUTE) return 'less than a minute';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h`;
  const days = Math.floor(seconds / DAY);
  return days === 1 ? '1 day' : `${days} days`;
}
