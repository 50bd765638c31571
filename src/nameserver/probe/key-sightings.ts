// Asks the name servers of a zone which DNSSEC keys they answer and sign with, and those of its parent for DS records.
// The verdict is in dns/dnssec/key-sightings.ts.
import { formatHostPort } from '#base/address.ts';
import type { DsSighting, KeySighting, Sightings } from '#dns/dnssec/key-sightings.ts';
import { readRrsig } from '#dns/dnssec/rrsig.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import type { ParentServersLookup } from './parent.ts';
import { type AddressResolver, ask, type NameServer, NoAnswer, type ProbeEndpoint, resolveServers } from './probe.ts';

export interface KeyQuestion {
  readonly zone: string;
  /** The host names of its name servers. */
  readonly nameservers: readonly string[];
  /** Where its DS records are: `hosted` with a parent zone at the same name servers. Null: they do not matter. */
  readonly parent: 'hosted' | 'elsewhere' | null;
}

/** Takes at most 10 s. @throws the signal's reason when it aborts */
export type SightKeys = (question: KeyQuestion, signal: AbortSignal) => Promise<Sightings>;

interface Options {
  readonly overrides: ReadonlyMap<string, ProbeEndpoint>;
  readonly resolver: AddressResolver;
  readonly parents: ParentServersLookup;
}

const ATTEMPT = { timeoutMs: 1_000, attempts: 3 };

export function createKeySight({ overrides, resolver, parents }: Options): SightKeys {
  return async ({ zone, nameservers, parent }, signal) => {
    if (parent === 'elsewhere') return { servers: [], parent: await parents({ zoneName: zone, nameservers }, signal) };
    const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
    const lost = unresolved.map(({ name, problem }) => ({ server: name, problem: `it ${problem}` }));
    if (parent === 'hosted') {
      const sightings = await Promise.all(servers.map((server) => sightDs(server, zone, signal)));
      const lostServers = lost.map((server) => ({ ...server, ds: [], dsTtl: 0 }));
      return { servers: [], parent: { parent: 'the zone above', servers: [...sightings, ...lostServers] } };
    }
    const sightings = await Promise.all(servers.map((server) => sightServer(server, zone, signal)));
    const lostServers = lost.map((server) => ({ ...server, dnskeys: [], dnskeyTtl: 0, signers: [] }));
    return { servers: [...sightings, ...lostServers], parent: null };
  };
}

async function sightServer(server: NameServer, zone: string, signal: AbortSignal): Promise<KeySighting> {
  const name = nameServer(server);
  const nothing = { server: name, dnskeys: [], dnskeyTtl: 0, signers: [] };
  try {
    const options = { ...ATTEMPT, signal };
    const [keys, soa] = await Promise.all([
      ask(server, { name: zone, type: 'DNSKEY', dnssec: true }, options),
      ask(server, { name: zone, type: 'SOA', dnssec: true }, options),
    ]);
    if (!keys.aa || !soa.aa) return { ...nothing, problem: 'it answers without authority' };
    const dnskeys = keys.answers.filter(({ type }) => type === TYPE_NUMBERS.DNSKEY);
    const signatures = soa.answers.filter(({ type }) => type === TYPE_NUMBERS.RRSIG);
    return {
      server: name,
      problem: null,
      dnskeys: dnskeys.map(({ rdata }) => Buffer.from(rdata).toString('hex')),
      dnskeyTtl: Math.max(0, ...dnskeys.map(({ ttl }) => ttl)),
      signers: signatures.flatMap(({ rdata }) => readRrsig(rdata) ?? []),
    };
  } catch (error) {
    if (error instanceof NoAnswer) return { ...nothing, problem: error.message };
    throw error;
  }
}

async function sightDs(server: NameServer, zone: string, signal: AbortSignal): Promise<DsSighting> {
  const name = nameServer(server);
  try {
    const answer = await ask(server, { name: zone, type: 'DS' }, { ...ATTEMPT, signal });
    const records = answer.answers.filter(({ type }) => type === TYPE_NUMBERS.DS);
    const ds = records.map(({ rdata }) => Buffer.from(rdata).toString('hex'));
    return { server: name, problem: null, ds, dsTtl: Math.max(0, ...records.map(({ ttl }) => ttl)) };
  } catch (error) {
    if (error instanceof NoAnswer) return { server: name, problem: error.message, ds: [], dsTtl: 0 };
    throw error;
  }
}

function nameServer({ name, address, port }: NameServer): string {
  return `${name} (${formatHostPort(address, port)})`;
}
