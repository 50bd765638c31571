// The ways on which clients reach the zone: each address of each name server, over UDP and over TCP.
//
//     answers → a query without an answer → silent → for two minutes → unreachable
//     silent, unreachable → the first answer of any kind → answers
//
// An unreachable path is asked as before and counts as silent, but a change does not wait for it: otherwise one address
// that is down would make every change late, and hide that the others are late. A path counts as unreachable only while
// another one answers.
import { formatHostPort } from '#base/address.ts';
import type { NameServer } from '#nameserver/probe/probe.ts';
import { UNREACHABLE_MS } from '#nameserver/probe/reach.ts';
import { MAX_ADDRESSES, TRANSPORTS, type Transport } from './metrics.ts';

export interface Path {
  readonly server: NameServer;
  /** The address as a label: 192.0.2.53, or 192.0.2.53:5300 if the port is not 53. */
  readonly address: string;
  readonly transport: Transport;
  /** The keys that this path answered and that the DS records prove; null until then. */
  keys: readonly Uint8Array[] | null;
  /** The clock at the first query without an answer since the last answer; null if the last one was answered. */
  silentSince: number | null;
}

const DNS_PORT = 53;

export function formatAddress({ address, port }: NameServer): string {
  if (port === DNS_PORT) return address;
  return formatHostPort(address, port);
}

/** The paths to these servers. One that is known keeps its state. Two names with one address are one path. */
export function updatePaths(
  known: readonly Path[],
  servers: readonly NameServer[],
): { paths: Path[]; leftOut: number } {
  const byAddress = new Map<string, NameServer>();
  for (const server of servers) {
    const address = formatAddress(server);
    if (!byAddress.has(address)) byAddress.set(address, server);
  }
  const addresses = [...byAddress];
  const paths = addresses.slice(0, MAX_ADDRESSES).flatMap(([address, server]) =>
    TRANSPORTS.map((transport) => {
      const before = known.find((path) => path.address === address && path.transport === transport);
      return before ?? { server, address, transport, keys: null, silentSince: null };
    }),
  );
  return { paths, leftOut: Math.max(0, addresses.length - MAX_ADDRESSES) };
}

/** The paths that a change waits for. */
export function chooseAwaited(paths: readonly Path[], now: number): readonly Path[] {
  const reachable = paths.filter(({ silentSince }) => silentSince === null || now - silentSince < UNREACHABLE_MS);
  return reachable.some(({ silentSince }) => silentSince === null) ? reachable : paths;
}
