// Which nodes have a slot, and which of them is the source of zone transfers. Pure.
import { SLOTS } from '#dns/secondaries/serial.ts';
import type { PlanNode } from '#store/transfers.ts';

export interface PlanDecision {
  /** Nodes that get a slot now. */
  readonly slots: readonly { readonly node: string; readonly slot: number }[];
  /** The name of the source; null if no node can be it and none was. */
  readonly source: string | null;
}

/**
 * A node without a slot gets a free one, in the order of `nodes`; with all slots taken, it takes no part in transfers.
 * The source stays the source as long as it lives, so a node that returns does not take it back. Otherwise it is the
 * living node with the lowest slot that has applied the list of all zones; without one it stays, because no other node
 * could do better.
 */
export function decidePlan(nodes: readonly PlanNode[], source: string | null): PlanDecision {
  const takenSlots = new Set(nodes.flatMap(({ slot }) => (slot === null ? [] : [slot])));
  const free = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => !takenSlots.has(slot));
  const slots = nodes
    .filter(({ slot, isLiving }) => slot === null && isLiving)
    .slice(0, free.length)
    .map(({ name }, at) => ({ node: name, slot: free[at] as number }));
  const slotByNode = new Map(slots.map(({ node, slot }) => [node, slot]));
  const placedNodes = nodes.flatMap((node) => {
    const slot = node.slot ?? slotByNode.get(node.name);
    return slot === undefined ? [] : [{ ...node, slot }];
  });
  if (placedNodes.some(({ name, isLiving }) => name === source && isLiving)) return { slots, source };
  const able = placedNodes.filter(({ isLiving, isListed }) => isLiving && isListed).sort((a, b) => a.slot - b.slot);
  return { slots, source: able[0]?.name ?? source };
}
