// Checks whether the parent zone delegates to the name servers of this service. It queries the name servers of the parent
// directly, because a resolver answers NS from the child. The result becomes the condition Delegated, with the records to
// publish. The query has a time limit; if it fails, the condition is Unknown and never False.
import type { Zone } from '#client/client.ts';
import { plainName } from '#dns/names/plain.ts';
import { parseRdata } from '#dns/types/index.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import { readName } from '#dns/wire/name.ts';
import { NXDOMAIN } from '#dns/wire/rcodes.ts';
import { ask, type Answer as DnsAnswer, type Endpoint, NoAnswer, type WireType } from '#nameserver/probe/probe.ts';
import { type DelegatedAnswer, no, unknown, yes } from '../run/conditions.ts';

/** RDATA in canonical wire form, in hex. */
export interface SeenAtParent {
  readonly parent: string;
  readonly ns: readonly string[];
  readonly ds: readonly string[];
}

/**
 * @param zone with the host names of its name servers, which may serve the parent zone too and may have any address
 * @returns the delegation at the parent, or a text that says why the parent could not be queried
 */
export type ParentLookup = (
  zone: Pick<Zone, 'zoneName' | 'nameservers'>,
  signal: AbortSignal,
) => Promise<SeenAtParent | string>;

type Delegatee = Pick<Zone, 'zoneName' | 'nameservers' | 'ds' | 'status'>;

const { A, NS, SOA, DS } = TYPE_NUMBERS;
const LIMIT_MS = 3_000;
const ATTEMPT = { timeoutMs: 700, attempts: 2 };

/** @param seen null when no resolver is configured; a text says why the parent could not be queried */
export function delegatedAnswer(zone: Delegatee, seen: SeenAtParent | string | null): DelegatedAnswer {
  if (zone.status === 'handshake_claim_required') {
    return no(
      'HandshakeClaimRequired',
      `${zone.zoneName} is a single label that the root zone does not delegate. Claim it on Handshake and publish these records there: ${recordsOf(zone)}. If the name is private, list it in ZONESTEAD_PRIVATE_TLDS of the api.`,
    );
  }
  if (seen === null || typeof seen === 'string') {
    if (zone.status === 'ds_required') {
      return no(
        'DSRequired',
        `The parent zone has no DS record of this zone. Publish these records there: ${recordsOf(zone)}.`,
      );
    }
    if (seen !== null)
      return unknown(
        'ParentNotAsked',
        `The operator could not query the parent zone and tries again by itself: ${seen}.`,
      );
    return unknown(
      'NoResolver',
      `The operator has no resolver to find the parent zone with. Set ZONESTEAD_RESOLVER of the operator. To delegate the zone, publish these records in the parent zone: ${recordsOf(zone)}.`,
    );
  }
  const where = seen.parent === '' ? 'The root zone' : `The parent zone ${seen.parent}`;
  const missing = wires('NS', zone.nameservers.map(absolute)).filter((wire) => !seen.ns.includes(wire));
  if (missing.length > 0) {
    const what = seen.ns.length === 0 ? 'does not delegate this zone' : 'delegates this zone to other name servers';
    return no('DelegationRequired', `${where} ${what}. Publish these records there: ${recordsOf(zone)}.`);
  }
  const own = wires('DS', zone.ds.map(presentation));
  if (seen.ds.some((wire) => own.includes(wire)))
    return yes('Delegated', `${where} delegates this zone to its name servers and has its DS record.`);
  if (seen.ds.length === 0)
    return no(
      'DSRequired',
      `${where} delegates this zone but has no DS record. Publish this record there: ${dsOf(zone)}.`,
    );
  return no(
    'DSMismatch',
    `${where} has a DS record of another key, so that validating resolvers reject this zone. Replace it with this record: ${dsOf(zone)}.`,
  );
}

interface ParentLookupOptions {
  readonly resolvers: readonly Endpoint[];
  /** The addresses of name servers whose names do not resolve here. */
  readonly overrides: ReadonlyMap<string, Endpoint>;
  /**
   * Whether the operator may query a name server of the parent at this address. The author of a DNSZone decides which name
   * servers these are, and their names may lead to any machine in this network.
   */
  readonly mayQuery: (address: string) => boolean;
  /** (Default: 53.) */
  readonly port?: number;
}

