// Everything that changes of one zone are judged by, read with one statement and therefore from one moment: the zone,
// whether the keys may still act, the records at the names involved, and the answers that were kept for repeated
// requests.
import type { NamesBelow } from '#dns/rules/nearby-records.ts';
import { type Db, isStorable, type Tx } from './database.ts';
import type { KeptAnswer } from './idempotency.ts';
import { isValidAt } from './keys.ts';
import { ownedSetsAt, type StoredOwnedSet } from './owned-sets.ts';
import { RECORD_COLUMNS, type RecordRow } from './records.ts';
import { namedStatement } from './statement.ts';
import { type PlainZone, ZONE_COLUMNS, type ZoneRow, zoneRow } from './zones.ts';

export interface ZoneQuery {
  zoneId: string;
  /** The keys that want to change the zone. */
  keyIds: readonly string[];
  now: Date;
  /** All records at these names (as ordernames) … */
  ordernames: readonly string[];
  /** … and all at the names of the records with these ids. */
  ids: readonly string[];
  /** … and all at the names of these owners, of at most `limit` of their sets. */
  owners: { texts: readonly string[]; limit: number };
  /** Whether the owners of the records at these names are needed. */
  withOwners: boolean;
  /** Only the NS and DNAME records at these names. */
  ancestors: readonly string[];
  /** The zones with these names. */
  zoneNames: readonly string[];
  /** The names strictly below these, at most `limit` for each. */
  below: { ordernames: readonly string[]; limit: number };
  /** The answers kept under these Idempotency-Keys. */
  tokens: readonly KeyToken[];
}

interface KeyToken {
  keyId: string;
  token: string;
}

/** Whether a key may still act for the owner of the zone; see keyStanding in keys.ts. */
export interface KeyStanding {
  valid: boolean;
  member: boolean;
}

export interface LoadedZone {
  /** Null: it does not exist. */
  zone: ZoneRow | null;
  /** By key id. A key that was deleted is missing. */
  standings: ReadonlyMap<string, KeyStanding>;
  records: readonly RecordRow[];
  /** The sets of owners at the names of these records. */
  sets: readonly StoredOwnedSet[];
  cuts: readonly RecordRow[];
  children: readonly { id: string; name: string }[];
  below: readonly NamesBelow[];
  kept: readonly (KeyToken & KeptAnswer)[];
}

/** The statement has only the parts that the changes need: Postgres prepares each part for every execution. */
interface Parts {
  records: boolean;
  owners: boolean;
  sets: boolean;
  cuts: boolean;
  children: boolean;
  below: boolean;
  kept: boolean;
}

type ParameterName =
  | 'zoneId'
  | 'now'
  | 'keyIds'
  | 'ordernames'
  | 'ids'
  | 'ancestors'
  | 'zoneNames'
  | 'under'
  | 'limit'
  | 'tokenKeys'
  | 'tokens'
  | 'owners'
  | 'ownedSets';

type Row = PlainZone & {
  standings: (KeyStanding & { keyId: string })[] | null;
  records: RecordRow[] | null;
  sets: StoredOwnedSet[] | null;
  cuts: RecordRow[] | null;
  children: { id: string; name: string }[] | null;
  below: BelowRow[] | null;
  kept: (KeyToken & { requestHash: string; answer: unknown })[] | null;
};

interface BelowRow {
  under: string;
  name: string;
  ordername: string;
  count: number;
  total: number;
}

/**
 * Hides the array from the planner. Otherwise Postgres plans each execution again, because an array of few elements
 * looks cheaper than the ten that its generic plan assumes, and planning costs more than the statement.
 */
const opaque = (parameter: string) => `(select ${parameter}::text[])::text[]`;

const STANDINGS = `(select json_agg(json_build_object('keyId', k.id,
      'valid', ${isValidAt('$now')},
      'member', k.user_id is null or z.team_id is null
        or exists (select from memberships m where m.user_id = k.user_id and m.team_id = z.team_id)))
    from api_keys k where k.id = any(${opaque('$keyIds')})) as standings`;
/** The names (as ordernames) of everything that the changes concern. @param owners whether they name owners */
const names = (owners: boolean) => `(${opaque('$ordernames')}
      || array(select ordername from records where id = any(${opaque('$ids')}) and zone_no = z.no)${
        owners
          ? `
      || array(select ordername from owned_sets where zone_no = z.no and owner = any(${opaque('$owners')}) order by owner, ordername
        limit $ownedSets::integer)`
          : ''
      })`;
const recordsOf = (owners: boolean) => `(select json_agg(r) from (select ${RECORD_COLUMNS} from records
    where zone_no = z.no and ordername = any(${names(owners)}) order by ordername, type, id) r) as records`;
