// Asks the name servers of a zone which DNSSEC keys they answer and sign with, and those of its parent for DS records.
// The verdict is in dns/dnssec/key-sightings.ts.
import { formatHostPort } from '#base/address.ts';
import type { KeySighting, Sightings } from '#dns/dnssec/key-sightings.ts';
import { readRrsig } from '#dns/dnssec/rrsig.ts';
import { TYPE_NUMBERS } from '#dns/types/numbers.ts';
import type { ParentServersLookup } from './parent.ts';
import {
  type AddressResolver,
  type NameServer,
  type ProbeAnswer,
  type ProbeEndpoint,
  resolveServers,
} from './probe.ts';
import { askWithAuthority, pickSet, sightDs } from './sighting.ts';

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

export function createKeySight({ overrides, resolver, parents }: Options): SightKeys {
  return async ({ zone, nameservers, parent }, signal) => {
    if (parent === 'elsewhere') return { servers: [], parent: await parents({ zoneName: zone, nameservers }, signal) };
    const { servers, unresolved } = await resolveServers(nameservers, { overrides, resolver, signal });
    const lost = unresolved.map(({ name, problem }) => ({ server: name, problem: `it ${problem}` }));
    if (parent === 'hosted') {
      const sightings = await Promise.all(servers.map((server) => sightDs(server, nameServer(server), zone, signal)));
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
  const [keys, soa] = await Promise.all(
    (['DNSKEY', 'SOA'] as const).map((type) => askWithAuthority(server, { name: zone, type, dnssec: true }, signal)),
  );
  for (const answer of [keys, soa])
    if (typeof answer === 'string') return { server: name, problem: answer, dnskeys: [], dnskeyTtl: 0, signers: [] };
  const [{ answers: keyRecords }, { answers: soaRecords }] = [keys, soa] as [ProbeAnswer, ProbeAnswer];
  const { rdatas, ttl } = pickSet(keyRecords, zone, TYPE_NUMBERS.DNSKEY);
  const signatures = soaRecords.filter(({ type }) => type === TYPE_NUMBERS.RRSIG);
  const signers = signatures.flatMap(({ rdata }) => readRrsig(rdata) ?? []);
  return { server: name, problem: null, dnskeys: rdatas, dnskeyTtl: ttl, signers };
}

function nameServer({ name, address, port }: NameServer): string {
  return `${name} (${formatHostPort(address, port)})`;
}
