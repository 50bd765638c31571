// The wait for propagation: polls every name server of the zone until each one answers with the challenge value, and
// asks the api until every living node has it.
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Client } from '#client/client.ts';
import { ApiError, ApiUnavailable, isAbsent } from '#client/errors.ts';
import { nodeProblems } from '#client/zone-nodes.ts';
import { listZoneNodes } from '#contract/operations/zones.ts';
import { parseRdata } from '#dns/types/index.ts';
import { type AddressResolver, type ProbeEndpoint, resolveServers, rrsetServed } from '#nameserver/probe/probe.ts';
import type { Placed } from './challenge.ts';

interface ServedOptions {
  client: Pick<Client, 'call'>;
  overrides: ReadonlyMap<string, ProbeEndpoint>;
  resolver: AddressResolver;
  clock: Clock;
  /** The time limit in ms. */
  limitMs: number;
}

const PAUSES_MS = [50, 100, 250, 500, 1_000];
const LONGEST_PAUSE_MS = 2_000;
const NODES_WAIT_SECONDS = 0.5;

/** @throws Error with a message for people that names the problem of each server, after `limitMs` */
export async function waitForValue(
  { zone, name }: Placed,
  value: string,
  { client, overrides, resolver, clock, limitMs }: ServedOptions,
  signal: AbortSignal,
): Promise<void> {
  const parsed = parseRdata('TXT', value, null);
  if (!parsed.ok) throw new Error(`The value is not valid for a TXT record: ${parsed.problem.message}`);
  const expected = { name, type: 'TXT' as const, rdatas: [parsed.value.wire] };
  const until = clock.now() + limitMs;
  for (let look = 0; ; look += 1) {
    const { servers, unresolved } = await resolveServers(zone.nameservers, { overrides, resolver, signal });
    // The nodes come first: right after a write, the answers wait for them.
    const late = await nodesWithout(client, zone.id, signal);
    const verdicts = await rrsetServed(expected, servers, { timeoutMs: 1_500, attempts: 2, signal });
    const problems = [
      ...late,
      ...unresolved.map((server) => `${server.name} ${server.problem}`),
      ...verdicts.flatMap(({ server, problem }) =>
        problem === null ? [] : `${server.name} (${server.address}) ${problem}`,
      ),
    ];
    if (problems.length === 0) return;
    if (clock.now() >= until) {
      throw new Error(
        `${name} is stored, but not every name server answers with it after ${limitMs / 1000} s: ${problems.join('; ')}.`,
      );
    }
    await sleep(clock, PAUSES_MS[look] ?? LONGEST_PAUSE_MS, signal);
  }
}

/**
 * The problems of living nodes. A service without nodes, or an api that does not say, leaves the decision to the
 * answers over DNS.
 */
async function nodesWithout(client: ServedOptions['client'], zoneId: string, signal: AbortSignal): Promise<string[]> {
  try {
    const query = { wait: String(NODES_WAIT_SECONDS) };
    const { nodes } = await client.call(listZoneNodes, { params: { id: zoneId }, query }, { signal });
    return nodeProblems(nodes);
  } catch (error) {
    if (isAbsent(error)) return [];
    if (error instanceof ApiError || error instanceof ApiUnavailable)
      return [`the api does not say which nodes have it (${error.message})`];
    throw error;
  }
}
