// The name servers that live, and whether each serves a zone as it is in the database.
import type { Db } from '#store/database.ts';
import { nodesOfZone } from '#store/nodes.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { seeZone } from '../zones/zones.ts';
import { parseCursor } from './cursor.ts';
import type { ServedSource } from './source.ts';

export interface LivingNode {
  node: string;
  /** Whether the node has applied every change of the zone. */
  current: boolean;
  reportedAt: Date;
  /** Why it does not serve the zone as it should, as the node says; null: it did not say. */
  error: string | null;
}

/**
 * The nodes that reported within the last 30 s, by name. Two instances with one name are two entries.
 * @throws an error of the database
 */
export async function livingNodes(
  db: Db,
  source: Pick<ServedSource, 'position'>,
  zoneId: string,
): Promise<LivingNode[]> {
  // A position of another database or of another timeline says nothing about this one.
  const { epoch = '' } = parseCursor(await source.position()) ?? {};
  const nodes = await nodesOfZone(db, zoneId, epoch);
  return nodes.map(({ node, current, reportedAt, error }) => ({ node, current, reportedAt, error }));
}

/** The living nodes and whether each has the zone. @throws Refusal no_zone */
export async function readNodesOfZone(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  source: Pick<ServedSource, 'position'>,
): Promise<{ node: string; current: boolean; reportedAt: string; error?: string }[]> {
  await seeZone(context, actor, zoneId, 'no_zone');
  const nodes = await livingNodes(context.db, source, zoneId);
  return nodes.map(({ node, current, reportedAt, error }) => ({
    node,
    current,
    reportedAt: reportedAt.toISOString(),
    ...(error === null ? {} : { error }),
  }));
}
