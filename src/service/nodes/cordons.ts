// Cordons: an administrator says that a name server is planned to be down. Proofs omit it until the time has ended, so
// that its absence stops no change and no certificate. No tenant can set one: the commands work over the database.
import { describeUnusable, plainAddress } from '#base/address.ts';
import { withDatabase } from '#store/admin.ts';
import { type CordonRow, currentCordons, endCordon, knownNameservers, setCordon } from '#store/cordons.ts';
import type { Db } from '#store/database.ts';

export type { CordonRow };

/** A cordon that is forgotten must end automatically. */
const MAX_SECONDS = 7 * 86_400;
const MIN_SECONDS = 60;
const MAX_CORDONS = 20;
const MAX_REASON = 200;

/**
 * @param name the name of a name server, one of its addresses, or the name of a node
 * @throws Error if no name server has the name, or the time or the reason is too long
 */
export async function adminCordon(
  url: string,
  { name, seconds, reason }: { name: string; seconds: number; reason: string | null },
): Promise<CordonRow> {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw new Error(`a cordon lasts from 1 minute to 7 days, such as 30m, 4h or 2d`);
  if (reason !== null && reason.length > MAX_REASON)
    throw new Error(`the reason has more than ${MAX_REASON} characters`);
  const fault = describeUnusable(name);
  if (fault !== null) throw new Error(`"${name}" ${fault}`);
  const target = toTarget(name);
  return withDatabase(url, async (db) => {
    const known = await knownNameservers(db);
    if (plainAddress(target) === null && !known.includes(target)) {
      throw new Error(`"${name}" is neither an address nor a name server of this service; it has ${known.join(', ')}`);
    }
    const cordon = await setCordon(db, { name: target, seconds, reason }, MAX_CORDONS);
    if (cordon === null)
      throw new Error(`${MAX_CORDONS} name servers are cordoned already; uncordon one of them first`);
    return cordon;
  });
}

/** @throws Error if the name server is not cordoned */
export async function adminUncordon(url: string, name: string): Promise<void> {
  const wasCordoned = await withDatabase(url, (db) => endCordon(db, toTarget(name)));
  if (!wasCordoned) throw new Error(`"${name}" is not cordoned; zonestead admin nameservers list shows those that are`);
}

export function adminListCordons(url: string): Promise<CordonRow[]> {
  return withDatabase(url, currentCordons);
}

/** The cordons for those who prove changes, as the contract has them. */
export async function readCordons({ db }: { db: Db }): Promise<{ name: string; until: string; reason?: string }[]> {
  return (await currentCordons(db)).map(({ name, until, reason }) => ({
    name,
    until: until.toISOString(),
    ...(reason === null ? {} : { reason }),
  }));
}

function toTarget(name: string): string {
  return plainAddress(name) ?? name.toLowerCase().replace(/\.$/, '');
}
