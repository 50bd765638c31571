// The lines of the feed, and how changed names become lines: each zone is rendered from its current state, a few zones
// at a time, and the lines come in parts of bounded size.
import type { ServedSet } from '#dns/served.ts';
import type { Names, Pending } from './pending.ts';
import type { ServedSource, ZoneHead } from './source.ts';

/** `feedLine` of the contract. */
export type ServedLine =
  | { kind: 'begin'; epoch: string; resumed: boolean; cursor: string }
  | ({ kind: 'listed' } & ZoneHead)
  | { kind: 'list-end'; zones: number; cursor: string }
  | ({ kind: 'change'; names: string[]; sets: ServedSet[]; cursor: string } & ZoneHead)
  | ({ kind: 'reload'; cursor: string } & ZoneHead)
  | { kind: 'gone'; id: string; name: string; cursor: string }
  | { kind: 'beat'; cursor: string };
export type LineKind = ServedLine['kind'];

export const LINE_KINDS = ['begin', 'listed', 'list-end', 'change', 'reload', 'gone', 'beat'] as const;

/** Lines that are sent together. */
export interface FeedPart {
  text: Buffer;
  lines: readonly ServedLine[];
  kinds: readonly LineKind[];
  /** The changes that the lines tell. */
  zones: readonly (readonly [string, Names])[];
  gone: readonly (readonly [string, string])[];
}

export function buildFeedPart(
  lines: readonly ServedLine[],
  zoneChanges: Partial<Pick<FeedPart, 'zones' | 'gone'>> = {},
): FeedPart {
  const text = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return {
    text,
    lines,
    kinds: lines.map(({ kind }) => kind),
    zones: zoneChanges.zones ?? [],
    gone: zoneChanges.gone ?? [],
  };
}

/** Zones that are rendered at a time: each takes a database connection for a moment. */
const AT_ONCE = 4;
/** The names that `render` takes at a time. */
const NAMES_AT_ONCE = 1_000;
const PART_BYTES = 512 * 1024;

export interface LineFailure {
  zoneId: string;
  names: Names;
  error: unknown;
}

/**
 * Renders what is pending, except `all`. Zones that were deleted in the meantime have no line.
 * @param cursor for every line
 * @param onFailure called for each zone that cannot be rendered; the other zones have their lines nevertheless
 */
export async function* renderPending(
  source: Pick<ServedSource, 'render'>,
  pendingChanges: Pending,
  cursor: string,
  onFailure: (failure: LineFailure) => void,
): AsyncGenerator<FeedPart> {
  // A zone that was deleted and changed since then may have been restored, so it is looked up.
  let goneZones = [...pendingChanges.gone].filter(([id]) => !pendingChanges.zones.has(id));
  let zones: [string, Names][] = [];
  let lines: ServedLine[] = goneZones.map(([id, name]) => ({ kind: 'gone', id, name, cursor }));
  let bytes = 0;
  const all = [...pendingChanges.zones];
  for (let at = 0; at < all.length; at += AT_ONCE) {
    const some = all.slice(at, at + AT_ONCE);
    const renderedLines = await Promise.allSettled(
      some.map(([zoneId, names]) => renderLines(source, zoneId, names, cursor)),
    );
    for (const [index, result] of renderedLines.entries()) {
      const [zoneId, names] = some[index] as [string, Names];
      if (result.status === 'rejected') {
        onFailure({ zoneId, names, error: result.reason });
        continue;
      }
      zones.push([zoneId, names]);
      lines.push(...result.value);
      const deletedName = pendingChanges.gone.get(zoneId);
      if (deletedName !== undefined && result.value.length === 0) {
        goneZones.push([zoneId, deletedName]);
        lines.push({ kind: 'gone', id: zoneId, name: deletedName, cursor });
      }
      bytes += result.value.reduce((sum, line) => sum + estimateSize(line), 0);
    }
    if (bytes < PART_BYTES) continue;
    yield buildFeedPart(lines, { zones, gone: goneZones });
    [lines, zones, goneZones, bytes] = [[], [], [], 0];
  }
  if (lines.length > 0 || zones.length > 0) yield buildFeedPart(lines, { zones, gone: goneZones });
}

async function renderLines(
  source: Pick<ServedSource, 'render'>,
  zoneId: string,
  names: Names,
  cursor: string,
): Promise<ServedLine[]> {
  const lines: ServedLine[] = [];
  const wantedNames = [...(names ?? [])];
  for (let at = 0; at === 0 || at < wantedNames.length; at += NAMES_AT_ONCE) {
    const some = wantedNames.slice(at, at + NAMES_AT_ONCE);
    const renderedZone = await source.render(zoneId, some);
    if (renderedZone === null) return [];
    if (some.length === 0) lines.push({ kind: 'reload', ...renderedZone.head, cursor });
    else lines.push({ kind: 'change', ...renderedZone.head, names: some, sets: renderedZone.sets, cursor });
  }
  return lines;
}

/** About the octets of a line, without writing it. */
function estimateSize(line: ServedLine): number {
  if (line.kind !== 'change') return 200;
  const { names, sets } = line;
  const octets = sets.reduce((sum, { rdata }) => sum + rdata.reduce((part, { length }) => part + length + 3, 80), 200);
  return octets + names.reduce((sum, { length }) => sum + length + 3, 0);
}
