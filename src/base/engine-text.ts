// The DNS server of a node in words, as its reports have it. Pure.

const EVENLY = ' (without weights)';

/** For instance `Knot DNS 3.4.6`, or `Knot DNS 3.2.6 (without weights)` if it answers RRsets with weights evenly. */
export function writeEngine(version: string, canDraw: boolean): string {
  return `Knot DNS ${version}${canDraw ? '' : EVENLY}`;
}

/** Whether the server of a report answers RRsets with weights evenly. */
export function answersEvenly(engine: string): boolean {
  return engine.endsWith(EVENLY);
}
