// The lines for a node of an older version: it gets no kind that it does not know. A newer line about a zone becomes
// `reload`, so that the node reads the zone again. Pure.
import type { LineLevels } from '#base/feed-levels.ts';
import { buildFeedPart, type FeedPart, type ServedLine } from './lines.ts';

/**
 * The part for a node of this level.
 * @returns the same part if the node knows all its kinds; null if a line that it does not know names no zone, so that
 * the node must read all zones again
 */
export function fitPart(part: FeedPart, understands: number, levels: LineLevels): FeedPart | null {
  const isKnown = ({ kind }: ServedLine) => (levels[kind] ?? 1) <= understands;
  if (part.lines.every(isKnown)) return part;
  const lines: ServedLine[] = [];
  for (const line of part.lines) {
    const fittedLine = isKnown(line) ? line : reloadInPlaceOf(line);
    if (fittedLine === null) return null;
    lines.push(fittedLine);
  }
  return buildFeedPart(lines, part);
}

function reloadInPlaceOf(line: ServedLine): ServedLine | null {
  if (!('id' in line && 'version' in line && 'cursor' in line)) return null;
  const { id, name, version, serial, cursor } = line;
  return { kind: 'reload', id, name, version, serial, cursor };
}
