// How long the cells of one file of the fault matrix took to heal: from the end of the fault to a consistent world.
export interface Healing {
  add(title: string, ms: number): void;
  /** Sentences about cells that took too long, and about a file that measured none. */
  problems(): string[];
}

/**
 * @param each the most for one cell, in ms
 * @param median the most for half of the cells, in ms: a machine that does other things delays some cells, a slower product all
 */
export function measureHealing({ each, median }: { each: number; median: number }): Healing {
  const cells: { title: string; ms: number }[] = [];
  return {
    add: (title, ms) => void cells.push({ title, ms }),
    problems: () => {
      if (cells.length === 0) return ['no cell was measured'];
      const slow = cells.filter(({ ms }) => ms > each).map(({ title, ms }) => `${title} took ${Math.round(ms)} ms`);
      const middle = cells.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor((cells.length - 1) / 2)] as number;
      return middle > median ? [...slow, `half of the cells took more than ${Math.round(middle)} ms`] : slow;
    },
  };
}
