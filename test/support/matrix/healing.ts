// How long the cells of one file of the fault matrix took to heal, by the kind of the fault: from the end of the fault
// to a consistent world. Healing usually takes one to three seconds, and a machine that does other things makes
// everything slower. So the limits grow with the longest time that the same work took without a fault in the same run.
// On a machine of its own they are about 25 s, and a product that needs 35 s where it needed 1 s is found.
export interface Healing {
  /** @param kind the row of the table */
  add(kind: string, ms: number): void;
  /** One line a kind: the number of cells, the median and the longest time, and the limit. */
  table(): string;
  /** Sentences about kinds that took too long, and about a file that measured none. */
  problems(): string[];
}

export interface Limits {
  /** The most for one cell on a fast machine, in ms. (Default: 20 s.) */
  readonly each?: number;
  /** The most for half of the cells on a fast machine, in ms. (Default: 8 s.) */
  readonly median?: number;
  /** The most for one cell of kinds that wait for something by design, in place of `each`. */
  readonly kinds?: Readonly<Record<string, number>>;
}

/** So many times the work without a fault is added to each limit. */
const CALM_TIMES = 3;

/** @param calm durations of the work of a cell without a fault, in ms; read at the end */
export function measureHealing(calm: readonly number[], limits: Limits = {}): Healing {
  const { each = 20_000, median = 8_000, kinds = {} } = limits;
  const cells = new Map<string, number[]>();
  const slack = () => CALM_TIMES * Math.max(0, ...calm);
  const rows = () =>
    [...cells].map(([kind, times]) => ({
      kind,
      count: times.length,
      middle: findMedian(times),
      most: Math.max(...times),
      limit: (kinds[kind] ?? each) + slack(),
    }));
  return {
    add: (kind, ms) => void cells.set(kind, [...(cells.get(kind) ?? []), ms]),
    table: () =>
      [
        'healed in (median, longest, limit)',
        ...rows().map(formatLine),
        `longest without a fault: ${seconds(slack() / CALM_TIMES)}`,
      ]
        .map((line) => `${line}\n`)
        .join(''),
    problems: () => {
      const all = [...cells.values()].flat();
      if (all.length === 0) return ['no cell was measured'];
      const slow = rows().filter(({ most, limit }) => most > limit);
      const found = slow.map(
        ({ kind, most, limit }) => `${kind}: ${seconds(most)}, and the limit is ${seconds(limit)}`,
      );
      const most = median + slack();
      const middle = findMedian(all);
      return middle > most
        ? [...found, `half of the cells took ${seconds(middle)}, more than ${seconds(most)}`]
        : found;
    },
  };
}

function formatLine({
  kind,
  count,
  middle,
  most,
  limit,
}: Record<'count' | 'middle' | 'most' | 'limit', number> & { kind: string }) {
  return `  ${seconds(middle)} ${seconds(most)} ${seconds(limit)}  ${kind} (${count})`;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;

/** The lower one of two. */
const findMedian = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor((times.length - 1) / 2)] as number;
