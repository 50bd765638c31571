/**
 * Renders the RRsets of a zone, as name servers serve them, from its rows. Pure. The RRsets of a name depend on the
 * rows at this name, on the hosted zone there, and on the settings of the zone; never on other names, so a change
 * concerns the names that it writes. SOA and DNSSEC records are not rendered.
 *
 *     apex of a hosted child zone  NS and DS of the child, nothing else
 *     apex                         the NS of the service and of the zone's secondaries, and the records of an active
 *                                  zone
 *     any other name               the records of an active zone; a placeholder if they are an ALIAS without addresses
 *
 * Some records of a name and type are omitted, because they are withdrawn, fail, or are of a higher tier:
 * dns/members.ts has the rule. The same file has that of weights.
 *
 * Records below a zone cut are rendered, although no query is answered with them (occluded data), because glue is among
 * them.
 */
import { chooseServedTtl, pickServed, pickWeights } from '#dns/members.ts';
import { nameOfOrder } from '#dns/names/name.ts';
import { NS_TTL, PLACEHOLDER } from '#dns/own-records.ts';
import type { ServedSet } from '#dns/served.ts';
import { parseRdata } from '#dns/types/index.ts';
import type { AliasAnswers, NameRows, ServedRecord, ServedZone } from '#store/served-zones.ts';

type Zone = Pick<ServedZone, 'state' | 'defaultTtl' | 'nameservers' | 'commonNameservers'>;

/** The RRsets of one name, ordered by type. */
export function renderName(zone: Zone, { ordername, records, child }: NameRows, aliases: AliasAnswers): ServedSet[] {
  const name = nameOfOrder(ordername);
  const sets = new Map<string, { ttl: number; rdata: Map<string, number | undefined> }>();
  const add = (type: string, ttl: number, rdata: readonly string[], weight?: number) => {
    if (rdata.length === 0) return;
    const set = sets.get(type) ?? { ttl, rdata: new Map() };
    sets.set(type, set);
    set.ttl = Math.min(ttl, set.ttl);
    // Not a new set: a name may have thousands of records, and each is added on its own.
    for (const each of rdata) set.rdata.set(each, weight);
  };
  const hosts = child === null ? zone.nameservers : [...zone.commonNameservers, ...child.secondaryNameservers];
  if (child !== null || ordername === '') {
    add(
      'NS',
      NS_TTL,
      hosts.map((host) => `${host}.`),
    );
  }
  if (child !== null) add('DS', NS_TTL, child.ds);
  else if (zone.state === 'active') {
    for (const record of served(records))
      for (const { type, ttl, rdata } of expanded(record, zone.defaultTtl, aliases))
        add(type, ttl, rdata, record.health?.weight);
    if (sets.size === 0 && records.length > 0) add(PLACEHOLDER.type, zone.defaultTtl, [PLACEHOLDER.rdata]);
  }
  return [...sets]
    .map(([type, { ttl, rdata }]) => ({ name, type, ttl, ...sorted(rdata) }))
    .sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** @param weights by value */
function sorted(weights: ReadonlyMap<string, number | undefined>): Pick<ServedSet, 'rdata' | 'weights'> {
  const rdata = [...weights.keys()].sort();
  const drawn = pickWeights(rdata.map((each) => ({ weight: weights.get(each) })));
  return drawn === null ? { rdata } : { rdata, weights: drawn };
}

/** The records of each type that are answered: nearly always all. */
function served(records: readonly ServedRecord[]): readonly ServedRecord[] {
  if (records.every(({ withdrawn, health }) => !withdrawn && health === null)) return records;
  const recordsByType = Map.groupBy(records, ({ type }) => type);
  const members = (list: readonly ServedRecord[]) => list.map((record) => ({ ...record, ...record.health }));
  return [...recordsByType.values()].flatMap((list) => pickServed(members(list)));
}

/** An ALIAS stands for the addresses of its target, of which there are none until it is resolved for the first time. */
function expanded({ type, rdata, ttl, health }: ServedRecord, defaultTtl: number, aliases: AliasAnswers) {
  const recordTtl = chooseServedTtl(ttl ?? defaultTtl, health);
  if (type !== 'ALIAS') return [{ type, ttl: recordTtl, rdata: [rdata] }];
  const answer = aliases.get(rdata);
  if (answer === undefined) return [];
  const lower = Math.min(recordTtl, answer.ttl);
  return [
    { type: 'A', ttl: lower, rdata: answer.ipv4.map((address) => canonical('A', address)) },
    { type: 'AAAA', ttl: lower, rdata: answer.ipv6.map((address) => canonical('AAAA', address)) },
  ];
}

/** The resolver stores all eight groups of an address in full. */
function canonical(type: 'A' | 'AAAA', address: string): string {
  const parsed = parseRdata(type, address, null);
  if (!parsed.ok) throw new Error(`the stored address ${address} of an ALIAS target is not an address of type ${type}`);
  return parsed.value.rdata;
}
