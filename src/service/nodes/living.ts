// The name servers that live, and whether each serves a zone as it was when the question arrived.
import { answersEvenly } from '#base/engine-text.ts';
import { challengedName } from '#dns/names/certified.ts';
import { behindSince, changedXids, livingRows } from '#store/nodes.ts';
import type { Actor } from '../accounts/actor.ts';
import type { ServiceContext } from '../context.ts';
import { holderOf } from '../permits.ts';
import { refusal } from '../refusal.ts';
import { readEnclosingZone, seeZone } from '../zones/zones.ts';
import type { Arrival, Arrivals } from './arrivals.ts';
import { judgeInstance } from './instance.ts';
import { textForOwner } from './owner-text.ts';

/** `zoneNodes` of the contract. */
export interface NodeOfZone {
  node: string;
  current: boolean;
  starting?: true;
  reportedAt: string;
  behindSince?: string;
  behindSeconds?: number;
  error?: string;
  evenly?: true;
}

interface Wait {
  arrivals: Arrivals;
  ms: number;
  signal: AbortSignal;
}

/**
 * The nodes that reported within the last 30 s, by name. Two instances with one name are two entries.
 * @param wait waits so long for all of them to have the changes that were committed when the question arrived. Absent:
 * it does not wait.
 * @throws Refusal no_zone; the reason of the signal
 */
export async function readNodesOfZone(
  context: ServiceContext,
  actor: Actor,
  zoneId: string,
  wait?: Wait,
): Promise<NodeOfZone[]> {
  const { name } = await seeZone(context, actor, zoneId, 'no_zone');
  const xids = await changedXids(context.db, zoneId);
  if (xids === null) throw refusal('no-zone');
  const instances =
    wait === undefined
      ? await livingRows(context.db)
      : await wait.arrivals.until({ zoneId, xids, holder: holderOf(actor), waitMs: wait.ms }, wait.signal);
  const judgedInstances = instances.map((instance) => ({ instance, ...judgeInstance(instance, zoneId, xids) }));
  const isBehind = judgedInstances.some(({ state, error }) => state === 'behind' && error === null);
  const behind = isBehind ? await behindSince(context.db) : [];
  return judgedInstances.map(({ instance: { node, instance, engine, reportedAt }, state, error }) => {
    const late = behind.find((each) => each.instance === instance && each.node === node);
    return {
      node,
      current: state === 'current',
      ...(state === 'starting' ? { starting: true as const } : {}),
      reportedAt: reportedAt.toISOString(),
      ...(state === 'behind' && error === null && late !== undefined
        ? { behindSince: late.since.toISOString(), behindSeconds: Math.max(0, Math.floor(late.seconds)) }
        : {}),
      ...(error === null ? {} : { error: textForOwner(error, name) }),
      ...(answersEvenly(engine) ? { evenly: true as const } : {}),
    };
  });
}

/** A change that may have added the value of an ACME challenge. */
interface ChallengeChange extends Omit<Arrival, 'xids'> {
  /** The names that got records, relative to the zone. */
  names: readonly string[];
}

/**
 * Waits as untilServed if one of the names is that of a challenge (RFC 8555 section 8.4): many clients ask for the
 * certificate as soon as a value is accepted. Never rejects, because the change is made already.
 */
export async function untilChallengesServed(
  context: ServiceContext,
  arrivals: Arrivals | undefined,
  { names, ...arrival }: ChallengeChange,
  signal: AbortSignal,
): Promise<void> {
  if (arrivals === undefined || !names.some((name) => challengedName(name) !== undefined)) return;
  await untilServed(context, arrivals, arrival, signal).catch(() => undefined);
}

/** A question about a name. */
interface NameQuestion {
  actor: Actor;
  /** Absolute, without the final dot. */
  name: string;
  waitMs: number;
}

/**
 * Waits as untilServed for the zone of a name, if the key sees one. The reason of the signal is the only failure,
 * because the question can be answered nevertheless.
 */
export async function untilNameServed(
  context: ServiceContext,
  arrivals: Arrivals | undefined,
  { actor, name, waitMs }: NameQuestion,
  signal: AbortSignal,
): Promise<void> {
  if (arrivals === undefined) return;
  try {
    const { id } = await readEnclosingZone(context, actor, name);
    await untilServed(context, arrivals, { zoneId: id, holder: holderOf(actor), waitMs }, signal);
  } catch {
    signal.throwIfAborted();
  }
}

/**
 * Waits until all living nodes have the zone as it is now, at most `waitMs`; for a zone that does not exist not at all.
 * @throws the reason of the signal
 */
export async function untilServed(
  { db }: ServiceContext,
  arrivals: Arrivals,
  arrival: Omit<Arrival, 'xids'>,
  signal: AbortSignal,
): Promise<void> {
  const xids = await changedXids(db, arrival.zoneId);
  if (xids !== null) await arrivals.until({ ...arrival, xids }, signal);
}
