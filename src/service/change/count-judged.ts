// Counts the writes of judged works in the windows of their keys.
import { Refusal } from '../refusal.ts';
import type { GroupMember, Judgement } from './judge.ts';
import { countWrites } from './write-budget.ts';

/** Whether a member is more writes than were counted for it. */
export function isMore(
  members: readonly GroupMember[],
  judgement: Judgement,
  refusalByMember: ReadonlyMap<GroupMember, Refusal>,
): boolean {
  return membersWithMore(members, judgement, refusalByMember).length > 0;
}

/**
 * Counts the writes of the judged members, and adds the members whose window is full to `refusalByMember`.
 * @returns whether it added one
 */
export async function countJudged(
  members: readonly GroupMember[],
  judgement: Judgement,
  refusalByMember: Map<GroupMember, Refusal>,
): Promise<boolean> {
  let isRefused = false;
  for (const { member, writes } of membersWithMore(members, judgement, refusalByMember)) {
    try {
      await countWrites(member.budget, writes);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      refusalByMember.set(member, error);
      isRefused = true;
    }
  }
  return isRefused;
}

function membersWithMore(
  members: readonly GroupMember[],
  judgement: Judgement,
  refusalByMember: ReadonlyMap<GroupMember, Refusal>,
) {
  return members.flatMap((member, index) => {
    const [{ budget }, writes] = [member, judgement.writes[index] ?? 0];
    return budget === null || refusalByMember.has(member) || writes <= budget.counted ? [] : [{ member, writes }];
  });
}
