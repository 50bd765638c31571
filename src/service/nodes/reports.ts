// The reports of name servers: how far each is, and whether its name is its own.
import { dropUnprintable } from '#base/printable.ts';
import { forgetNodes, holderOfName, LIVING_SECONDS, type Reported, writeReport } from '#store/nodes.ts';
import type { Logger } from '#telemetry/log.ts';
import type { ServiceContext } from '../context.ts';
import { refusal } from '../refusal.ts';
import { parseCursor } from './cursor.ts';
import type { NodeActor } from './keys.ts';

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
  answers?: Readonly<Record<string, number>> | undefined;
}

export interface Reports {
  /**
   * Stores a report.
   * @throws Refusal conflict if a living node with another key has the name, or there are too many nodes; bad_request
   * (cursor)
   */
  take(
    context: Pick<ServiceContext, 'db'>,
    actor: NodeActor,
    report: ReportSummary,
  ): Promise<{ duplicate: boolean; compare: string | null; transfers: string | null; answers: true }>;
}

const FORGET_EVERY_MS = 60 * 60 * 1_000;
/** The names whose duplicates were logged. */
const MAX_LOGGED = 1_000;

/**
 * @param now the time in ms
 * @param onReport called after each report that was stored
 */
export function createNodeReports(log: Logger, now: () => number, onReport: () => void = () => undefined): Reports {
  const duplicates = new Set<string>();
  let forgottenAt = now();

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
        startedAt: new Date(report.startedAt),
        answers: report.answers ?? null,
      });
      if (storedReport === null) {
        const keyId = await holderOfName(db, node, actor.keyId);
        if (keyId === null) throw refusal('too-many-nodes');
        throw refusal('node-name-taken', { node, keyId, seconds: LIVING_SECONDS });
      }
      onReport();
      note(node, storedReport);
      if (now() - forgottenAt > FORGET_EVERY_MS) {
        forgottenAt = now();
        await forgetNodes(db);
      }
      const { isDuplicate, compare, transfers } = storedReport;
      return { duplicate: isDuplicate, compare, transfers, answers: true };
    },
  };
}
