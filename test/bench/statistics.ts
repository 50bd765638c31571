// Numbers from samples, and a table from numbers. Pure.

export interface Summary {
  n: number;
  median: number;
  p95: number;
  p99: number;
  max: number;
}

/**
 * The smallest sample that at least the share `q` (0 to 1) of all samples does not exceed (nearest rank): always a
 * value that was measured, and with few samples the largest one. NaN when there are none.
 */
export function quantile(samples: readonly number[], q: number): number {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(q * sorted.length) - 1)] ?? Number.NaN;
}

/** Median, tails and maximum, in the unit of the samples. All NaN when there are none. */
export function summarize(samples: readonly number[]): Summary {
  const at = (q: number) => quantile(samples, q);
  return { n: samples.length, median: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** How many of the samples lie above `limit`. */
export function countAbove(samples: readonly number[], limit: number): number {
  return samples.filter((sample) => sample > limit).length;
}

/** Three significant figures, as far as they are decimals; `-` for a value that is not a number. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Lines of a table: the first column to the left, the others to the right. The first row is the heading. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    widths
      .map((width, at) => (at === 0 ? (row[at] ?? '').padEnd(width) : (row[at] ?? '').padStart(width)))
      .join('  ')
      .trimEnd(),
  );
}

/** The heading that belongs to {@link summaryRow}. */
export const SUMMARY_HEADING: readonly string[] = ['ms', 'n', 'median', 'p95', 'p99', 'max'];

/** One row: the measurement, the number of samples, and its summary. */
export function summaryRow(what: string, samples: readonly number[]): string[] {
  const { n, median, p95, p99, max } = summarize(samples);
  return [what, String(n), figure(median), figure(p95), figure(p99), figure(max)];
}
