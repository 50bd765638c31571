// The rows from which the RRsets of zones are rendered for name servers: heads and settings of zones, the rows at some
// names, and all rows in pages. No rule of DNS is known here, except that the nearest hosted zone above a zone
// delegates it.
import type { Denial } from '#dns/dnssec/denial.ts';
import type { RecordHealth } from '#dns/members.ts';
import type { AliasAnswer } from './alias-answers.ts';
import { isFailing } from './check-failing.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import { writtenPages } from './record-pages.ts';
import { statement } from './statement.ts';
import type { zoneKeys } from './tables.ts';
import type { ZoneState } from './zones.ts';

/** A zone as the list of all zones has it. */
export interface ZoneHead {
  id: string;
  name: string;
  /** Changes with the answers of the zone. */
  version: string;
  serial: number;
}

/** The values of a zone that its rendering depends on. */
export interface ServedZone extends ZoneHead {
  no: number;
  tree: string;
  state: ZoneState;
  /** Id of the team or person. */
  owner: string;
  defaultTtl: number;
  /**
   * Host names without the final dot: those of the service, of secondaries with all zones, and of the zone's own
   * secondaries.
   */
  nameservers: string[];
  /** The same without those of the zone's own secondaries. */
  commonNameservers: string[];
}

/** A record, without its name. */
export interface ServedRecord {
  type: string;
  rdata: string;
  /** Null: the default TTL of the zone. */
  ttl: number | null;
  /** Null: no check, tier 0. */
  health: RecordHealth | null;
  /** Whether all its owners are withdrawn. */
  withdrawn: boolean;
  /** Whether its check fails. */
  failing: boolean;
}

/** The rows at one name of a zone. */
export interface NameRows {
  ordername: string;
  records: readonly ServedRecord[];
  /**
   * The hosted zone that this zone delegates at the name; null: none. One that waits for nodes is not delegated
   * (child-zones.ts).
   */
  child: { ds: readonly string[]; secondaryNameservers: readonly string[] } | null;
}

/** By target, with final dot. */
export type AliasAnswers = ReadonlyMap<string, AliasAnswer>;

// The settings of the service are part of every zone, and a change of them does not touch the rows of the zones. The
// greater of the two transactions would not do: transactions do not commit in the order of their numbers.
const HEAD = `z.id, z.name, z.changed_xid::text || '.' || s.changed_xid || '.' || z.serial as version, z.serial`;
const ZONE = `${HEAD}, z.no, z.tree, z.state, coalesce(z.team_id, z.user_id) as owner, z.default_ttl as "defaultTtl",
  s.nameservers || s.secondary_nameservers || z.secondary_nameservers as nameservers,
  s.nameservers || s.secondary_nameservers as "commonNameservers"`;

type Texts<T extends { serial: number }> = Omit<T, 'serial'> & { serial: string };
const withSerial = <T extends { serial: string }>(row: T) => ({ ...row, serial: Number(row.serial) });

const selectHeads = statement<Texts<ZoneHead>>(
  `select ${HEAD} from zones z cross join service s where z.id > $1 order by z.id limit $2`,
);

/** All zones in the order of their ids, `size` at a time. */
export async function* zoneHeads(tx: Tx, size: number): AsyncGenerator<ZoneHead[]> {
  for (let after = ''; ; ) {
    const heads = (await selectHeads(tx, after, size)).map(withSerial);
    if (heads.length > 0) yield heads;
    if (heads.length < size) return;
    after = (heads.at(-1) as ZoneHead).id;
  }
}

type NamesRow = Texts<ServedZone> & {
  records: (ServedRecord & { ordername: string })[] | null;
  aliases: (AliasAnswer & { target: string })[] | null;
  zones: { tree: string; ds: string[]; names: string[] }[] | null;
};

// The planner must not look into the arrays; see opaque() in zone-load.ts.
const AT_NAMES = `zone_no = z.no and ordername = any((select $2::text[])::text[])`;
const selectNames = statement<NamesRow>(`
  select ${ZONE},
    (select json_agg(json_build_object('ordername', ordername, 'type', type, 'rdata', rdata, 'ttl', ttl,
        'health', health, 'withdrawn', withdrawn, 'failing', ${isFailing('records')}))
      from records where z.state = 'active' and ${AT_NAMES}) as records,
    (select json_agg(json_build_object('target', a.target, 'ipv4', a.ipv4, 'ipv6', a.ipv6, 'ttl', a.ttl)) from alias_answers a
      where z.state = 'active' and a.owner = coalesce(z.team_id, z.user_id)
        and a.target = any(array(select rdata from records where type = 'ALIAS' and ${AT_NAMES}))) as aliases,
    (select json_agg(json_build_object('tree', c.tree, 'ds', c.ds, 'names', c.secondary_nameservers)) from zones c
      where c.tree = any(array(select z.tree || ' ' || o from unnest($3::text[]) o)) and c.delegation_due is null) as zones
  from zones z cross join service s where z.id = $1`);

/**
 * The zone and the rows at some names, of one snapshot: one index probe a name. A name without rows is there without
 * records.
 * @returns null: the zone does not exist
 */
