// The reports of name servers: how far each is, and whether its name is its own.
import { dropUnprintable } from '#base/printable.ts';
import { forgetNodes, type HeldZones, holderOfName, LIVING_SECONDS, type Reported, writeReport } from '#store/nodes.ts';
import { dropOverdueSalvage } from '#store/salvage.ts';
import type { Logger } from '#telemetry/log.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { parseCursor } from './cursor.ts';
import type { NodeActor } from './keys.ts';
import type { ApplyObserver } from './node-metrics.ts';

/** `nodeReport` of the contract. */
export interface ReportSummary {
  node: string;
  instance: string;
  startedAt: string;
  version: string;
  engine: string;
  cursor: string | null;
  zones: number;
  failingCount: number;
  failing: readonly { id: string; error: string }[];
  held?: HeldZones | undefined;
  answers?: Readonly<Record<string, number>> | undefined;
  leaving?: true | undefined;
}

interface ReportReply {
  duplicate: boolean;
  compare: string | null;
  transfers: string | null;
  removals: string | null;
  salvage: { token: string; zones: string[]; endings: boolean; keysOnly: boolean } | null;
  endings: string;
  answers: true;
}

export interface Reports {
  /**
   * Stores a report.
   * @throws Refusal conflict if a living node with another key has the name, or there are too many nodes; bad_request
   * (cursor)
   */
  take(context: Pick<ServiceContext, 'db'>, actor: NodeActor, report: ReportSummary): Promise<ReportReply>;
}

const FORGET_EVERY_MS = 60 * 60 * 1_000;
/** A request that its command did not end has private keys, which must not stay. */
const DROP_EVERY_MS = 10_000;
/** The names whose duplicates were logged. */
const MAX_LOGGED = 1_000;

/**
 * @param now the time in ms
 * @param onReport called after each report that was stored
 * @param onApplied called with the ages of the changes that the node has applied since its last report
 */
export function createNodeReports(
  log: Logger,
  now: () => number,
  onReport: () => void = () => undefined,
  onApplied: ApplyObserver = () => undefined,
): Reports {
  const duplicates = new Set<string>();
  let [forgottenAt, droppedAt] = [now(), now()];

  function note(node: string, { isDuplicate }: Reported): void {
    if (!isDuplicate) duplicates.delete(node);
    else if (!duplicates.has(node) && duplicates.size < MAX_LOGGED) {
      duplicates.add(node);
      log.warn({ node }, 'two instances report under one name: give each name server a name of its own');
    }
  }

  return {
    async take({ db }, actor, report) {
      const position = report.cursor === null ? null : parseCursor(report.cursor);
      if (report.cursor !== null && position === null) throw refusal('bad-node-cursor');
      const { node, instance, cursor, zones, failingCount, failing } = report;
      const storedReport = await writeReport(db, {
        name: node,
        instance,
        keyId: actor.keyId,
        version: dropUnprintable(report.version),
        engine: dropUnprintable(report.engine),
        cursor,
        epoch: position?.epoch ?? null,
        position: position?.snapshot ?? null,
        zones,
        failingCount: Math.max(failingCount, failing.length),
        failing: failing.map(({ id, error }) => ({ id: dropUnprintable(id), error: dropUnprintable(error) })),
        held: report.held === undefined ? null : cleanHeld(report.held),
        startedAt: new Date(report.startedAt),
        answers: report.answers ?? null,
        isLeaving: report.leaving === true,
      });
      if (storedReport === null) {
        const keyId = await holderOfName(db, node, actor.keyId);
        if (keyId === null) throw refusal('too-many-nodes');
        throw refusal('node-name-taken', { node, keyId, seconds: LIVING_SECONDS });
      }
      onReport();
      onApplied(node, storedReport.appliedSeconds);
      note(node, storedReport);
      if (now() - forgottenAt > FORGET_EVERY_MS) {
        forgottenAt = now();
        await forgetNodes(db);
      }
      if (now() - droppedAt > DROP_EVERY_MS) {
        droppedAt = now();
        await dropOverdueSalvage(db);
      }
      const { isDuplicate, compare, transfers, removals, salvage, endings } = storedReport;
      return { duplicate: isDuplicate, compare, transfers, removals, salvage, endings, answers: true };
    },
  };
}

function cleanHeld({ count, zones, more = [] }: HeldZones): HeldZones {
  return {
    count: Math.max(count, zones.length + more.length),
    zones: zones.map(({ name, since }) => ({ name: dropUnprintable(name), since })),
    ...(more.length === 0 ? {} : { more: more.map(dropUnprintable) }),
  };
}