const setsOf = (owners: boolean) => `(${ownedSetsAt('z.no', names(owners))}) as sets`;
const CUTS = `(select json_agg(r) from (select ${RECORD_COLUMNS} from records where zone_no = z.no and type in ('NS', 'DNAME')
      and ordername = any(${opaque('$ancestors')}) order by ordername) r) as cuts`;
const CHILDREN = `(select json_agg(json_build_object('id', c.id, 'name', c.name)) from zones c
    where c.name = any(${opaque('$zoneNames')})) as children`;
const BELOW = `(select json_agg(json_build_object('under', o.under, 'name', b.name, 'ordername', b.ordername, 'count', b.count,
      'total', b.total) order by o.under, b.ordername)
    from unnest($under::text[]) o(under) cross join lateral (
      select r.name, r.ordername, count(*)::integer as count, (sum(count(*)) over ())::integer as total from records r
      where r.zone_no = z.no and r.ordername > case o.under when '' then '' else o.under || ' ' end
        and r.ordername < case o.under when '' then '~' else o.under || '!' end
      group by r.name, r.ordername order by r.ordername limit $limit::integer) b) as below`;
const KEPT = `(select json_agg(json_build_object('keyId', i.key_id, 'token', i.token, 'requestHash', encode(i.request_hash, 'hex'),
      'answer', i.answer))
    from unnest($tokenKeys::text[], $tokens::text[]) t(key_id, token) join idempotency i using (key_id, token)) as kept`;

const texts = new Map<string, ReturnType<typeof namedStatement<Row, ParameterName>>>();

function buildLoad(parts: Parts): ReturnType<typeof namedStatement<Row, ParameterName>> {
  const key = Object.values(parts).join();
  const knownLoad = texts.get(key);
  if (knownLoad !== undefined) return knownLoad;
  const columns = [
    ZONE_COLUMNS,
    STANDINGS,
    ...(parts.records ? [recordsOf(parts.owners)] : []),
    ...(parts.sets ? [setsOf(parts.owners)] : []),
    ...(parts.cuts ? [CUTS] : []),
    ...(parts.children ? [CHILDREN] : []),
    ...(parts.below ? [BELOW] : []),
    ...(parts.kept ? [KEPT] : []),
  ];
  // The row without a zone still says whether the keys are valid.
  const newLoad = namedStatement<Row, ParameterName>(
    `select ${columns.join(', ')} from (select) one left join zones z on z.id = $zoneId`,
  );
  texts.set(key, newLoad);
  return newLoad;
}

/** Takes one round trip for a zone of any size. */
export async function loadZone(on: Db | Tx, query: ZoneQuery): Promise<LoadedZone> {
  const { zoneId, keyIds, now, ordernames, owners, ancestors, zoneNames, below, tokens } = query;
  const ids = query.ids.filter(isStorable);
  const load = buildLoad({
    records: ordernames.length + ids.length + owners.texts.length > 0,
    owners: owners.texts.length > 0,
    sets: query.withOwners,
    cuts: ancestors.length > 0,
    children: zoneNames.length > 0,
    below: below.ordernames.length > 0,
    kept: tokens.length > 0,
  });
  const [row] = await load(on, {
    zoneId: () => (isStorable(zoneId) ? zoneId : ''),
    now: () => now.toISOString(),
    keyIds: () => keyIds,
    ordernames: () => ordernames,
    ids: () => ids,
    ancestors: () => ancestors,
    zoneNames: () => zoneNames,
    under: () => below.ordernames,
    limit: () => below.limit,
    tokenKeys: () => tokens.map(({ keyId }) => keyId),
    tokens: () => tokens.map(({ token }) => token),
    owners: () => owners.texts,
    ownedSets: () => owners.limit,
  });
  const { standings, records, sets, cuts, children, below: belowRows, kept, ...zone } = row as Row;
  return {
    zone: zone.id === null ? null : zoneRow(zone),
    standings: new Map((standings ?? []).map(({ keyId, ...standing }) => [keyId, standing])),
    records: records ?? [],
    sets: sets ?? [],
    cuts: cuts ?? [],
    children: children ?? [],
    below: groupBelow(belowRows ?? []),
    kept: (kept ?? []).map((each) => ({ ...each, requestHash: Buffer.from(each.requestHash, 'hex') })),
  };
}

function groupBelow(rows: readonly BelowRow[]): NamesBelow[] {
  const entryByName = new Map<string, NamesBelow>();
  for (const { under, name, ordername, count, total } of rows) {
    const entry = entryByName.get(under) ?? { under, names: [], total };
    entry.names.push({ name, ordername, count });
    entryByName.set(under, entry);
  }
  return [...entryByName.values()];
}
