// Whether the nodes that live have a zone, in words for conditions and messages. Pure. A text stays the same while the
// situation does, because conditions contain it.
import type { ZoneNode } from '#contract/feed.ts';

/**
 * A node that is behind for less does not say since when: it is catching up, and the time would change with each
 * question.
 */
export const SINCE_SECONDS = 5;

/** If no node counts, the answers over DNS decide alone: a service without nodes answers nothing. */
export const NO_NODE_REPORTS = 'No node that holds all zones reports to the api, so only the answers over DNS count.';

/**
 * The problem of each node that counts and does not have the zone. A node that is starting does not count.
 * @param patienceSeconds a node that is behind for less, and does not fail, is not a problem. (Default: 0.)
 */
export function nodeProblems(nodes: readonly ZoneNode[], patienceSeconds = 0): string[] {
  const problems = nodes.flatMap((node) => {
    if (node.current || node.starting) return [];
    if (node.error !== undefined) return [`node ${node.node} does not serve the zone as stored: ${node.error}`];
    const seconds = node.behindSeconds ?? 0;
    if (node.behindSince !== undefined && seconds < patienceSeconds) return [];
    const since =
      node.behindSince === undefined || seconds < SINCE_SECONDS ? '' : ` (behind since ${whole(node.behindSince)})`;
    return [`node ${node.node} has not applied the last change yet${since}`];
  });
  return [...new Set(problems)];
}

/** Whether a node counts: whether one lives that has applied its first list. */
export function isAnyCounted(nodes: readonly ZoneNode[]): boolean {
  return nodes.some(({ starting }) => !starting);
}

/**
 * A sentence about nodes that answer records with weights evenly; null: there are none.
 * @param names the names of these nodes
 */
export function evenlyNote(names: readonly string[]): string | null {
  const unique = [...new Set(names)].sort();
  if (unique.length === 0) return null;
  const [which, its] = unique.length === 1 ? ['Node', 'answers'] : ['Nodes', 'answer'];
  return `${which} ${unique.join(', ')} ${its} records with weights with all of them, evenly: that takes Knot DNS 3.4 with knot-module-geoip to draw.`;
}

/** A time without its fraction of a second. */
export function whole(time: string): string {
  return time.replace(/\.\d+Z$/, 'Z');
}
