// Resolves the host names of a zone's name servers to addresses, with overrides for servers that no resolver knows (a
// local stack, a hidden network).
import { isIP } from 'node:net';
import { plainName } from '#dns/names/plain.ts';
import type { ProbeEndpoint } from './exchange.ts';

export interface NameServer extends ProbeEndpoint {
  /** Host name, lower case, without final dot. */
  readonly name: string;
}

/** The two calls of node:dns/promises' Resolver that are needed here; the caller chooses its time limits. */
export interface AddressResolver {
  resolve4(name: string): Promise<string[]>;
  resolve6(name: string): Promise<string[]>;
}

interface ResolveOptions {
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  readonly resolver: AddressResolver;
  readonly signal: AbortSignal;
}

export interface ResolvedServers {
  readonly servers: readonly NameServer[];
  /** Names without an address. While there is one, the zone is not served everywhere. */
  readonly unresolved: readonly { readonly name: string; readonly problem: string }[];
}

const DNS_PORT = 53;

/**
 * One server per IPv4 address of each name, or per IPv6 address of a name without IPv4: the addresses of both families
 * belong to one machine, and many clusters have no IPv6.
 * @throws the signal's reason when it aborts.
 */
export async function resolveServers(
  nameservers: readonly string[],
  options: ResolveOptions,
): Promise<ResolvedServers> {
  const names = [...new Set(nameservers.map(plainName))];
  const serverLists = await Promise.all(names.map((name) => resolveNameServer(name, options)));
  return {
    servers: serverLists.flat(),
    unresolved: names
      .filter((_, index) => serverLists[index]?.length === 0)
      .map((name) => ({ name, problem: 'has no address' })),
  };
}

async function resolveNameServer(name: string, { overrides, resolver, signal }: ResolveOptions): Promise<NameServer[]> {
  const override = overrides.get(name);
  if (override !== undefined) return [{ name, ...override }];
  const none = (): string[] => [];
  const ipv4 = await unlessAborted(resolver.resolve4(name).catch(none), signal);
  const addresses = ipv4.length > 0 ? ipv4 : await unlessAborted(resolver.resolve6(name).catch(none), signal);
  return addresses.sort().map((address) => ({ name, address, port: DNS_PORT }));
}

// Node's resolver does not accept a signal.
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason);
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/**
 * Parses `ns1.example=127.0.0.1:5300,ns2.example=[::1]:5300`; the default port is 53. An empty text has no overrides.
 * @throws {TypeError} that names the wrong part.
 */
export function parseOverrides(text: string): Map<string, ProbeEndpoint> {
  const overrides = new Map<string, ProbeEndpoint>();
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue;
    const [, name, bracketedAddress, plain, port] = OVERRIDE.exec(part) ?? [];
    const address = bracketedAddress ?? plain ?? '';
    const number = port === undefined ? DNS_PORT : Number(port);
    if (name === undefined || isIP(address) === 0 || number < 1 || number > 65_535) {
      throw new TypeError(
        `"${part}" is not an override: write name=address:port, for instance ns1.example=127.0.0.1:5300`,
      );
    }
    overrides.set(plainName(name), { address, port: number });
  }
  return overrides;
}

const OVERRIDE = /^([^=\s]+)=(?:\[([0-9a-fA-F:.]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/;
