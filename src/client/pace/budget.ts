// How many writes a key may still make in its window, and which group of jobs may make the next one. Pure decisions
// over a state that the dispatcher owns.
//
// The state is  unknown → a first answer → unlimited (the answer named no limit) or limited; each answer updates it.
// Between two answers the window moves on: the places of our own requests return when they leave the window. The last
// answer may not have counted a request in flight, so its places are subtracted.
//
// Groups share the window:
// - The first write of a group in a window is always allowed: only if the window is full does the service refuse it,
//   and then no group can write.
// - For the next one, a group with u places in the window needs more than R·u/(u+3) free places, where R is a reserve
//   of a fifth of the window (at least 3 places, at most 60, never more than half). No group can use up the window, and
//   groups that write little find places: of a reserve of 12 the first group gets 5, the second 3, the next four one
//   each.
// - A group that has its equal part of the window among all its neighbours leaves a free place for each of them, and a
//   tenth of the window for groups that are not known yet, but never more than half of the window.
// - While other groups want to write too, a group has at most an equal part of the window.
import type { Rate } from './rate.ts';

/** The places of one request, by group. */
export interface Taking {
  /** When the request was sent, in ms. */
  readonly sentAt: number;
  readonly counts: ReadonlyMap<string, number>;
  readonly size: number;
}

export interface WindowBudgets {
  /** Undefined before the first answer; null if the key has no limit. */
  rate: Rate | null | undefined;
  /** The time of the request whose answer stated `rate`, and the time of that answer, in ms. */
  statedAt: number;
  heardAt: number;
  statedBy: Taking | null;
  /** Places of our own requests that have left the window since then. */
  returned: number;
  /** Places of requests in flight. */
  underWay: number;
  /** The places of ended requests, oldest first; those that left the window are removed. */
  readonly ended: { readonly at: number; readonly taking: Taking }[];
  /** Places in the window by group, including those in flight. */
  readonly used: Map<string, number>;
}

/** The time between two writes of a key whose limit is unknown. */
const DEFAULT_SPACING_MS = 1_000;
const SMALLEST_RESERVE = 3;
const LARGEST_RESERVE = 60;

export function emptyBudget(): WindowBudgets {
  return {
    rate: undefined,
    statedAt: 0,
    heardAt: 0,
    statedBy: null,
    returned: 0,
    underWay: 0,
    ended: [],
    used: new Map(),
  };
}

/** Records that a request is about to be sent, with so many changes of each group. */
export function take(budget: WindowBudgets, counts: ReadonlyMap<string, number>, now: number): Taking {
  const size = [...counts.values()].reduce((sum, count) => sum + count, 0);
  budget.underWay += size;
  for (const [group, count] of counts) budget.used.set(group, usedBy(budget, group) + count);
  return { sentAt: now, counts, size };
}

/**
 * Records the limit that the answer to a request states. If two answers differ, the one whose request was sent later
 * counts.
 */
export function hear(budget: WindowBudgets, rate: Rate | null, taking: Taking, now: number): void {
  if (budget.rate && taking.sentAt < budget.statedAt) return;
  budget.rate = rate;
  budget.statedAt = taking.sentAt;
  budget.heardAt = now;
  budget.statedBy = taking;
  budget.returned = 0;
}

/** Records that the service refused the request for its rate: the window has no place for it. */
export function exhaust(budget: WindowBudgets, now: number): void {
  if (!budget.rate) return;
  budget.rate = { ...budget.rate, remaining: 0 };
  budget.statedAt = now;
  budget.heardAt = now;
  budget.statedBy = null;
  budget.returned = 0;
}

/** The request has ended. @param counts whether the service counted it: it does not count 429 and `busy` */
export function end(budget: WindowBudgets, taking: Taking, counts: boolean, now: number): void {
  budget.underWay -= taking.size;
  if (counts && budget.rate) budget.ended.push({ at: now, taking });
  else giveBack(budget, taking);
}

/** A group that wants to write. */
interface Asking {
  readonly group: string;
  /** The number of groups that want to write, including itself. */
  readonly groups: number;
  /** Other groups that may want to write at any time. (Default: 0.) */
  readonly neighbours?: number;
}

