// A source of the feed in memory, for faults that a database does not have on demand: zones with RRsets, rows of
// changes in transactions that the test commits in any order, and failures.
import type { ServedSet } from '#dns/served.ts';
import type { ServedChange, ServedSource, ZoneHead } from '#service/nodes/source.ts';

interface Row {
  change: ServedChange;
  xid: number;
  no: number;
}

export interface MemorySource extends ServedSource {
  /**
   * Commits a change of a zone: its names have one A record each, with this address. The zone is made if it does not
   * exist.
   */
  change(zoneId: string, names: readonly string[] | null, address?: string): void;
  /** Deletes a zone. */
  remove(zoneId: string): void;
  changeAll(): void;
  /** Starts a transaction that does nothing yet. @returns the function that commits it, with a change of these names */
  begin(): (zoneId: string, names: readonly string[]) => void;
  /** The number of calls, and for `render` the zone and the number of names. */
  readonly calls: { changesSince: number; render: [zoneId: string, names: number][]; list: number };
  /** The functions that fail, as often as the number says; `render` can be limited to one zone. */
  failing: { changesSince: number; position: number; render: number; renderOf: string | null };
  /** The next look answers that the cursor cannot be continued. */
  moved: boolean;
  /** The zones of a page of the list. */
  pageSize: number;
}

const EPOCH = 'memory.1';

export function createMemorySource(): MemorySource {
  let xid = 100;
  let no = 0;
  const rows: Row[] = [];
  const running = new Set<number>();
  const zones = new Map<string, { head: ZoneHead; sets: Map<string, ServedSet> }>();
  const horizon = () => Math.min(xid + 1, ...running);
  const cursor = () => `${EPOCH}:${horizon()}`;

  const ensureZone = (id: string) => {
    const found = zones.get(id) ?? { head: { id, name: `${id}.example`, version: '0', serial: 0 }, sets: new Map() };
    zones.set(id, found);
    return found;
  };
  const write = (id: number, zoneId: string, names: readonly string[] | null, address: string) => {
    const zone = ensureZone(zoneId);
    zone.head = { ...zone.head, version: `${id}.1`, serial: id };
    for (const name of names ?? []) zone.sets.set(name, { name, type: 'A', ttl: 60, rdata: [address] });
    rows.push({ change: { kind: 'changed', zoneId, names: names === null ? null : [...names] }, xid: id, no: ++no });
  };
  const failed = (what: 'changesSince' | 'position' | 'render') => {
    if (source.failing[what] === 0) return;
    source.failing[what] -= 1;
    throw new Error(`${what} fails`);
  };

  const source: MemorySource = {
    calls: { changesSince: 0, render: [], list: 0 },
    failing: { changesSince: 0, position: 0, render: 0, renderOf: null },
    moved: false,
    pageSize: 100,
    change: (zoneId, names, address = '192.0.2.1') => write(++xid, zoneId, names, address),
    remove: (zoneId) => {
      const { name } = ensureZone(zoneId).head;
      zones.delete(zoneId);
      rows.push({ change: { kind: 'gone', zoneId, name }, xid: ++xid, no: ++no });
    },
    changeAll: () => void rows.push({ change: { kind: 'all' }, xid: ++xid, no: ++no }),
    begin: () => {
      const own = ++xid;
      running.add(own);
      return (zoneId, names) => {
        running.delete(own);
        write(own, zoneId, names, '192.0.2.9');
      };
    },
    position: async () => {
      failed('position');
      return cursor();
    },
    changesSince: async (after, seen) => {
      source.calls.changesSince += 1;
      failed('changesSince');
      if (source.moved || !after.startsWith(`${EPOCH}:`)) {
        source.moved = false;
        return null;
      }
      const from = Number(after.split(':')[1]);
      const known = new Set(seen === undefined ? [] : JSON.parse(seen));
      const found = rows.filter((row) => row.xid >= from);
      return {
        cursor: cursor(),
        epoch: EPOCH,
        seen: JSON.stringify(found.filter((row) => row.xid >= horizon()).map((row) => row.no)),
        changes: found
          .filter((row) => !known.has(row.no))
          .map((row) => ({ ...row.change, xid: String(row.xid), no: row.no })),
      };
    },
    render: async (zoneId, names) => {
      source.calls.render.push([zoneId, names.length]);
      if (source.failing.renderOf === null || source.failing.renderOf === zoneId) failed('render');
      const zone = zones.get(zoneId);
      if (zone === undefined) return null;
      return { head: zone.head, sets: names.flatMap((name) => zone.sets.get(name) ?? []) };
    },
    async *list() {
      source.calls.list += 1;
      const heads = [...zones.values()].map(({ head }) => head);
      for (let at = 0; at < heads.length; at += source.pageSize) yield heads.slice(at, at + source.pageSize);
    },
    zone: async (zoneId) => {
      const zone = zones.get(zoneId);
      if (zone === undefined) return null;
      const sets = [...zone.sets.values()];
      async function* pages() {
        if (sets.length > 0) yield sets;
      }
      return { head: zone.head, settings: { keys: [] } as never, pages: pages() };
    },
  };
  return source;
}
