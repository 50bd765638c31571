// A TTL in words for lists, with its seconds behind it. Pure.

const UNITS = [
  [86_400, 'day', 'days'],
  [3_600, 'h', 'h'],
  [60, 'min', 'min'],
] as const;

/** `1 h`, `5 min`, `1 day`; `90 s` for a time that is not a whole number of a larger unit. */
export function formatTtl(seconds: number): string {
  const [size, one, many] = UNITS.find(([unit]) => seconds >= unit && seconds % unit === 0) ?? [1, 's', 's'];
  return `${seconds / size} ${seconds === size ? one : many}`;
}
