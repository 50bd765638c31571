// The zones of a person as numbered pages, for the console.
import { isStorable } from '#store/database.ts';
import { MAX_COUNTED, type ZoneOrder, zoneListPage } from '#store/zone-list.ts';
import type { ZoneState } from '#store/zones.ts';
import { type Actor, maySee, teamsOfActor, visibleZoneIds } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { type ManagedZone, managedZone } from './view.ts';

export { ZONE_ORDERS, type ZoneOrder } from '#store/zone-list.ts';

export interface ZoneListQuery {
  /** Only zones with this text in their name or comment, or in the name of the object that manages them. */
  text: string;
  state: ZoneState | undefined;
  /** The id of a team, `personal`, or undefined: all. */
  owner: string | undefined;
  order: ZoneOrder;
  descending: boolean;
  /** From 1. */
  page: number;
  limit: number;
}

/** @returns the zones of the page; `total`: how many match; null: more than 10,000 */
export async function readZoneList(
  context: ServiceContext,
  actor: Actor,
  { text, state, owner, order, descending, page, limit }: ZoneListQuery,
): Promise<{ zones: ManagedZone[]; total: number | null }> {
  if (!isStorable(text)) return { zones: [], total: 0 };
  const teams = teamsOfActor(actor);
  const { rows, total } = await zoneListPage(
    context.db,
    {
      teamIds: owner === undefined ? teams : teams.filter((team) => team === owner),
      userId: owner === undefined || owner === 'personal' ? (actor.user?.id ?? null) : null,
      ids: visibleZoneIds(actor),
      text: text === '' ? null : text.toLowerCase(),
      state: state ?? null,
    },
    { order, descending, limit, offset: (page - 1) * limit },
  );
  const zones = rows.filter((row) => maySee(actor, row)).map((row) => managedZone(row, context.nameservers));
  return { zones, total: total > MAX_COUNTED ? null : total };
}
