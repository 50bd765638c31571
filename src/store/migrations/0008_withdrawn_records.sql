-- Judges many records with one query: a function call for each record took most of the time of a drain.

-- Whether all owners of each record are withdrawn. An owner `k8s:<cluster>/…` is withdrawn while its cluster is drained, and while its
-- cluster is lost if the set says so. A record without owners is not withdrawn.
create function withdrawn_of(ids text[]) returns table (record_id text, is_withdrawn boolean) language plpgsql stable
-- The rows are looked up by their indexes, however large Postgres believes the tables to be: the plan is made once a connection.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return query
    select i.id, coalesce(bool_and(c.name is not null
      and (c.drained_at is not null or (c.lost_at is not null and s.when_cluster_lost = 'Withdraw')))
      filter (where s.id is not null), false)
    from unnest(ids) i(id) left join record_owners o on o.record_id = i.id left join owned_sets s on s.id = o.set_id
      left join zones z on z.no = s.zone_no
      left join clusters c on c.owner = coalesce(z.team_id, z.user_id) and c.name = split_part(substr(s.owner, 5), '/', 1)
        and s.owner like 'k8s:%/%'
    group by i.id;
end $$;
--> statement-breakpoint
-- Corrects `withdrawn` of some records, and announces their names with a new serial of their zones. The caller holds the zones locked.
create or replace function correct_withdrawn(ids text[]) returns integer language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  corrected integer;
begin
  with changed as (
    update records r set withdrawn = w.is_withdrawn from withdrawn_of(ids) w
    where r.id = w.record_id and r.withdrawn <> w.is_withdrawn
    returning r.zone_no, r.name
  ), concerned as (
    select zone_no, array_agg(distinct name) as names, count(*)::integer as records from changed group by zone_no
  ), marked as (
    update zones z set changed_xid = pg_current_xact_id(),
      serial = case when z.serial < floor(extract(epoch from now())) then floor(extract(epoch from now()))::bigint
        else z.serial % 4294967295 + 1 end
    from concerned c where z.no = c.zone_no returning z.id, c.names
  ), announced as (
    insert into feed_changes (kind, zone_id, names)
    select 'changed', id, case when cardinality(names) <= 1000 then names end from marked
  )
  select coalesce(sum(records), 0) into corrected from concerned;
  return corrected;
end $$;
--> statement-breakpoint
drop function is_withdrawn(text);