/** Whether a group may write now, together with `chosenCount` other changes (`ownCount` of them of the group). */
export function permits(budget: WindowBudgets, asking: Asking, now: number, chosenCount = 0, ownCount = 0): boolean {
  const { rate } = budget;
  if (!rate) return rate === null || chosenCount === 0;
  prune(budget, now);
  const free = left(budget, now) - chosenCount;
  // With one change too many, the service refuses the whole request.
  if (chosenCount > 0 && free <= 0) return false;
  return isAdmitted(rate, asking, usedBy(budget, asking.group) + ownCount, free);
}

/** When the group may write, in ms: `now` if it already may. A later answer can move the time forward. */
export function permittedAt(budget: WindowBudgets, asking: Asking, now: number): number {
  const { rate } = budget;
  if (!rate || permits(budget, asking, now)) return now;
  const { group } = asking;
  // Follows the window into the future, one returning request after the other.
  let free = left(budget, now);
  let usedCount = usedBy(budget, group);
  const statedEnd = budget.heardAt + rate.windowMs;
  for (const { at, taking } of budget.ended) {
    const returns = at + rate.windowMs;
    if (now < statedEnd && statedEnd <= returns) break;
    free += taking.size;
    usedCount -= taking.counts.get(group) ?? 0;
    if (isAdmitted(rate, asking, usedCount, free)) return returns;
  }
  return Math.max(statedEnd, now + spacing(budget));
}

/** Places of the group in the window; always 0 if the key has no limit. */
export function usedBy({ rate, used }: WindowBudgets, group: string): number {
  return rate === null ? 0 : (used.get(group) ?? 0);
}

/** The interval of single writes that stays within the limit, in ms. */
export function spacing({ rate }: WindowBudgets): number {
  return rate ? rate.windowMs / Math.max(1, rate.quota) : DEFAULT_SPACING_MS;
}

/** The free places. @param budget limited, and pruned */
function left({ rate, statedAt, heardAt, statedBy, returned, underWay, ended }: WindowBudgets, now: number): number {
  const { remaining, quota, windowMs } = rate as Rate;
  // All requests that the answer counted have left the window.
  const isPast = now - heardAt >= windowMs;
  let since = 0;
  for (let index = ended.length - 1; index >= 0; index -= 1) {
    const { at, taking } = ended[index] as WindowBudgets['ended'][number];
    if (!isPast && at <= statedAt) break;
    if (isPast || taking !== statedBy) since += taking.size;
  }
  return Math.min(quota, isPast ? quota : remaining + returned) - since - underWay;
}

function isAdmitted({ quota }: Rate, { groups, neighbours = 0 }: Asking, usedCount: number, free: number): boolean {
  if (usedCount === 0) return true;
  if (groups > 1 && usedCount >= Math.floor(quota / groups)) return false;
  const half = Math.floor(quota / 2);
  const forOthers = Math.min(neighbours + Math.ceil(quota / 10), half);
  if (usedCount >= quota / (neighbours + 1) && free <= forOthers) return false;
  const fifth = Math.min(Math.max(SMALLEST_RESERVE, Math.ceil(quota / 5)), LARGEST_RESERVE);
  return free > (Math.min(fifth, half) * usedCount) / (usedCount + 3);
}

/** Removes the requests that have left the window. */
function prune(budget: WindowBudgets, now: number): void {
  const { rate, ended, heardAt, statedAt } = budget;
  if (!rate) return;
  let goneCount = 0;
  for (const { at, taking } of ended) {
    if (at + rate.windowMs > now) break;
    goneCount += 1;
    giveBack(budget, taking);
    // The answer counted it, and it was still in the window at that time.
    const wasCounted = at <= statedAt || taking === budget.statedBy;
    if (wasCounted && at + rate.windowMs > heardAt) budget.returned += taking.size;
  }
  if (goneCount > 0) ended.splice(0, goneCount);
}

function giveBack({ used }: WindowBudgets, { counts }: Taking): void {
  for (const [group, count] of counts) {
    const rest = (used.get(group) ?? 0) - count;
    if (rest > 0) used.set(group, rest);
    else used.delete(group);
  }
}
