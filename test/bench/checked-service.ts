// A service with health checks, for benchmarks: it probes every port of the loopback addresses. A pin is the decision
// about an address that a benchmark makes at a moment of its choice.
import type { z } from 'zod';
import { createClient } from '#client/client.ts';
import type { checkBody } from '#contract/checks.ts';
import { getCheck, pinTarget, setCheck, unpinTarget } from '#contract/operations/checks.ts';
import { applyBatch } from '#contract/operations/records.ts';
import { createZone } from '#contract/operations/zones.ts';
import { ask, type ProbeEndpoint } from '#nameserver/probe/probe.ts';
import { type Bench, type BenchService, startBenchService } from './support.ts';

export interface CheckedName {
  name: string;
  addresses: readonly string[];
  /** The weight of each address, in their order. Absent: none. */
  weights?: readonly number[];
}

export interface CheckedService extends BenchService {
  /** Creates the check, or replaces it. */
  setCheck(name: string, definition: z.input<typeof checkBody>): Promise<void>;
  /** Creates a zone whose A records have the check. @returns its id */
  createZone(zoneName: string, check: string, names: readonly CheckedName[]): Promise<string>;
  /** Adds A records with the check. */
  addNames(zoneId: string, check: string, names: readonly CheckedName[]): Promise<void>;
  /** Takes an address out of the answers (`Unhealthy`), or ends that (null). */
  pin(check: string, address: string, state: 'Unhealthy' | null): Promise<void>;
  /** How many addresses of the check are in a state. */
  count(check: string, state: 'Healthy' | 'Unhealthy'): Promise<number>;
}

const BATCH = 1_000;
const SETTINGS = { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' };

/** @param nodes the number of name servers */
export async function startCheckedService(bench: Bench, nodes = 1): Promise<CheckedService> {
  const service = await startBenchService(bench, nodes, SETTINGS);
  const { key, team } = service.keys.first;
  const client = createClient({ baseUrl: service.url, key });
  bench.atEnd(() => client.close());
  const query = { owner: `org:${team}` };
  const addNames: CheckedService['addNames'] = async (id, check, names) => {
    const changes = names.flatMap(({ name, addresses, weights }) =>
      addresses.map((content, at) => ({
        action: 'create' as const,
        record: { name, type: 'A' as const, content, check, ...(weights && { weight: weights[at] }) },
      })),
    );
    for (let from = 0; from < changes.length; from += BATCH)
      await client.call(applyBatch, { params: { id }, body: { changes: changes.slice(from, from + BATCH) } });
  };
  return {
    ...service,
    addNames,
    setCheck: async (name, body) => void (await client.call(setCheck, { params: { name }, query, body })),
    createZone: async (zoneName, check, names) => {
      const { id } = await client.call(createZone, { body: { zoneName, ...query } });
      await addNames(id, check, names);
      return id;
    },
    pin: async (name, address, state) => {
      const params = { name, address };
      const body = { state: state ?? 'Unhealthy', reason: 'benchmark', seconds: 3_600 };
      if (state === null) await client.call(unpinTarget, { params, query });
      else await client.call(pinTarget, { params, query, body });
    },
    count: async (name, state) => {
      const { counts } = await client.call(getCheck, { params: { name }, query });
      return counts[state === 'Healthy' ? 'healthy' : 'unhealthy'];
    },
  };
}

/** The addresses that the name server answers, in their order. @throws if it does not answer */
export async function askAddresses(dns: ProbeEndpoint, name: string, signal: AbortSignal): Promise<string[]> {
  const { answers } = await ask(dns, { name, type: 'A' }, { signal });
  return answers
    .filter(({ type }) => type === 1)
    .map(({ rdata }) => [...rdata].join('.'))
    .sort();
}
