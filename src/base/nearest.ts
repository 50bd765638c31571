// The word of a list that is nearest to a misspelled one. Pure.

/** The longest words that are compared: the time grows with the product of two lengths. */
const MAX_LENGTH = 64;
/** The words that are compared at most. */
const MAX_WORDS = 10_000;

/** The nearest of the words, if at most a third of its letters must change; null if there is none. */
export function findNearest(word: string, words: readonly string[]): string | null {
  let nearest: { word: string; changes: number } | null = null;
  for (const each of words.slice(0, MAX_WORDS)) {
    const changes = countChanges(word.toLowerCase(), each.toLowerCase());
    const isNear = changes <= Math.ceil(Math.max(word.length, each.length) / 3);
    if (isNear && (nearest === null || changes < nearest.changes)) nearest = { word: each, changes };
  }
  return nearest?.word ?? null;
}

/** The letters to insert, to delete, to replace, or to swap with the next one (optimal string alignment). */
function countChanges(a: string, b: string): number {
  if (a.length > MAX_LENGTH || b.length > MAX_LENGTH) return Number.POSITIVE_INFINITY;
  let [before, last]: number[][] = [[], Array.from({ length: b.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replacementCost = (last?.[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      const least = Math.min((last?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replacementCost);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(isSwap ? Math.min(least, (before?.[j - 2] ?? 0) + 1) : least);
    }
    [before, last] = [last, row];
  }
  return last?.[b.length] ?? 0;
}
