// Asks the api whether the living nodes and the secondaries have a zone. All proofs of one zone and namespace that
// begin at about the same time share one question. Namespaces take turns: a question may last half a second.
import type { Clock } from '#base/clock.ts';
import { Limit } from '#base/limit.ts';
import { orAborted, sleep } from '#base/wait.ts';
import type { Cordon, ZoneNode } from '#contract/feed.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import type { ZoneSecondary } from '#contract/secondary.ts';
import type { Client } from './client.ts';
import { ApiError, ApiUnavailable, isAbsent } from './errors.ts';

export type NodesClient = Pick<Client, 'call'>;

/** Nodes are null if the api does not tell. `problem` says why, unless the api has no such question. */
export type NodesAnswer = { secondaries: readonly ZoneSecondary[]; cordons?: readonly Cordon[] | undefined } & (
  | { nodes: readonly ZoneNode[]; problem: null }
  | { nodes: null; problem: string | null }
);

export interface NodeQuestions {
  /**
   * Waits up to half a second for the nodes to have every change of the zone that was committed when the call began.
   * @param group the namespace of the proof
   * @throws the reason of the signal
   */
  ask(client: NodesClient, zoneId: string, group: string, signal: AbortSignal): Promise<NodesAnswer>;
}

/** A node needs 10 to 30 ms, more on a busy machine. A worker must not wait long for a node that is down. */
const WAIT_SECONDS = 0.5;
const TIMEOUT_MS = 3_000;
/** Proofs of one batch of records begin within this time. */
const COLLECT_MS = 1;
const IN_FLIGHT = 2;
/** Questions of all zones at the same time; a single namespace has half of them. */
export const MAX_QUESTIONS = 16;

interface Zone {
  /** The question that is not sent yet. One that was sent may not know of later changes. */
  next: Promise<NodesAnswer> | null;
  inFlight: number;
  ended: PromiseWithResolvers<void>;
}

export function createNodeQuestions(clock: Clock): NodeQuestions {
  /** By zone and group. */
  const zones = new Map<string, Zone>();
  const questions = new Limit({ permits: MAX_QUESTIONS, isFair: true });

  async function send(client: NodesClient, id: string, group: string, zone: Zone): Promise<NodesAnswer> {
    await sleep(clock, COLLECT_MS);
    while (zone.inFlight >= IN_FLIGHT) await zone.ended.promise;
    zone.inFlight += 1;
    try {
      return await questions.run(group, () => {
        zone.next = null;
        return answered(client, id);
      });
    } finally {
      zone.inFlight -= 1;
      zone.ended.resolve();
      zone.ended = Promise.withResolvers();
      if (zone.inFlight === 0 && zone.next === null) zones.delete(keyOf(id, group));
    }
  }

  return {
    ask: (client, id, group, signal) => {
      const zone = zones.get(keyOf(id, group)) ?? { next: null, inFlight: 0, ended: Promise.withResolvers() };
      zones.set(keyOf(id, group), zone);
      zone.next ??= send(client, id, group, zone);
      return orAborted(zone.next, signal);
    },
  };
}

function keyOf(zoneId: string, group: string): string {
  return `${zoneId} ${group}`;
}

async function answered(client: NodesClient, id: string): Promise<NodesAnswer> {
  try {
    const input = { params: { id }, query: { wait: String(WAIT_SECONDS) } };
    return { ...(await client.call(listZoneNodes, input, { timeoutMs: TIMEOUT_MS })), problem: null };
  } catch (error) {
    return { nodes: null, secondaries: [], problem: describeProblem(error) };
  }
}

/** @throws an error that is not a failed call */
function describeProblem(error: unknown): string | null {
  // An api of an earlier version has no such question.
  if (isAbsent(error) && error.code === 'not_found') return null;
  if (error instanceof ApiError) return `the api does not say which nodes have the last change (${error.code})`;
  if (error instanceof ApiUnavailable) return 'the api does not answer which nodes have the last change';
  throw error;
}
