// Settings of single zones in the configuration of knotd, next to those of the template.
import { beginConfiguration } from './apply.ts';
import type { KnotArguments, KnotControl } from './control.ts';
import { isRefusal } from './errors.ts';
import { absolute } from './records.ts';

interface ZoneItem {
  readonly zone: string;
  readonly item: string;
  /** Absent: the item is removed. */
  readonly data?: string;
}

/**
 * In one transaction. Knot lets it wait while a zone is being loaded, and all other commands with it.
 * @throws KnotError; nothing is changed then
 */
export async function changeZoneItems(
  control: KnotControl,
  items: readonly ZoneItem[],
  signal: AbortSignal,
): Promise<void> {
  await control.sessionAlone(async ({ run }) => {
    await beginConfiguration(run);
    try {
      for (const { zone, ...item } of items) {
        const unit: KnotArguments = { section: 'zone', id: absolute(zone), ...item };
        const isUnset = item.data === undefined;
        await run(isUnset ? 'conf-unset' : 'conf-set', unit).catch((error: unknown) => {
          // An item that is not set, or a zone that was removed.
          if (!isUnset || !isRefusal(error, 'not exists', 'invalid identifier')) throw error;
        });
      }
      await run('conf-commit');
    } catch (error) {
      await run('conf-abort').catch(() => {});
      throw error;
    }
  }, signal);
}
