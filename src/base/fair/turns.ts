// Some of many items, so that no group waits for all items of another one. Pure. The queue of the same folder is for
// items that wait for a permit.

/** The first item of each group, then the second ones, and so on. @param most the number of items at most */
export function takeTurns<T>(items: Iterable<T>, groupOf: (item: T) => string, most: number): T[] {
  const groups = [...Map.groupBy(items, groupOf).values()];
  const chosen: T[] = [];
  for (let turn = 0; chosen.length < most; turn += 1) {
    const round = groups.flatMap((group) => group.slice(turn, turn + 1));
    if (round.length === 0) break;
    chosen.push(...round);
  }
  return chosen.slice(0, most);
}
