// Times on pages: how long ago something happened, with the exact time behind it. Pure.

/** A time as `partials/time` shows it. */
export interface When {
  /** ISO 8601, for machines. */
  at: string;
  /** `3 min ago`, or the day if it was long ago. */
  ago: string;
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
  return { at, ago: agoOf(at, now), exact: `${at.slice(0, 19).replace('T', ' ')} UTC` };
}

function agoOf(at: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - Date.parse(at)) / 1_000);
  // The clocks of database and api may differ by a little.
  if (seconds < MINUTE) return 'just now';
  if (seconds < HOUR) return `${Math.floor(seconds / MINUTE)} min ago`;
  if (seconds < DAY) return `${Math.floor(seconds / HOUR)} h ago`;
  const days = Math.floor(seconds / DAY);
  if (days <= DAYS) return days === 1 ? '1 day ago' : `${days} days ago`;
  return at.slice(0, 10);
}
