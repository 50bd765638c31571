// Compares the zones and serials of the name server with the state: after a start, after the name server was down, and
// every minute. A serial that differs is a reason to compare the contents, not an error: Knot also renews signatures
// automatically.
import type { EngineZone } from '../engine.ts';
import { emptyRow, type KnownZone, type NodeState } from './state.ts';

interface AuditResult {
  /** Zones that the name server lost. */
  readonly lost: readonly string[];
  /** Zones with another serial than the node committed, or without readable contents. */
  readonly doubtful: readonly string[];
  /** Zones that the node did not add. */
  readonly unknown: readonly string[];
}

interface Audited {
  readonly state: NodeState;
  readonly present: Set<string>;
}

/** Pure. @param rows the rows of the zones that may be judged */
function judgeZones(heldSerials: ReadonlyMap<string, number | null>, rows: Iterable<KnownZone>): AuditResult {
  const lostNames: string[] = [];
  const doubtfulNames: string[] = [];
  const knownNames = new Set<string>();
  for (const { name, engineSerial } of rows) {
    knownNames.add(name);
    const serial = heldSerials.get(name);
    if (serial === undefined) lostNames.push(name);
    else if (serial !== engineSerial) doubtfulNames.push(name);
  }
  return {
    lost: lostNames,
    doubtful: doubtfulNames,
    unknown: [...heldSerials.keys()].filter((name) => !knownNames.has(name)),
  };
}

/** At the start: zones that differ become dirty in the state. */
export function auditAtStart({ state, present }: Audited, zones: readonly EngineZone[]): AuditResult {
  const heldSerials = serialsOf(zones);
  for (const name of heldSerials.keys()) present.add(name);
  const result = judgeZones(heldSerials, state.rows().values());
  state.batch(() => {
    for (const name of result.lost) update(state, name, { engineSerial: null, key: null, isDirty: true });
    for (const name of result.doubtful) update(state, name, { ...serialIn(heldSerials, name), isDirty: true });
    for (const name of result.unknown) state.put({ ...emptyRow(name, ''), ...serialIn(heldSerials, name) });
  });
  return result;
}

/**
 * While the node runs.
 * @param before the rows before the name server was asked: only zones whose row is still the same are judged
 * @param isBusy whether work of the zone waits or runs; its row is about to change
 */
export function auditRunning(
  { state, present }: Audited,
  zones: readonly EngineZone[],
  before: ReadonlyMap<string, KnownZone>,
  isBusy: (name: string) => boolean,
): AuditResult {
  const heldSerials = serialsOf(zones);
  const isQuiet = (name: string) => before.get(name) === state.rows().get(name) && !isBusy(name);
  const all = judgeZones(heldSerials, before.values());
  const lostNames = all.lost.filter(isQuiet);
  const doubtfulNames = all.doubtful.filter(isQuiet);
  const unknownNames = all.unknown.filter(isQuiet);
  state.batch(() => {
    for (const name of lostNames) {
      present.delete(name);
      update(state, name, { engineSerial: null, key: null, isDirty: true });
    }
    for (const name of doubtfulNames) update(state, name, serialIn(heldSerials, name));
    for (const name of unknownNames) {
      present.add(name);
      state.put({ ...emptyRow(name, ''), ...serialIn(heldSerials, name) });
    }
  });
  return { lost: lostNames, doubtful: doubtfulNames, unknown: unknownNames };
}

function serialsOf(zones: readonly EngineZone[]): Map<string, number | null> {
  return new Map(zones.map(({ name, serial }) => [name, serial]));
}

/** A zone without a serial may still be loading: its contents are not known to be lost. */
function serialIn(heldSerials: ReadonlyMap<string, number | null>, name: string): Partial<KnownZone> {
  const serial = heldSerials.get(name) ?? null;
  return serial === null ? {} : { engineSerial: serial };
}

function update(state: NodeState, name: string, change: Partial<KnownZone>): void {
  const row = state.rows().get(name);
  if (row !== undefined) state.put({ ...row, ...change });
}
