// Settings that clients of other protocols keep at a zone and read again. The service does nothing by them, so they
// change no answer, no serial and no history.
import { clientSettings, mergeClientSettings } from '#store/client-settings.ts';
import { mustManageZones } from '../accounts/actor.ts';
import type { Caller, ServiceContext } from '../context.ts';
import type { FirstRecords } from './create.ts';
import { seeZone } from './zones.ts';

export type ClientSettings = Readonly<Record<string, string | boolean>>;

/** The settings of zones that the caller may see, by id; a zone without settings is absent. */
export async function readClientSettings(
  context: Pick<ServiceContext, 'db'>,
  zoneIds: readonly string[],
): Promise<ReadonlyMap<string, ClientSettings>> {
  return (await clientSettings(context.db, zoneIds)) as ReadonlyMap<string, ClientSettings>;
}

/**
 * Sets some settings; the others stay.
 * @param settings the caller bounds their number and length.
 * @throws Refusal no_zone, forbidden
 */
export async function changeClientSettings(
  context: ServiceContext,
  { actor }: Caller,
  zoneId: string,
  settings: ClientSettings,
): Promise<void> {
  await seeZone(context, actor, zoneId, 'no_zone');
  mustManageZones(actor);
  if (Object.keys(settings).length > 0) await mergeClientSettings(context.db, zoneId, settings);
}

/** Gives a new zone its settings in the transaction that creates it. @param records writes its first records. */
export function withClientSettings(settings: ClientSettings, records?: FirstRecords): FirstRecords {
  return async (tx, zone) => {
    if (Object.keys(settings).length > 0) await mergeClientSettings(tx, zone.id, settings);
    await records?.(tx, zone);
  };
}
