// Reads and writes the contents of a catalog zone in knotd.
import {
  CATALOG_TTL,
  type CatalogMember,
  type CatalogRecord,
  catalogChange,
  catalogName,
} from '#dns/secondaries/catalog.ts';
import { type SerialWish, slottedSerial } from '#dns/secondaries/serial.ts';
import { beginZone } from './apply.ts';
import type { KnotControl, KnotSession } from './control.ts';
import { isRefusal } from './errors.ts';

/** Intervals for a secondary that got no NOTIFY: it asks each minute, and keeps its zones for two weeks. */
const REFRESH = '60 30 1209600 0';

export interface CatalogWish {
  /** The name of the secondary. */
  secondary: string;
  members: readonly CatalogMember[];
  /** How the next serial is chosen; `least` is usually Unix time. */
  serial: Omit<SerialWish, 'current'>;
}

/**
 * One commit with the differences; knotd then sends NOTIFY.
 * @returns the serial of the catalog
 * @throws KnotError; nothing is changed then
 */
export function writeCatalog(control: KnotControl, wish: CatalogWish, signal: AbortSignal): Promise<number> {
  const zone = `${catalogName(wish.secondary)}.`;
  return control.session(async (session) => {
    const { run } = session;
    const { records, serial: current } = await readCatalog(session, zone);
    const { add, remove } = catalogChange(records, wish.members);
    if (current !== null && add.length === 0 && remove.length === 0) return current;
    const serial = slottedSerial({ ...wish.serial, current });
    await beginZone(run, { zone });
    try {
      const soa = `invalid. invalid. ${serial} ${REFRESH}`;
      const commands = [
        ...(current === null ? [] : [run('zone-unset', { zone, owner: '@', type: 'SOA' })]),
        run('zone-set', { zone, owner: '@', ttl: String(CATALOG_TTL), type: 'SOA', data: soa }),
        ...remove.map(({ owner, type, data }) => run('zone-unset', { zone, owner, type, data })),
        ...add.map(({ owner, type, data }) => run('zone-set', { zone, owner, type, data, ttl: String(CATALOG_TTL) })),
      ];
      await Promise.all(commands);
      await run('zone-commit', { zone });
    } catch (error) {
      await run('zone-abort', { zone }).catch(() => {});
      throw error;
    }
    return serial;
  }, signal);
}

async function readCatalog({ run }: KnotSession, zone: string) {
  const records: CatalogRecord[] = [];
  let serial: number | null = null;
  try {
    for (const { owner = '', type = '', data = '' } of await run('zone-read', { zone })) {
      if (type === 'SOA') serial = Number(data.split(' ')[2]);
      else if (isCatalogType(type)) records.push({ owner: relative(owner, zone), type, data });
    }
  } catch (error) {
    if (!isRefusal(error, 'zone is empty', 'no such zone found', 'zone file is empty', 'empty zone')) throw error;
  }
  return { records, serial };
}

function isCatalogType(type: string): type is CatalogRecord['type'] {
  return type === 'NS' || type === 'TXT' || type === 'PTR';
}

function relative(owner: string, zone: string): string {
  return owner === zone ? '@' : owner.slice(0, -zone.length - 1);
}
