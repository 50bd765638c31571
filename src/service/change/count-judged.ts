// Counts the writes of judged works in the windows of their keys.
import { Refusal } from '../refusal.ts';
import type { GroupMember, Judgement } from './judge.ts';
import { countWrites } from './write-budget.ts';

/** Whether a member is more writes than were counted for it. */
export function isMore(
  members: readonly GroupMember[],
  judgement: Judgement,
  refused: ReadonlyMap<GroupMember, Refusal>,
): boolean {
  return membersWithMore(members, judgement, refused).length > 0;
}

/**
 * Counts the writes of the judged members, and adds the members whose window is full to `refused`.
 * @returns whether it added one
 */
export async function countJudged(
  members: readonly GroupMember[],
  judgement: Judgement,
  refused: Map<GroupMember, Refusal>,
): Promise<boolean> {
  let isRefused = false;
  for (const { member, writes } of membersWithMore(members, judgement, refused)) {
    try {
      await countWrites(member.budget, writes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refused.set(member, error);
      isRefused = true;
    }
  }
  return isRefused;
}

function membersWithMore(
  members: readonly GroupMember[],
  judgement: Judgement,
  refused: ReadonlyMap<GroupMember, Refusal>,
) {
  return members.flatMap((member, index) => {
    const [{ budget }, writes] = [member, judgement.writes[index] ?? 0];
    return budget === null || refused.has(member) || writes <= budget.counted ? [] : [{ member, writes }];
  });
}
