// Proves a write by DNS: queries every name server of a zone and compares the answers with the written data. The text about
// missing data stays the same as long as the situation does.
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#base/clock.ts';
import { sleep } from '#base/wait.ts';
import type { Zone } from '#client/client.ts';
import {
  type AddressResolver,
  aliasServed,
  type Endpoint,
  type ExpectedRrset,
  type NameServer,
  resolveServers,
  rrsetServed,
  type ServerVerdict,
  zoneServed,
} from '#nameserver/probe/probe.ts';

/** The RRset that name servers must serve for a DNSRecord. For an ALIAS these are addresses with any TTL. */
export type ExpectedRecord = Omit<ExpectedRrset, 'type'> & { readonly type: ExpectedRrset['type'] | 'ALIAS' };

export interface Propagation {
  /** @returns null when every name server serves the zone with this serial or a later one, otherwise a description */
  zoneServed(zone: Pick<Zone, 'zoneName' | 'nameservers' | 'serial'>, signal: AbortSignal): Promise<string | null>;
  /** @returns null when every name server serves the values over UDP and over TCP, otherwise a description */
  recordServed(nameservers: readonly string[], expected: ExpectedRecord, signal: AbortSignal): Promise<string | null>;
}

const ATTEMPT_MS = 1_000;
const ATTEMPTS = 2;
const RESOLVE_MS = 2_000;
/**
 * The number of attempts. Right after a write, a server may serve the old answer for some milliseconds, so another attempt
 * avoids a status write. There is no other attempt for a silent server, which would cost a worker two seconds.
 */
const MAX_PROBES = 4;
const PROBE_INTERVAL_MS = 40;
/** How long a success over TCP counts, in ms: TCP depends on the server and its firewall, not on each record. */
const TCP_SEEN_MS = 10_000;

/**
 * @param overrides the addresses of name servers whose names do not resolve here
 * @param resolver (Default: the resolver of the system.)
 */
export function createPropagation(
  overrides: ReadonlyMap<string, Endpoint>,
  clock: Clock,
  resolver: AddressResolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 }),
): Propagation {
  const tcpSeen = new Map<string, number>();

  async function probeAll(
    nameservers: readonly string[],
    signal: AbortSignal,
    ask: (servers: readonly NameServer[]) => Promise<ServerVerdict[]>,
  ): Promise<string | null> {
    const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
    const unknown = unresolved.map(({ name, problem }) => `${name} ${problem}`);
    for (let probe = 1; ; probe += 1) {
      const since = clock.now();
      const verdicts = await ask(servers);
      const problems = verdicts.flatMap(({ server, problem }) =>
        problem === null ? [] : [`${server.name} (${server.address}) ${problem}`],
      );
      if (problems.length === 0 && unknown.length === 0) return null;
      const silent = clock.now() - since >= ATTEMPT_MS;
      if (probe === MAX_PROBES || silent || problems.length === 0)
        return `Not every name server serves the current data yet, and the operator keeps checking: ${[...unknown, ...problems].join('; ')}.`;
      await sleep(clock, PROBE_INTERVAL_MS, signal);
    }
  }

  const options = (signal: AbortSignal) => ({ timeoutMs: ATTEMPT_MS, attempts: ATTEMPTS, signal });
  return {
    zoneServed: ({ zoneName, nameservers, serial }, signal) =>
      probeAll(nameservers, signal, (servers) =>
        zoneServed({ zone: zoneName, minSerial: serial }, servers, options(signal)),
      ),
    recordServed: (nameservers, expected, signal) =>
      probeAll(nameservers, signal, async (servers) => {
        const { type } = expected;
        if (type === 'ALIAS') return aliasServed(expected.name, servers, { ...options(signal), verifyTcp: true });
        const verifyTcp = servers.some(
          ({ address, port }) => !(clock.now() < (tcpSeen.get(`${address} ${port}`) ?? 0)),
        );
        const verdicts = await rrsetServed({ ...expected, type }, servers, { ...options(signal), verifyTcp });
        for (const { server, ok } of verdicts)
          if (ok && verifyTcp) tcpSeen.set(`${server.address} ${server.port}`, clock.now() + TCP_SEEN_MS);
        return verdicts;
      }),
  };
}
