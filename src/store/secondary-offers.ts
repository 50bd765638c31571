// Rows of the secondaries that zone owners may choose, and of their choices.
import type { Db, Tx } from './database.ts';
import { LIVING_SECONDS } from './nodes.ts';
import type { SecondaryBehind } from './secondary-tables.ts';
import { statement } from './statement.ts';

/** A secondary as it is offered to the owners of zones. */
export interface SecondaryOffer {
  name: string;
  nameservers: string[];
  allZones: boolean;
  /**
   * Null: for every zone of the team; otherwise for those of these Kubernetes namespaces, which only the operator can
   * tell.
   */
  namespaces: string[] | null;
}

const selectOffered = statement<SecondaryOffer>(`
  select s.name, s.nameservers, s.all_zones as "allZones",
    case when s.offered_to_all or o.whole then null else o.namespaces end as namespaces
  from secondaries s cross join lateral (
    select coalesce(bool_or(f.namespace = ''), false) as whole,
      array_agg(distinct f.namespace order by f.namespace) filter (where f.namespace <> '') as namespaces
    from secondary_offers f where f.secondary = s.name and f.team_id = any($1::text[])) o
  where s.offered_to_all or o.whole or o.namespaces is not null
  order by s.name`);

/** The secondaries that are offered to at least one of these teams, or to all teams; by name. */
export async function offeredTo(db: Db | Tx, teamIds: readonly string[]): Promise<SecondaryOffer[]> {
  return [...(await selectOffered(db, teamIds))];
}

export interface Offer {
  secondary: string;
  /** The name of the team. */
  team: string;
  /** Empty: every zone of the team. */
  namespace: string;
}

const selectOffers = statement<Offer>(`
  select o.secondary, t.name as team, o.namespace from secondary_offers o join teams t on t.id = o.team_id
  order by o.secondary, t.name, o.namespace`);

/** The offers to some, of all secondaries. */
export async function allOffers(db: Db | Tx): Promise<Offer[]> {
  return [...(await selectOffers(db))];
}

const clearOffers = statement('delete from secondary_offers where secondary = $1');
const addOffers = statement(`
  insert into secondary_offers (secondary, team_id, namespace)
  select $1, o.team, o.namespace from unnest($2::text[], $3::text[]) o(team, namespace) on conflict do nothing`);

/** Replaces the offers of the secondary to some. Zones that have it keep it. */
export async function writeOffers(
  tx: Tx,
  secondary: string,
  offers: readonly { teamId: string; namespace: string }[],
): Promise<void> {
  await clearOffers(tx, secondary);
  const [teams, namespaces] = [offers.map(({ teamId }) => teamId), offers.map(({ namespace }) => namespace)];
  await addOffers(tx, secondary, teams, namespaces);
}

/** A secondary that has a zone, and the last report about it. */
export interface SecondaryOfZone {
  name: string;
  nameservers: string[];
  allZones: boolean;
  byAdministrator: boolean;
  byOwner: boolean;
  /** Null: no report is remembered. */
  report: SecondaryReportOfZone | null;
}

export interface SecondaryReportOfZone {
  /** When it was stored. */
  at: string;
  /** Whether the source wrote it within the time in which a node counts as living. */
  isFresh: boolean;
  /** Whether the source had applied the last change of the zone when it compared the serials. */
  hasLastChange: boolean;
  /** Whether the zone was listed so lately that the source may not have known it. */
  isNew: boolean;
  /** Why the secondary does not answer; null: it answers. */
  silent: string | null;
  /** The length of the list of zones that are not current. */
  listed: number;
  /** The entry of this zone in the list. */
  lag: SecondaryBehind | null;
}

type Row = Omit<SecondaryOfZone, 'report'> & { [K in keyof SecondaryReportOfZone]: SecondaryReportOfZone[K] | null };

/** A source learns of a new zone of a secondary, and asks the secondary for it, within this time. */
const LEARN_SECONDS = 5;

// A report without a position counts as made when it was stored.
const selectOfZone = statement<Row>(`
  select s.name, s.nameservers, s.all_zones as "allZones", coalesce(l.by_administrator, false) as "byAdministrator",
    coalesce(l.by_owner, false) as "byOwner", r.at, r.silent, jsonb_array_length(r.behind) as listed,
    r.node = p.source and r.at > statement_timestamp() - interval '${LIVING_SECONDS} s' as "isFresh",
    coalesce(pg_visible_in_snapshot(z.changed_xid, r.position) and pg_visible_in_snapshot(x.changed_xid, r.position),
      r.at > z.updated_at) as "hasLastChange",
    l.listed_at > r.at - interval '${LEARN_SECONDS} s' as "isNew",
    (select b.entry from jsonb_array_elements(r.behind) b(entry) where b.entry ->> 'zone' = z.id limit 1) as lag
  from zones z cross join service x cross join transfer_plan p cross join secondaries s
    left join zone_secondaries l on l.secondary = s.name and l.zone_id = z.id
    left join secondary_reports r on r.secondary = s.name
  where z.id = $1 and (s.all_zones or l.zone_id is not null)
  order by s.name`);

/** The secondaries that have the zone, by name. */
export async function secondariesOfZone(db: Db | Tx, zoneId: string): Promise<SecondaryOfZone[]> {
  const rows = await selectOfZone(db, zoneId);
  return rows.map(({ at, isFresh, hasLastChange, isNew, silent, listed, lag, ...row }) => ({
    ...row,
    report:
      at === null
        ? null
        : {
            at,
            isFresh: isFresh === true,
            hasLastChange: hasLastChange === true,
            isNew: isNew === true,
            silent,
            listed: listed ?? 0,
            lag,
          },
  }));
}

const selectChosen = statement<{ secondary: string }>(
  'select secondary from zone_secondaries where zone_id = $1 and by_owner order by secondary',
);

/** The secondaries that the owner of the zone chose, by name. */
export async function chosenByOwner(db: Db | Tx, zoneId: string): Promise<string[]> {
  return (await selectChosen(db, zoneId)).map(({ secondary }) => secondary);
}

const addChoice = statement(`
  insert into zone_secondaries (zone_id, secondary, by_administrator, by_owner)
  select $1, n, false, true from unnest($2::text[]) n
  on conflict (zone_id, secondary) do update set by_owner = true`);
const dropChoice = statement(
  'update zone_secondaries set by_owner = false where zone_id = $1 and by_owner and secondary <> all($2::text[])',
);
const dropUnlisted = statement(
  'delete from zone_secondaries where zone_id = $1 and not by_owner and not by_administrator',
);

/** Makes these secondaries the choice of the owner. Those that the administrator listed stay. */
export async function writeChoice(tx: Tx, zoneId: string, names: readonly string[]): Promise<void> {
  await addChoice(tx, zoneId, names);
  await dropChoice(tx, zoneId, names);
  await dropUnlisted(tx, zoneId);
}

const shareSecondaries = statement(`select pg_advisory_xact_lock_shared(${0x73656364})`);
const holdSecondaries = statement(`select pg_advisory_xact_lock(${0x73656364})`);

/**
 * Locks the secondaries until the transaction ends, before any zone: choices of owners run side by side, and none runs
 * while the administrator changes a secondary, so that the names of each zone are those of its secondaries afterwards.
 */
export async function lockSecondaries(tx: Tx, by: 'owner' | 'administrator'): Promise<void> {
  await (by === 'owner' ? shareSecondaries : holdSecondaries)(tx);
}
