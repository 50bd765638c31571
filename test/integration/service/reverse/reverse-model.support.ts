// The PTR records that should exist, computed from scratch from all zones and records: the rules of the database
// functions, written again without SQL.
import { parseIpv4, parseIpv6 } from '#base/address.ts';

export interface ModelZone {
  no: number;
  id: string;
  owner: string;
  name: string;
}

export interface ModelRecord {
  zone: number;
  name: string;
  type: string;
  rdata: string;
  reverse: boolean;
  withdrawn: boolean;
  reverseOf: string | null;
}

/** The name of an address in the DNS, without final dot. */
export function reverseName(address: string): string {
  const four = parseIpv4(address);
  if (four) return `${[...four].reverse().join('.')}.in-addr.arpa`;
  const hex = Buffer.from(parseIpv6(address) ?? []).toString('hex');
  return `${[...hex].reverse().join('.')}.ip6.arpa`;
}

const isReverse = (name: string) => /(^|\.)(in-addr|ip6)\.arpa$/.test(name);
const isWithin = (name: string, zone: string) => name === zone || name.endsWith(`.${zone}`);
const full = (name: string, zone: string) => (name === '@' ? zone : `${name}.${zone}`);

/** @returns by `zone name address`: the names that its PTR may point to */
export function expectPointers(zones: readonly ModelZone[], records: readonly ModelRecord[]): Map<string, Set<string>> {
  const zoneByNo = new Map(zones.map((zone) => [zone.no, zone]));
  const at = new Map<string, ModelRecord[]>();
  for (const record of records) {
    const name = full(record.name, zoneByNo.get(record.zone)?.name ?? '');
    at.set(`${record.zone} ${name}`, [...(at.get(`${record.zone} ${name}`) ?? []), record]);
  }
  /** Null: the name is delegated or redirected, or is in no zone of the owner. */
  const place = (name: string, owner: string) => {
    const [home] = zones.filter((zone) => isWithin(name, zone.name)).sort((a, b) => b.name.length - a.name.length);
    if (home === undefined || home.owner !== owner) return null;
    for (let above = name; above !== home.name; above = above.slice(above.indexOf('.') + 1)) {
      const types = (at.get(`${home.no} ${above}`) ?? []).map(({ type }) => type);
      if (types.includes('NS') || (types.includes('DNAME') && above !== name)) return null;
    }
    return { zone: home, name, here: at.get(`${home.no} ${name}`) ?? [] };
  };
  const expected = new Map<string, Set<string>>();
  for (const record of records) {
    const zone = zoneByNo.get(record.zone);
    if (!zone || !record.reverse || record.withdrawn || isReverse(zone.name) || /^\*(\.|$)/.test(record.name)) continue;
    let found = place(reverseName(record.rdata), zone.owner);
    const alias = found?.here.find(({ type }) => type === 'CNAME')?.rdata.replace(/\.$/, '');
    if (alias !== undefined) found = isReverse(alias) ? place(alias, zone.owner) : null;
    if (!found || found.here.some(({ type }) => type === 'CNAME')) continue;
    if (found.here.some(({ type, reverseOf }) => type === 'PTR' && reverseOf === null)) continue;
    const key = `${found.zone.no} ${found.name} ${record.rdata}`;
    expected.set(key, (expected.get(key) ?? new Set()).add(full(record.name, zone.name)));
  }
  return expected;
}

/** The faults of the PTRs of the service. */
export function findFaults(zones: readonly ModelZone[], records: readonly ModelRecord[]): string[] {
  const expected = expectPointers(zones, records);
  const faults: string[] = [];
  const present = new Set<string>();
  for (const { zone, name, rdata, reverseOf } of records) {
    if (reverseOf === null) continue;
    const zoneName = zones.find(({ no }) => no === zone)?.name ?? '';
    const key = `${zone} ${full(name, zoneName)} ${reverseOf}`;
    if (expected.get(key)?.has(rdata.replace(/\.$/, '')) !== true) faults.push(`orphan: ${key} ${rdata}`);
    if (present.has(key)) faults.push(`second: ${key} ${rdata}`);
    present.add(key);
  }
  for (const key of expected.keys()) if (!present.has(key)) faults.push(`missing: ${key}`);
  return faults;
}
