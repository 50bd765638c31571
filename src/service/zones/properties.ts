// Changes of the zone itself: parks and unparks it, and sets its default TTL, its denial of names and its comment.
import { parseComment } from '#dns/comment.ts';
import type { Denial } from '#dns/dnssec/denial.ts';
import type { ZoneRow, ZoneState } from '#store/zones.ts';
import { mustManageZones } from '../accounts/actor.ts';
import { changeLocked } from '../change/locked.ts';
import { mustBeAsSeen, mustMatchZone } from '../conditions/condition.ts';
import type { Caller, ServiceContext } from '../context.ts';
import { insist } from '../refusal.ts';
import { type ZoneView, zoneView } from './view.ts';

/**
 * Parks or unparks a zone. Repeated calls have no further effect.
 * @param seenProperties the state and comment that a person saw: if one is another now, the change is refused.
 * @throws Refusal no_zone, forbidden, precondition_failed, busy
 */
export async function setZoneState(
  context: ServiceContext,
  caller: Caller,
  id: string,
  state: ZoneState,
  seenProperties: { state?: string; comment?: string } = {},
): Promise<ZoneView> {
  return changeLocked(context, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    mustBeAsSeen('state', seenProperties.state, zone.state);
    mustBeAsSeen('comment', seenProperties.comment, zone.comment);
    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);
    if (zone.state === state) return { answer };
    const action = state === 'parked' ? 'zone.park' : 'zone.unpark';
    return { answer, entries: [{ action, before: { state: zone.state }, after: { state } }], served: { state } };
  });
}

/** The properties of a zone that can change, except its state. An absent one stays as it is. */
export interface ZoneProperties {
  /** The TTL in seconds of records that have none. */
  defaultTtl?: number | undefined;
  denial?: Denial | undefined;
  /** Null: none. */
  comment?: string | null | undefined;
}

/**
 * @param seenProperties the values that a person saw: one that is another now refuses the change.
 * @throws Refusal no_zone, forbidden, precondition_failed, bad_request (comment), busy
 */
export async function changeProperties(
  context: ServiceContext,
  caller: Caller,
  id: string,
  properties: ZoneProperties,
  seenProperties: ZoneProperties = {},
): Promise<ZoneView> {
  return changeLocked(context, caller, id, async (_tx, zone) => {
    mustManageZones(caller.actor);
    mustMatchZone(caller, zone, context);
    const answer = (after: ZoneRow) => zoneView(after, context.nameservers);
    mustBeAsSeen('defaultTtl', seenProperties.defaultTtl, zone.defaultTtl);
    mustBeAsSeen('denial', seenProperties.denial, zone.denial);
    mustBeAsSeen('comment', seenProperties.comment, zone.comment);
    const wantedProperties = {
      served: {
        defaultTtl: properties.defaultTtl ?? zone.defaultTtl,
        denial: properties.denial ?? zone.denial,
      },
      unserved: { comment: properties.comment === undefined ? zone.comment : insist(parseComment(properties.comment)) },
    };
    const [servedDifference, unservedDifference] = [
      difference(zone, wantedProperties.served),
      difference(zone, wantedProperties.unserved),
    ];
    if (servedDifference === null && unservedDifference === null) return { answer };
    const before = { ...servedDifference?.before, ...unservedDifference?.before };
    const after = { ...servedDifference?.after, ...unservedDifference?.after };
    return {
      answer,
      entries: [{ action: 'zone.change', before, after, isComment: servedDifference === null }],
      ...(servedDifference && { served: servedDifference.after }),
      ...(unservedDifference && { unserved: wantedProperties.unserved }),
    };
  });
}

/** The properties that are not as they are wanted, on both sides; null: all are. */
function difference<Wanted extends Partial<ZoneRow>>(zone: ZoneRow, wantedProperties: Wanted) {
  const values: Partial<ZoneRow> = wantedProperties;
  const names = (Object.keys(wantedProperties) as (keyof ZoneRow)[]).filter((name) => values[name] !== zone[name]);
  if (names.length === 0) return null;
  const pick = (from: Partial<ZoneRow>) => Object.fromEntries(names.map((name) => [name, from[name]])) as Wanted;
  return { before: pick(zone), after: pick(wantedProperties) };
}
