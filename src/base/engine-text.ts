// The DNS server of a node in words, as its reports have it. Pure.

/** The abilities that an engine may lack, in the words of its text. */
const LACKS = { weights: 'weights', nsec3: 'NSEC3' } as const;

/**
 * For instance `Knot DNS 3.4.6`, or `Knot DNS 3.2.6 (without weights and NSEC3)` if it answers RRsets with weights
 * evenly, and zones that choose NSEC3 with NSEC.
 */
export function writeEngine(version: string, { draws, hashes }: { draws: boolean; hashes: boolean }): string {
  const missing = [...(draws ? [] : [LACKS.weights]), ...(hashes ? [] : [LACKS.nsec3])];
  return `Knot DNS ${version}${missing.length === 0 ? '' : ` (without ${missing.join(' and ')})`}`;
}

/** Whether the server of a report answers RRsets with weights evenly. */
export function answersEvenly(engine: string): boolean {
  return engine.includes(`(without ${LACKS.weights}`);
}
