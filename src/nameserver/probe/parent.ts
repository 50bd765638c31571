// Looks up the delegation of a zone at its parent. It queries the name servers of the parent directly, because a
// resolver answers NS from the child. The lookup has a time limit.
import { formatIpv4, formatIpv6, isV4Mapped } from '#base/address.ts';
import { type Family, orderFamilies } from '#base/families.ts';
import type { DsSighting, ParentSightings } from '#dns/dnssec/key-sightings.ts';
import { plainName } from '#dns/names/plain.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { readName } from '#dns/wire/name.ts';
import { NXDOMAIN } from '#dns/wire/rcodes.ts';
import {
  ask,
  type ProbeAnswer as DnsAnswer,
  NoAnswer,
  type ProbeEndpoint,
  type ResourceRecord,
  type WireType,
} from './probe.ts';
import { sightDs } from './sighting.ts';

/** RDATA in canonical wire form, in hex. */
export interface SeenAtParent {
  readonly parent: string;
  readonly ns: readonly string[];
  readonly ds: readonly string[];
  /** In seconds. Absent: unknown. */
  readonly nsTtl?: number;
  readonly dsTtl?: number;
}

/**
 * @param zone with the host names of its name servers, which may serve the parent zone too and may have any address
 * @returns the delegation at the parent, or a text that says why the parent could not be queried
 */
export type ParentLookup = (
  zone: { readonly zoneName: string; readonly nameservers: readonly string[] },
  signal: AbortSignal,
) => Promise<SeenAtParent | string>;

const { A, AAAA, NS, SOA, DS } = TYPE_NUMBERS;
const LIMIT_MS = 3_000;
const ALL_LIMIT_MS = 10_000;
/** The root has 13. */
const MAX_SERVERS = 30;
const ATTEMPT = { timeoutMs: 700, attempts: 2 };

interface ParentLookupOptions {
  readonly resolvers: readonly ProbeEndpoint[];
  /** The addresses of name servers whose names do not resolve here. */
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  /**
   * Whether the operator may query a name server of the parent at this address. The author of a DNSZone decides which
   * name servers these are, and their names may lead to any machine in this network.
   */
  readonly mayQuery: (address: string) => boolean;
  /** (Default: 53.) */
  readonly port?: number;
  /** The families, the one to ask first at the beginning. (Default: those of this machine.) */
  readonly families?: readonly Family[];
}

/** Queries the name servers of the parent, which it finds through resolvers. Takes at most 3 s. */
export function createParentLookup(options: ParentLookupOptions): ParentLookup {
  return ({ zoneName, nameservers }, caller) =>
    withinLimit(options, nameservers, LIMIT_MS, caller, (query) => queryParent(zoneName, query));
}

/**
 * The answers of all name servers of the parent, or a text that says why they could not be asked. Takes at most 10 s.
 */
export type ParentServersLookup = (...parameters: Parameters<ParentLookup>) => Promise<ParentSightings>;

/** The same for all name servers of the parent. */
export function createParentServersLookup(options: ParentLookupOptions): ParentServersLookup {
  return ({ zoneName, nameservers }, caller) =>
    withinLimit(options, nameservers, ALL_LIMIT_MS, caller, (query) => queryAllParents(zoneName, query));
}

