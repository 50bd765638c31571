// Resolves the host names of a zone's name servers to addresses, with overrides for servers that no resolver knows (a
// local stack, a hidden network).
import { isIP } from 'node:net';
import { describeUnusable } from '#base/address.ts';
import { type Family, orderFamilies } from '#base/families.ts';
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
  /** The families, the one to ask first at the beginning. (Default: those of this machine.) */
  readonly families?: readonly Family[] | undefined;
  /**
   * Whether this machine has a route to an address. With it, the addresses of both families that it accepts are
   * servers. (Default: those of one family.)
   */
  readonly hasRoute?: ((address: string) => Promise<boolean>) | undefined;
  readonly signal: AbortSignal;
}

export interface ResolvedServers {
  readonly servers: readonly NameServer[];
  /** Names without an address. While there is one, the zone is not served everywhere. */
  readonly unresolved: readonly { readonly name: string; readonly problem: string }[];
}

const DNS_PORT = 53;

/**
 * One server per address of each name, of one family: see orderFamilies. The addresses of both families belong to one
 * machine, so one of them proves its data. A measurement of the way to the machine needs both, and sets `hasRoute`.
 * @throws the signal's reason when it aborts.
 */
export async function resolveServers(
  nameservers: readonly string[],
  options: ResolveOptions,
): Promise<ResolvedServers> {
  const names = [...new Set(nameservers.map(plainName))];
  const families = options.families ?? orderFamilies();
  const serverLists = await Promise.all(names.map((name) => resolveNameServer(name, { ...options, families })));
  return {
    servers: serverLists.flat(),
    unresolved: names
      .filter((_, index) => serverLists[index]?.length === 0)
      .map((name) => ({ name, problem: 'has no address' })),
  };
}

async function resolveNameServer(
  name: string,
  { overrides, resolver, families, hasRoute, signal }: ResolveOptions & { readonly families: readonly Family[] },
): Promise<NameServer[]> {
  const override = overrides.get(name);
  if (override !== undefined) return [{ name, ...override }];
  const lookUp = (family: Family): Promise<string[]> =>
    unlessAborted((family === 4 ? resolver.resolve4(name) : resolver.resolve6(name)).catch(NONE), signal);
  const addresses = hasRoute ? await findReachable(families, lookUp, hasRoute) : await findFirst(families, lookUp);
  return addresses.map((address) => ({ name, address, port: DNS_PORT }));
}

const NONE = (): string[] => [];

type LookUp = (family: Family) => Promise<string[]>;

async function findFirst(families: readonly Family[], lookUp: LookUp): Promise<string[]> {
  for (const family of families) {
    const addresses = await lookUp(family);
    if (addresses.length > 0) return addresses.sort();
  }
  return [];
}

/** If the machine has a route to none of them, all are servers, and none of them answers. */
async function findReachable(
  families: readonly Family[],
  lookUp: LookUp,
  hasRoute: NonNullable<ResolveOptions['hasRoute']>,
): Promise<string[]> {
  const addresses = (await Promise.all(families.map(lookUp))).flatMap((each) => each.sort());
  const routes = await Promise.all(addresses.map(hasRoute));
  return routes.includes(true) ? addresses.filter((_, at) => routes[at]) : addresses;
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
    const fault = describeUnusable(address);
    if (fault !== null) throw new TypeError(`"${part}" has an address that ${fault}`);
    if (name === undefined || isIP(address) === 0 || number < 1 || number > 65_535) {
      throw new TypeError(
        `"${part}" is not an override: write name=address:port, for instance ns1.example=127.0.0.1:5300`,
      );
    }
    overrides.set(plainName(name), { address, port: number });
  }
  return overrides;
}

const OVERRIDE = /^([^=\s]+)=(?:\[([^\]]+)\]|([0-9.]+))(?::([0-9]{1,5}))?$/;
