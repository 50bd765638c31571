// The operations of knotd for zone transfers to secondaries.
import { applyTransferItems } from './apply-secondaries.ts';
import { type CatalogWish, writeCatalog } from './catalog.ts';
import { tlsFault } from './certificate.ts';
import type { KnotControl } from './control.ts';
import { isRefusal, KnotError } from './errors.ts';
import { absolute, readSoaItem } from './records.ts';
import { type TransferWish, transferItems } from './secondaries.ts';
import { runningVersion } from './version.ts';

export interface TransferEngine {
  /**
   * Makes the configuration that of the wish.
   * @returns the number of commands; 0 if nothing differed
   * @throws KnotError
   */
  apply(wish: TransferWish, signal: AbortSignal): Promise<number>;
  /**
   * Makes the catalog of a secondary that of the wish.
   * @returns its serial
   * @throws KnotError
   */
  catalog(wish: CatalogWish, signal: AbortSignal): Promise<number>;
  /** Sends NOTIFY to the secondaries of these zones. A zone that is not there is no error. @throws KnotError */
  notify(zones: readonly string[], signal: AbortSignal): Promise<void>;
  /** Why transfers over TLS cannot be; null: they can. @throws KnotError */
  tlsFault(signal: AbortSignal): Promise<string | null>;
  /** The serial that is served; null: none. @throws KnotError */
  serial(zone: string, signal: AbortSignal): Promise<number | null>;
}

/** @param tls whether knotd has a certificate for answers over TLS */
export function transferEngine(control: KnotControl, tls: boolean): TransferEngine {
  return {
    apply: (wish, signal) => applyTransferItems(control, transferItems(wish), signal),
    catalog: (wish, signal) => writeCatalog(control, wish, signal),
    notify: async (zones, signal) => {
      for (const zone of zones) {
        await control.run('zone-notify', { zone: absolute(zone) }, signal).catch((error: unknown) => {
          if (!(error instanceof KnotError && error.failure === 'refused')) throw error;
        });
      }
    },
    tlsFault: async (signal) => tlsFault(await runningVersion(control, signal), tls),
    serial: async (zone, signal) => {
      try {
        const items = await control.run('zone-read', { zone: absolute(zone), owner: '@', type: 'SOA' }, signal);
        return readSoaItem(items)?.serial ?? null;
      } catch (error) {
        if (isRefusal(error, 'no such zone found', 'no such node in zone found', 'zone is empty')) return null;
        throw error;
      }
    },
  };
}
