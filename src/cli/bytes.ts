// Octets for people: the largest unit that gives a number of at least 1.
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** "1 GiB", "210.5 KiB", "12 B". */
export function formatBytes(octets: number): string {
  const power = octets < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(octets) / 10));
  return `${Math.round((octets / 1024 ** power) * 10) / 10} ${UNITS[power]}`;
}

/** A limit of 0 allows nothing. */
export function percent(used: number, limit: number): string {
  return limit === 0 ? (used === 0 ? '0 %' : 'over') : `${Math.floor((used / limit) * 100)} %`;
}
