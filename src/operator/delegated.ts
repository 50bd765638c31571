// Whether the parent zone points here: its name servers are asked themselves, because a resolver answers NS from the child.
// What they say becomes the condition Delegated, with what to publish where it is not there. The verdict is pure; asking
// is bounded, and a parent that cannot be asked is Unknown, never False.
import type { Zone } from '../client/client.ts';
import { parseRdata } from '../dns/types/index.ts';
import {
  ask,
  type Answer as DnsAnswer,
  type Endpoint,
  NoAnswer,
  readName,
  type WireType,
} from '../nameserver/probe.ts';
import { type DelegatedAnswer, no, unknown, yes } from './verdicts.ts';

/** RDATA in canonical wire form, in hex. */
export interface SeenAtParent {
  readonly parent: string;
  readonly ns: readonly string[];
  readonly ds: readonly string[];
}

/** @returns why it cannot be known, as a text, when it cannot */
export type LookAtParent = (zoneName: string, signal: AbortSignal) => Promise<SeenAtParent | string>;

type Delegatee = Pick<Zone, 'zoneName' | 'nameservers' | 'ds' | 'status'>;

const NS = 2;
const SOA = 6;
const DS = 43;
const NXDOMAIN = 3;
const LIMIT_MS = 3_000;
const ATTEMPT = { timeoutMs: 700, attempts: 2 };

/** @param seen null when no resolver is configured; a text says why the parent could not be asked */
export function delegatedAnswer(zone: Delegatee, seen: SeenAtParent | string | null): DelegatedAnswer {
  if (zone.status === 'handshake_claim_required') {
    return no(
      'HandshakeClaimRequired',
      `${zone.zoneName} is a single label that the root zone does not delegate: claim it on Handshake and publish there ${recordsOf(zone)}. A private name can be listed in the service's ZONESTEAD_PRIVATE_TLDS.`,
    );
  }
  if (seen === null || typeof seen === 'string') {
    if (zone.status === 'ds_required') {
      return no('DSRequired', `The parent zone shows no DS of this zone: publish there ${recordsOf(zone)}.`);
    }
    if (seen !== null) return unknown('ParentNotAsked', `The parent zone cannot be asked: ${seen}.`);
    return unknown(
      'NotChecked',
      `The operator has no resolver (ZONESTEAD_RESOLVER) to find the parent zone with. Publish there ${recordsOf(zone)}.`,
    );
  }
  const where = `The parent zone ${seen.parent === '' ? 'of the root' : seen.parent}`;
  const missing = wires('NS', zone.nameservers.map(absolute)).filter((wire) => !seen.ns.includes(wire));
  if (missing.length > 0) {
    const what = seen.ns.length === 0 ? 'does not delegate this zone' : 'delegates it to other name servers';
    return no('DelegationRequired', `${where} ${what}: publish there ${recordsOf(zone)}.`);
  }
  const own = wires('DS', zone.ds.map(presentation));
  if (seen.ds.some((wire) => own.includes(wire)))
    return yes('Delegated', `${where} delegates here, with the DS of this zone.`);
  if (seen.ds.length === 0) return no('DSRequired', `${where} delegates here without DS: publish there ${dsOf(zone)}.`);
  return no(
    'DSMismatch',
    `${where} has a DS of another key, so that validating resolvers refuse this zone: replace it by ${dsOf(zone)}.`,
  );
}

/**
 * Asks the parent's name servers, found through resolvers.
 * @param overrides addresses of name servers whose names do not resolve here
 */
export function createParentLook(
  resolvers: readonly Endpoint[],
  overrides: ReadonlyMap<string, Endpoint>,
): LookAtParent {
  return async (zoneName, caller) => {
    const limit = AbortSignal.timeout(LIMIT_MS);
    const signal = AbortSignal.any([caller, limit]);
    try {
      return await look(zoneName, { resolvers, overrides, signal });
    } catch (error) {
      if (caller.aborted) throw caller.reason;
      if (limit.aborted) return `no answer within ${LIMIT_MS / 1000} s`;
      if (error instanceof NoAnswer) return `a name server on the way ${error.message}`;
      throw error;
    }
  };
}

interface Way {
  readonly resolvers: readonly Endpoint[];
  readonly overrides: ReadonlyMap<string, Endpoint>;
  readonly signal: AbortSignal;
}

async function look(zoneName: string, way: Way): Promise<SeenAtParent | string> {
  const above = zoneName.split('.').slice(1).join('.');
  const start = await resolve(above, 'SOA', way);
  if (typeof start === 'string') return start;
  const soa = [...start.answers, ...start.authorities].find(({ type }) => type === SOA);
  if (!soa) return 'the resolver names no zone above';
  const found = await resolve(soa.name, 'NS', way);
  if (typeof found === 'string') return found;
  const servers = found.answers.filter(({ type }) => type === NS).map(({ rdata }) => readName(rdata, 0).name);
  for (const server of servers) {
    for (const endpoint of await addressesOf(server, way)) {
      const ns = await tryAsk(endpoint, zoneName, 'NS', way);
      const ds = ns && (await tryAsk(endpoint, zoneName, 'DS', way));
      if (!ns || !ds || (ns.rcode !== 0 && ns.rcode !== NXDOMAIN)) continue;
      // A server of the parent refers (authority section); one that has the child as well answers itself.
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
  return `no name server of ${soa.name || 'the root'} answers`;
}

async function resolve(name: string, type: WireType, { resolvers, signal }: Way): Promise<DnsAnswer | string> {
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

async function tryAsk(server: Endpoint, name: string, type: WireType, { signal }: Way): Promise<DnsAnswer | null> {
  try {
    return await ask(server, { name, type }, { ...ATTEMPT, signal });
  } catch (error) {
    if (error instanceof NoAnswer) return null;
    throw error;
  }
}

async function addressesOf(server: string, way: Way): Promise<Endpoint[]> {
  const override = way.overrides.get(server);
  if (override) return [override];
  const answer = await resolve(server, 'A', way);
  if (typeof answer === 'string') return [];
  return answer.answers
    .filter(({ type, rdata }) => type === 1 && rdata.length === 4)
    .map(({ rdata }) => ({ address: [...rdata].join('.'), port: 53 }));
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