interface Query extends Required<ParentLookupOptions> {
  /** The host names of the name servers of this service. */
  readonly own: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

async function withinLimit<T>(
  { resolvers, overrides, mayQuery, port = 53, families = orderFamilies() }: ParentLookupOptions,
  nameservers: readonly string[],
  limitMs: number,
  caller: AbortSignal,
  work: (query: Query) => Promise<T | string>,
): Promise<T | string> {
  const limit = AbortSignal.timeout(limitMs);
  const signal = AbortSignal.any([caller, limit]);
  try {
    const own = new Set(nameservers.map(plainName));
    return await work({ resolvers, overrides, mayQuery, port, families, own, signal });
  } catch (error) {
    if (caller.aborted) throw caller.reason;
    if (limit.aborted) return `no answer within ${limitMs / 1000} s`;
    if (error instanceof NoAnswer) return `a name server ${error.message}`;
    throw error;
  }
}

interface ParentServers {
  readonly parent: string;
  /** The host names of its name servers. */
  readonly names: string[];
}

async function findParentServers(zoneName: string, query: Query): Promise<ParentServers | string> {
  const above = zoneName.split('.').slice(1).join('.');
  const start = await resolve(above, 'SOA', query);
  if (typeof start === 'string') return start;
  const soa = [...start.answers, ...start.authorities].find(({ type }) => type === SOA);
  if (!soa) return 'the resolver names no parent zone';
  const nsAnswer = await resolve(soa.name, 'NS', query);
  if (typeof nsAnswer === 'string') return nsAnswer;
  const names = nsAnswer.answers.filter(({ type }) => type === NS).map(({ rdata }) => readName(rdata, 0).name);
  return { parent: soa.name, names };
}

async function queryParent(zoneName: string, query: Query): Promise<SeenAtParent | string> {
  const servers = await findParentServers(zoneName, query);
  if (typeof servers === 'string') return servers;
  let refusedCount = 0;
  for (const server of servers.names) {
    for (const endpoint of await resolveAddresses(server, query)) {
      if (endpoint === null) {
        refusedCount += 1;
        continue;
      }
      const ns = await queryServer(endpoint, zoneName, 'NS', query);
      const ds = ns && (await queryServer(endpoint, zoneName, 'DS', query));
      if (!ns || !ds || (ns.rcode !== 0 && ns.rcode !== NXDOMAIN)) continue;
      // A server of the parent refers to the child (authority section); a server that also has the child answers
      // itself.
      const all = [...ns.answers, ...ns.authorities].filter(({ name }) => name === zoneName);
      const dsOfZone = ds.answers.filter(({ name }) => name === zoneName);
      return {
        parent: servers.parent,
        ns: hexes(all, NS),
        ds: hexes(dsOfZone, DS),
        nsTtl: findLongestTtl(all, NS),
        dsTtl: findLongestTtl(dsOfZone, DS),
      };
    }
  }
  const parent = servers.parent || 'the root';
  if (refusedCount === 0) return `no name server of ${parent} answers`;
  return `name servers of ${parent} have ${NOT_PUBLIC}`;
}

const NOT_PUBLIC =
  'addresses that are not public; if they may be queried, list their networks in ZONESTEAD_PARENT_NETWORKS';

async function queryAllParents(zoneName: string, query: Query): Promise<ParentSightings> {
  const servers = await findParentServers(zoneName, query);
  if (typeof servers === 'string') return servers;
  const { parent, names } = servers;
  if (names.length > MAX_SERVERS) return `${parent || 'the root'} has more than ${MAX_SERVERS} name servers`;
  // Resolvers rotate the order; a roll must name the same server at each look.
  const sightings = await Promise.all(names.sort().map((server) => sightParentServer(server, zoneName, query)));
  return { parent, servers: sightings.flat() };
}

async function sightParentServer(server: string, zoneName: string, query: Query): Promise<DsSighting[]> {
  const missing = (problem: string): DsSighting => ({ server, problem, ds: [], dsTtl: 0 });
  const endpoints = await resolveAddresses(server, query);
  if (endpoints.length === 0) return [missing('it has no address')];
  return Promise.all(
    endpoints.map((endpoint) =>
      endpoint === null ? missing(`it has ${NOT_PUBLIC}`) : sightDs(endpoint, server, zoneName, query.signal),
    ),
  );
}

async function resolve(name: string, type: WireType, { resolvers, signal }: Query): Promise<DnsAnswer | string> {
  let problem = 'there is no resolver';
  for (const server of resolvers) {
    try {
      const answer = await ask(server, { name, type, recursive: true }, { ...ATTEMPT, signal });
      if (answer.rcode === 0 || answer.rcode === NXDOMAIN) return answer;
      problem = `the resolver has no answer for ${name || 'the root'}`;
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      problem = `the resolver ${error.message}`;
    }
  }
  return problem;
}

async function queryServer(
  server: ProbeEndpoint,
  name: string,
  type: WireType,
  { signal }: Query,
): Promise<DnsAnswer | null> {
  try {
    return await ask(server, { name, type }, { ...ATTEMPT, signal });
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

/** Null stands for an address that the operator may not query. */
async function resolveAddresses(server: string, query: Query): Promise<(ProbeEndpoint | null)[]> {
  const override = query.overrides.get(server);
  if (override) return [override];
  for (const family of query.families) {
    const addresses = await resolveFamily(server, family, query);
    if (addresses.length === 0) continue;
    return addresses.map((address) =>
      query.own.has(server) || query.mayQuery(address) ? { address, port: query.port } : null,
    );
  }
  return [];
}

async function resolveFamily(server: string, family: Family, query: Query): Promise<string[]> {
  const answer = await resolve(server, family === 4 ? 'A' : 'AAAA', query);
  if (typeof answer === 'string') return [];
  return answer.answers.flatMap(({ type, rdata }) => {
    if (family === 4) return type === A && rdata.length === 4 ? [formatIpv4(rdata)] : [];
    // An IPv4 address in IPv6 form is not judged as one by the rules for public addresses, so it is never asked.
    return type === AAAA && rdata.length === 16 && !isV4Mapped(rdata) ? [formatIpv6(rdata, { hexOnly: true })] : [];
  });
}

function hexes(records: readonly { type: number; rdata: Uint8Array }[], type: number): string[] {
  return records.filter((record) => record.type === type).map(({ rdata }) => Buffer.from(rdata).toString('hex'));
}

function findLongestTtl(records: readonly ResourceRecord[], type: number): number {
  return Math.max(0, ...records.filter((record) => record.type === type).map(({ ttl }) => ttl));
}
