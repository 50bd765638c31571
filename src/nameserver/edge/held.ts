// Whether an edge has the zones of its catalog, and until when. A new edge gets no queries before: it would refuse
// them.
import type { KnotControl } from '../knot/control.ts';
import type { KnotItem } from '../knot/protocol.ts';

export type Held = (
  | { readonly state: 'all'; readonly zones: number }
  /** Some zones have no contents, for instance `missing`. */
  | { readonly state: 'some'; readonly zones: number; readonly missing: string; readonly lacking: number }
  /** The catalog itself has no contents. */
  | { readonly state: 'none' }
) & {
  /** The time until the first of all zones expires; null if there is none. */
  readonly expiresSeconds: number | null;
};

/** Serials and events of `zone-status`. */
const SERIALS_AND_EVENTS = 'se';
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  Y: 31_536_000,
  M: 2_592_000,
  D: 86_400,
  h: 3_600,
  m: 60,
  s: 1,
};

/**
 * @param catalog the name of the catalog zone, without final dot
 * @throws KnotError
 */
export async function heldZones(control: KnotControl, catalog: string, signal: AbortSignal): Promise<Held> {
  const zone = `${catalog}.`;
  return control.session(async ({ run }) => {
    const states = await run('zone-status', { filters: SERIALS_AND_EVENTS });
    const loadedZones = new Set(
      states.flatMap(({ zone: name, type, data = '' }) =>
        name && type === 'serial' && /^\d+$/.test(data) ? [name] : [],
      ),
    );
    const expiresSeconds = leastExpiry(states);
    if (!loadedZones.has(zone)) return { state: 'none', expiresSeconds };
    const members = await run('zone-read', { zone, type: 'PTR' });
    const lacking = members.flatMap(({ data }) => (data !== undefined && !loadedZones.has(data) ? [data] : []));
    const zones = members.length - lacking.length;
    const [missingZone] = lacking;
    return missingZone === undefined
      ? { state: 'all', zones, expiresSeconds }
      : { state: 'some', zones, missing: missingZone, lacking: lacking.length, expiresSeconds };
  }, signal);
}

/** @param states the events of `zone-status`; Knot writes `expiration: +6D23h59m57s` */
export function leastExpiry(states: readonly KnotItem[]): number | null {
  let least: number | null = null;
  for (const { type, data = '' } of states) {
    if (type !== 'expiration' || !/^\+(\d+[YMDhms])+$/.test(data)) continue;
    let seconds = 0;
    for (const [, count, unit = ''] of data.matchAll(/(\d+)([YMDhms])/g)) {
      seconds += Number(count) * (UNIT_SECONDS[unit] ?? 0);
    }
    if (least === null || seconds < least) least = seconds;
  }
  return least;
}
