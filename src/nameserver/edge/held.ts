// Whether an edge has the zones of its catalog. A new edge gets no queries before: it would refuse them.
import type { KnotControl } from '../knot/control.ts';

export type Held =
  | { readonly state: 'all'; readonly zones: number }
  /** Some zones have no contents, for instance `missing`. */
  | { readonly state: 'some'; readonly zones: number; readonly missing: string; readonly lacking: number }
  /** The catalog itself has no contents. */
  | { readonly state: 'none' };

/**
 * @param catalog the name of the catalog zone, without final dot
 * @throws KnotError
 */
export async function heldZones(control: KnotControl, catalog: string, signal: AbortSignal): Promise<Held> {
  const zone = `${catalog}.`;
  return control.session(async ({ run }) => {
    const states = await run('zone-status', { filters: 's' });
    const loadedZones = new Set(
      states.flatMap(({ zone: name, data = '' }) => (name && /^\d+$/.test(data) ? [name] : [])),
    );
    if (!loadedZones.has(zone)) return { state: 'none' };
    const members = await run('zone-read', { zone, type: 'PTR' });
    const lacking = members.flatMap(({ data }) => (data !== undefined && !loadedZones.has(data) ? [data] : []));
    const zones = members.length - lacking.length;
    const [missingZone] = lacking;
    return missingZone === undefined
      ? { state: 'all', zones }
      : { state: 'some', zones, missing: missingZone, lacking: lacking.length };
  }, signal);
}
