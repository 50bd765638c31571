// The reverse records of the memory service: a record that wants a PTR record has it, unless a test says why not.
import type { RecordHealth } from '#dns/members.ts';
import type { ReverseState } from '#dns/reverse.ts';

/** By address. (Default: Written.) */
export type ReverseStates = Map<string, ReverseState>;

/** The mark of a record in a list. */
export function markReverse(
  states: ReverseStates,
  { content, health }: { readonly content: string; readonly health?: RecordHealth | null },
): { reverseState?: ReverseState } {
  return health?.reverse ? { reverseState: states.get(content) ?? 'Written' } : {};
}

/** The parts that answers have. */
export function shownHealth(health: RecordHealth | null | undefined): Omit<RecordHealth, 'reverseIn'> {
  const { reverseIn: _zones, ...shown } = health ?? {};
  return shown;
}
