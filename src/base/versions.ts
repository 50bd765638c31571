// Versions of programs, and their order.

/** A part of an installation, with the version that it has. */
export interface Program {
  readonly name: string;
  /** Null: it does not say. */
  readonly version: string | null;
}

/**
 * By the numbers of major, minor and patch: a candidate counts as its release.
 * @returns negative, 0 or positive
 */
export function compareVersions(one: string, two: string): number {
  const [a, b] = [numbers(one), numbers(two)];
  for (const [i, number] of a.entries()) {
    const other = b[i] ?? 0;
    if (number !== other) return number - other;
  }
  return 0;
}

function numbers(version: string): number[] {
  return (version.split(/[-+]/)[0] ?? '').split('.').map((part) => Number.parseInt(part, 10) || 0);
}
