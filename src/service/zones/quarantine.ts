// A deleted zone may still be delegated to the service, and mail and certificates may depend on its names. If another
// team could create the zone again at once, it would control all of that. So the name is reserved for its former owner
// for some time.
import { listSuffixes, orderName, parseZoneName } from '#dns/names/name.ts';
import { insertAccountChange } from '#store/account-changes.ts';
import type { Tx } from '#store/database.ts';
import { boundDeletedZones, forgetDeletedZones, keepDeletedZone as keepRows } from '#store/deleted-zones.ts';
import { keptForOthers, quarantineName, releaseQuarantinedName } from '#store/quarantine.ts';
import type { ZoneRow } from '#store/zones.ts';
import type { Owner } from '../accounts/actor.ts';
import { readRoom, type WithQuotas } from '../accounts/quota.ts';
import { COMMAND_LINE, type DryRun, inTransaction } from '../administrator.ts';
import { insist, refusal } from '../refusal.ts';

/** As many deleted zones of an owner are kept in any case, if their records fit: a small quota must not lose keys. */
const LEAST_KEPT = 1_000;

/** The part of a ServiceContext that this module needs. */
interface WithQuarantine {
  quarantineMs: number;
  now(): Date;
}

/** Reserves the name for its owner. It runs in the transaction that deletes the zone. */
export async function keepName(tx: Tx, context: WithQuarantine, zone: ZoneRow): Promise<void> {
  if (context.quarantineMs === 0) return;
  await quarantineName(tx, zone, zone, new Date(context.now().getTime() + context.quarantineMs));
}

/**
 * Keeps the zone with its rows and its key until the quarantine of its name ends, so that it can be restored. It runs
 * in the transaction that deletes the zone, before that. An owner's deleted zones take no more room than its zones may,
 * and are no more than the quota, or 1,000.
 */
export async function quarantineZone(
  tx: Tx,
  context: WithQuarantine & WithQuotas,
  zone: ZoneRow,
  serial: number,
): Promise<void> {
  if (context.quarantineMs === 0) return;
  const at = context.now();
  await keepRows(tx, zone, { serial, at, until: new Date(at.getTime() + context.quarantineMs) });
  const room = await readRoom(tx, context, zone);
  await boundDeletedZones(tx, zone, { ...room, zones: Math.max(room.zones, LEAST_KEPT) });
}

/**
 * Refuses a name that is in quarantine for another owner. Call it after the zones were read, so that a zone that is
 * deleted meanwhile is found either there or here.
 * @throws Refusal conflict, without naming the former owner
 */
export async function mustNotBeKept(tx: Tx, context: WithQuarantine, owner: Owner, name: string): Promise<void> {
  if (context.quarantineMs === 0) return;
  const until = await keptForOthers(tx, { suffixes: listSuffixes(name), tree: orderName(name) }, owner, context.now());
  if (until === null) return;
  throw refusal('zone-quarantined', { name, until: until.toISOString() });
}

/** Ends the quarantine of a name that its owner uses again. */
export async function takeName(tx: Tx, name: string): Promise<void> {
  await releaseQuarantinedName(tx, name);
}

/**
 * Ends the quarantine of a name, from the command line.
 * @throws Error if the name is not in quarantine; Refusal bad_request if it is not a valid zone name
 */
export async function adminReleaseName(
  url: string,
  zoneName: string,
  now: Date,
  options: DryRun = {},
): Promise<string> {
  const name = insist(parseZoneName(zoneName));
  const release = async (tx: Tx) => {
    const teamId = await releaseQuarantinedName(tx, name);
    if (teamId === undefined) throw new Error(`the name ${name} is not in quarantine`);
    await forgetDeletedZones(tx, name);
    const entry = { teamId, action: 'name.release', subject: name, before: null, after: null, at: now } as const;
    await insertAccountChange(tx, { ...entry, ...COMMAND_LINE });
    return name;
  };
  return inTransaction(url, release, options);
}