/** Queries the name servers of the parent, which it finds through resolvers. Takes at most 3 s. */
export function createParentLookup({ resolvers, overrides, mayQuery, port = 53 }: ParentLookupOptions): ParentLookup {
  return async ({ zoneName, nameservers }, caller) => {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const signal = AbortSignal.any([caller, limit]);
    try {
      const own = new Set(nameservers.map(plainName));
      return await queryParent(zoneName, { resolvers, overrides, mayQuery, port, own, signal });
    } catch (error) {
      if (caller.aborted) throw caller.reason;
      if (limit.aborted) return `no answer within ${LIMIT_MS / 1000} s`;
      if (error instanceof NoAnswer) return `a name server ${error.message}`;
      throw error;
    }
  };
}

interface Query extends Required<ParentLookupOptions> {
  /** The host names of the name servers of this service. */
  readonly own: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

async function queryParent(zoneName: string, query: Query): Promise<SeenAtParent | string> {
  const above = zoneName.split('.').slice(1).join('.');
  const start = await resolve(above, 'SOA', query);
  if (typeof start === 'string') return start;
  const soa = [...start.answers, ...start.authorities].find(({ type }) => type === SOA);
  if (!soa) return 'the resolver names no parent zone';
  const found = await resolve(soa.name, 'NS', query);
  if (typeof found === 'string') return found;
  const servers = found.answers.filter(({ type }) => type === NS).map(({ rdata }) => readName(rdata, 0).name);
  let refused = 0;
  for (const server of servers) {
    for (const endpoint of await addressesOf(server, query)) {
      if (endpoint === null) {
        refused += 1;
        continue;
      }
      const ns = await queryServer(endpoint, zoneName, 'NS', query);
      const ds = ns && (await queryServer(endpoint, zoneName, 'DS', query));
      if (!ns || !ds || (ns.rcode !== 0 && ns.rcode !== NXDOMAIN)) continue;
      // A server of the parent refers to the child (authority section); a server that also has the child answers itself.
      const all = [...ns.answers, ...ns.authorities].filter(({ name }) => name === zoneName);
      return {
        parent: soa.name,
        ns: hexes(all, NS),
        ds: hexes(
          ds.answers.filter(({ name }) => name === zoneName),
          DS,
        ),
      };
    }
  }
  const parent = soa.name || 'the root';
  if (refused === 0) return `no name server of ${parent} answers`;
  return `name servers of ${parent} have addresses that are not public; if the operator may query them, list their networks in ZONESTEAD_PARENT_NETWORKS of the operator`;
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
  server: Endpoint,
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
async function addressesOf(server: string, query: Query): Promise<(Endpoint | null)[]> {
  const override = query.overrides.get(server);
  if (override) return [override];
  const answer = await resolve(server, 'A', query);
  if (typeof answer === 'string') return [];
  return answer.answers
    .filter(({ type, rdata }) => type === A && rdata.length === 4)
    .map(({ rdata }) => {
      const address = [...rdata].join('.');
      return query.own.has(server) || query.mayQuery(address) ? { address, port: query.port } : null;
    });
}

function hexes(records: readonly { type: number; rdata: Uint8Array }[], type: number): string[] {
  return records.filter((record) => record.type === type).map(({ rdata }) => Buffer.from(rdata).toString('hex'));
}

function wires(type: 'NS' | 'DS', contents: readonly string[]): string[] {
  return contents.flatMap((content) => {
    const parsed = parseRdata(type, content, null);
    return parsed.ok ? [Buffer.from(parsed.value.wire).toString('hex')] : [];
  });
}

function absolute(host: string): string {
  return host.endsWith('.') ? host : `${host}.`;
}

function presentation({ keyTag, algorithm, digestType, digest }: Zone['ds'][number]): string {
  return `${keyTag} ${algorithm} ${digestType} ${digest}`;
}

function dsOf({ ds }: Pick<Zone, 'ds'>): string {
  return ds[0]?.record ?? 'the DS record of status.ds';
}

function recordsOf({ zoneName, nameservers, ds }: Delegatee): string {
  const ns = nameservers.map((host) => `${zoneName}. IN NS ${absolute(host)}`);
  return [...ns, ...ds.slice(0, 1).map(({ record }) => record)].join('; ');
}