export async function servedNames(
  db: Db | Tx,
  zoneId: string,
  ordernames: readonly string[],
): Promise<{ zone: ServedZone; names: NameRows[]; aliases: AliasAnswers } | null> {
  if (!isStorable(zoneId)) return null;
  const mayBeZones = [...new Set(ordernames.flatMap(listPrefixes))];
  const [row] = await selectNames(db, zoneId, ordernames, mayBeZones);
  if (!row) return null;
  const { records, aliases, zones, ...zone } = row;
  const trees = new Map(
    zones?.map(({ tree, ds, names }) => [tree.slice(zone.tree.length + 1), { ds, secondaryNameservers: names }]),
  );
  const at = Map.groupBy(records ?? [], ({ ordername }) => ordername);
  const names = ordernames.map((ordername): NameRows => {
    const nearest = listPrefixes(ordername).find((above) => trees.has(above));
    return {
      ordername,
      records: at.get(ordername) ?? [],
      child: (nearest === ordername && trees.get(ordername)) || null,
    };
  });
  return { zone: withSerial(zone), names, aliases: new Map(aliases?.map((answer) => [answer.target, answer])) };
}

/** The names from below the apex down to the name itself: `c b a` gives `c`, `c b`, `c b a`. */
function listPrefixes(ordername: string): string[] {
  const labels = ordername === '' ? [] : ordername.split(' ');
  return labels.map((_, at) => labels.slice(0, at + 1).join(' '));
}

/** `privateKey` is PEM (PKCS#8), in clear or encrypted. Secret. */
export type ServedKey = Pick<typeof zoneKeys.$inferSelect, 'algorithm' | 'publicKey' | 'privateKey' | 'state'>;

/** A zone with the values that only its snapshot as a whole has. */
export interface WholeZone extends ServedZone {
  hostmaster: string;
  denial: Denial;
  /** In the order of their creation. */
  keys: readonly ServedKey[];
  /** The id of the team or person that owns it; the other one is null. */
  teamId: string | null;
  userId: string | null;
  /** Secret. */
  sealSecret: Uint8Array;
}

const selectZone = statement<Texts<WholeZone>>(`
  select ${ZONE}, s.hostmaster, z.denial, coalesce((select json_agg(json_build_object('algorithm', k.algorithm, 'publicKey', k.public_key,
      'privateKey', k.private_key, 'state', k.state) order by k.id) from zone_keys k where k.zone_id = z.id), '[]') as keys,
    z.team_id as "teamId", z.user_id as "userId", s.seal_secret as "sealSecret"
  from zones z cross join service s where z.id = $1`);

export async function wholeZone(tx: Tx, zoneId: string): Promise<WholeZone | null> {
  if (!isStorable(zoneId)) return null;
  const [row] = await selectZone(tx, zoneId);
  return row ? withSerial(row) : null;
}

const selectAliases = statement<AliasAnswer & { target: string }>(
  'select target, ipv4, ipv6, ttl from alias_answers where owner = $1 and target = any((select $2::text[])::text[])',
);

export async function readAliasAnswers(tx: Tx, owner: string, targets: readonly string[]): Promise<AliasAnswers> {
  const rows = targets.length === 0 ? [] : await selectAliases(tx, owner, targets);
  return new Map(rows.map((row) => [row.target, row]));
}

/** The names of a zone with their rows in DNSSEC's canonical order, each whole. Reads pages of bounded size. */
export async function* servedRows(tx: Tx, zone: ServedZone): AsyncGenerator<NameRows> {
  const children = directChildren(tx, zone.tree);
  let child = await children.next();
  for await (const nameRows of recordsByName(tx, zone)) {
    for (; !child.done && child.value.ordername < nameRows.ordername; child = await children.next()) yield child.value;
    if (child.done || child.value.ordername !== nameRows.ordername) yield nameRows;
    else {
      yield { ...nameRows, child: child.value.child };
      child = await children.next();
    }
  }
  for (; !child.done; child = await children.next()) yield child.value;
}

async function* recordsByName(tx: Tx, { no, state }: ServedZone): AsyncGenerator<NameRows> {
  if (state === 'parked') return;
  let current = null as { ordername: string; records: ServedRecord[] } | null;
  for await (const rows of writtenPages(tx, no)) {
    for (const { ordername, type, rdata, ttl, health, withdrawn, failing } of rows) {
      if (current?.ordername !== ordername) {
        if (current) yield { ...current, child: null };
        current = { ordername, records: [] };
      }
      current.records.push({ type, rdata, ttl, health, withdrawn, failing });
    }
  }
  if (current) yield { ...current, child: null };
}

const ZONES_AT_ONCE = 500;
const selectBelow = statement<{ tree: string; ds: string[]; names: string[] }>(
  'select tree, ds, secondary_nameservers as names from zones where tree > $1::text collate "C" and tree < $2::text collate "C" and delegation_due is null order by tree limit $3',
);

/**
 * The zones that this one delegates. In tree order, a zone comes directly before the zones below it, which are passed
 * in one step.
 */
async function* directChildren(tx: Tx, tree: string): AsyncGenerator<NameRows> {
  const end = `${tree}!`;
  let after = `${tree} `;
  for (;;) {
    const childZones = await selectBelow(tx, after, end, ZONES_AT_ONCE);
    for (const zone of childZones) {
      if (zone.tree < after) continue;
      const child = { ds: zone.ds, secondaryNameservers: zone.names };
      yield { ordername: zone.tree.slice(tree.length + 1), records: [], child };
      after = `${zone.tree}!`;
    }
    if (childZones.length < ZONES_AT_ONCE) return;
  }
}
