// Zone transfers as the nodes see them: the role of each node, the secondaries, and what the source reports of them.
//
// Every replica of the api looks once a second whether the plan has to change, and changes it in a transaction that
// locks its row, so two replicas never decide at the same time. Without secondaries nothing is decided, and nodes have
// no role.
import type { Clock } from '#base/clock.ts';
import { dropUnprintable } from '#base/printable.ts';
import { sleep } from '#base/wait.ts';
import type { SecondaryKey } from '#dns/secondaries/secondary.ts';
import type { Db } from '#store/database.ts';
import { allSecondaries, listedZones, type SecondaryBehind } from '#store/secondaries.ts';
import {
  findSlot,
  freeSlots,
  giveSlot,
  lockPlan,
  planNodes,
  readPlan,
  writePlan,
  writeSecondaryReport,
} from '#store/transfers.ts';
import { inOneSnapshot } from '#store/zones.ts';
import type { Logger } from '#telemetry/log.ts';
import type { ServiceContext } from '../context.ts';
import { parseCursor } from './cursor.ts';
import { decidePlan } from './plan.ts';

/** `transferPlan` of the contract. */
export interface ZoneTransferPlan {
  version: string;
  role: 'source' | 'standby' | 'none';
  slot: number | null;
  generation: number;
  secondaries: {
    name: string;
    addresses: { address: string; port: number }[];
    transfersFrom: string[];
    key: SecondaryKey;
    zones: 'all' | string[];
    catalog: boolean;
    notify: boolean;
    requireTls: boolean;
    pins: string[];
  }[];
}

const EVERY_MS = 1_000;

/** Decides about the plan. @returns the new source, if it changed */
export async function decideTransfers(db: Db): Promise<{ source: string; before: string | null } | null> {
  if ((await allSecondaries(db)).length === 0) return null;
  // Without a lock first: nearly always nothing changes.
  const { source: current } = await readPlan(db);
  const firstDecision = decidePlan(await planNodes(db), current);
  if (firstDecision.slots.length === 0 && firstDecision.source === current) return null;
  return db.transaction(async (tx) => {
    const plan = await lockPlan(tx);
    await freeSlots(tx);
    const { slots, source } = decidePlan(await planNodes(tx), plan.source);
    for (const { node, slot } of slots) await giveSlot(tx, node, slot);
    const isOther = source !== plan.source;
    if (slots.length > 0 || isOther) await writePlan(tx, source, plan.generation + Number(isOther));
    return isOther && source !== null ? { source, before: plan.source } : null;
  });
}

/** Decides once a second until the signal aborts. */
export async function runTransferDecisions(db: Db, clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
  let hasFailed = false;
  while (!signal.aborted) {
    try {
      const sourceChange = await decideTransfers(db);
      if (sourceChange !== null) log.info(sourceChange, 'secondaries transfer zones from another name server now');
      hasFailed = false;
    } catch (error) {
      if (!hasFailed && !signal.aborted)
        log.warn({ err: error }, 'failed to decide which name server is the source of transfers; retrying');
      hasFailed = true;
    }
    await sleep(clock, EVERY_MS, signal).catch(() => undefined);
  }
}

/** The answer to the node of this name, with the secrets of TSIG keys. */
export async function readTransfers({ db }: Pick<ServiceContext, 'db'>, node: string): Promise<ZoneTransferPlan> {
  return inOneSnapshot(db, async (tx) => {
    const plan = await readPlan(tx);
    const [slot, rows, zoneList] = [await findSlot(tx, node), await allSecondaries(tx), await listedZones(tx)];
    const zonesOf = Map.groupBy(zoneList, ({ secondary }) => secondary);
    const hasPart = slot !== null && rows.length > 0;
    return {
      version: plan.version,
      role: !hasPart ? 'none' : plan.source === node ? 'source' : 'standby',
      slot,
      generation: plan.generation,
      secondaries: !hasPart
        ? []
        : rows.map(({ name, addresses, transfersFrom, allZones, catalog, notify, requireTls, pins, ...row }) => ({
            name,
            addresses,
            transfersFrom,
            key: {
              name: row.tsigName,
              algorithm: row.tsigAlgorithm as SecondaryKey['algorithm'],
              secret: row.tsigSecret,
            },
            zones: allZones ? 'all' : (zonesOf.get(name) ?? []).map((zone) => zone.name),
            catalog,
            notify,
            requireTls,
            pins,
          })),
    };
  });
}

/** `transferReport` of the contract. */
export interface ZoneTransferReport {
  node: string;
  secondaries: readonly {
    name: string;
    zones: number;
    current: number;
    cursor?: string | null | undefined;
    silent?: string | undefined;
    behind: readonly SecondaryBehind[];
  }[];
}

/** Stores what the source saw. The report of a node that is not the source changes nothing. */
export async function takeTransferReport(
  { db }: Pick<ServiceContext, 'db'>,
  report: ZoneTransferReport,
): Promise<void> {
  for (const { name, silent, cursor, behind, ...rest } of report.secondaries) {
    await writeSecondaryReport(db, report.node, {
      ...rest,
      secondary: dropUnprintable(name),
      silent: silent === undefined ? null : dropUnprintable(silent),
      behind: behind.map(({ reason, ...each }) => ({
        ...each,
        zone: dropUnprintable(each.zone),
        ...(reason === undefined ? {} : { reason: dropUnprintable(reason) }),
      })),
      position: cursor == null ? null : parseCursor(cursor),
    });
  }
}
