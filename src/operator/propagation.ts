// The proof by DNS: asks every name server of a zone whether it answers what was written. Says what is missing in words
// that stay the same while the situation does.
import { Resolver } from 'node:dns/promises';
import type { Zone } from '../client/client.ts';
import { type Clock, sleep } from '../kube/clock.ts';
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
} from '../nameserver/probe.ts';

/** What must be served for a DNSRecord; of an ALIAS addresses, under whatever TTL its target gives them. */
export type ExpectedRecord = Omit<ExpectedRrset, 'type'> & { readonly type: ExpectedRrset['type'] | 'ALIAS' };

export interface Propagation {
  /** @returns null when every name server answers for the zone with this serial or a later one */
  zoneServed(zone: Pick<Zone, 'zoneName' | 'nameservers' | 'serial'>, signal: AbortSignal): Promise<string | null>;
  /** @returns null when every name server answers the values, over UDP and over TCP */
  recordServed(nameservers: readonly string[], expected: ExpectedRecord, signal: AbortSignal): Promise<string | null>;
}

const ATTEMPT_MS = 1_000;
const ATTEMPTS = 2;
const RESOLVE_MS = 2_000;
/**
 * Right after a write a server may still hold the old answer for some milliseconds: worth a second look before telling.
 * Not for a server that stays silent, which costs a worker two seconds a look.
 */
const LOOKS = 4;
const BETWEEN_LOOKS_MS = 40;
/** Whether a server answers over TCP is a matter of the server and its firewall, not of each record. */
const TCP_SEEN_MS = 10_000;

/**
 * @param overrides addresses of name servers whose names do not resolve here
 * @param resolver (Default: that of the system.)
 */
export function createPropagation(
  overrides: ReadonlyMap<string, Endpoint>,
  clock: Clock,
  resolver: AddressResolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 }),
): Propagation {
  const tcpSeen = new Map<string, number>();

  async function everywhere(
    nameservers: readonly string[],
    signal: AbortSignal,
    ask: (servers: readonly NameServer[]) => Promise<ServerVerdict[]>,
  ): Promise<string | null> {
    const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
    const unknown = unresolved.map(({ name, problem }) => `${name} ${problem}`);
    for (let look = 1; ; look += 1) {
      const since = clock.now();
      const verdicts = await ask(servers);
      const problems = verdicts.flatMap(({ server, problem }) =>
        problem === null ? [] : [`${server.name} (${server.address}) ${problem}`],
      );
      if (problems.length === 0 && unknown.length === 0) return null;
      const silent = clock.now() - since >= ATTEMPT_MS;
      if (look === LOOKS || silent || problems.length === 0)
        return `Not every name server answers it yet: ${[...unknown, ...problems].join('; ')}.`;
      await sleep(clock, BETWEEN_LOOKS_MS, signal);
    }
  }

  const options = (signal: AbortSignal) => ({ timeoutMs: ATTEMPT_MS, attempts: ATTEMPTS, signal });
  return {
    zoneServed: ({ zoneName, nameservers, serial }, signal) =>
      everywhere(nameservers, signal, (servers) =>
        zoneServed({ zone: zoneName, minSerial: serial }, servers, options(signal)),
      ),
    recordServed: (nameservers, expected, signal) =>
      everywhere(nameservers, signal, async (servers) => {
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
