CREATE TABLE "cluster_watch" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"since" timestamp with time zone DEFAULT now() NOT NULL,
	"ticked_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "cluster_watch_one" CHECK ("cluster_watch"."one")
);
--> statement-breakpoint
CREATE TABLE "clusters" (
	"owner" text collate "C" NOT NULL,
	"name" text collate "C" NOT NULL,
	"heartbeat_at" timestamp with time zone DEFAULT now() NOT NULL,
	"drained_at" timestamp with time zone,
	"lost_at" timestamp with time zone,
	"unmarked_since" timestamp with time zone,
	"settle_xid" "xid8",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "clusters_pkey" PRIMARY KEY("owner","name"),
	CONSTRAINT "clusters_name" CHECK (length("clusters"."name") between 1 and 63)
);
--> statement-breakpoint
ALTER TABLE "owned_sets" ADD COLUMN "when_cluster_lost" text DEFAULT 'Keep' NOT NULL;--> statement-breakpoint
ALTER TABLE "records" ADD COLUMN "withdrawn" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "clusters_away_idx" ON "clusters" USING btree ("owner") WHERE "clusters"."drained_at" is not null or "clusters"."lost_at" is not null or "clusters"."unmarked_since" is not null;--> statement-breakpoint
ALTER TABLE "owned_sets" ADD CONSTRAINT "owned_sets_when_cluster_lost" CHECK ("owned_sets"."when_cluster_lost" in ('Keep', 'Withdraw'));--> statement-breakpoint
INSERT INTO "cluster_watch" DEFAULT VALUES;
--> statement-breakpoint
-- Whether all owners of a record are withdrawn. An owner `k8s:<cluster>/…` is withdrawn while its cluster is drained, and while its
-- cluster is lost if the set says so. A record without owners is not withdrawn.
create function is_withdrawn(of_record text) returns boolean language plpgsql stable
-- The rows are looked up by their indexes, however large Postgres believes the tables to be: the plan is made once a connection.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  return coalesce((
    select bool_and(c.drained_at is not null or (c.lost_at is not null and s.when_cluster_lost = 'Withdraw')) and bool_and(c.name is not null)
    from record_owners o join owned_sets s on s.id = o.set_id join zones z on z.no = s.zone_no
      left join clusters c on c.owner = coalesce(z.team_id, z.user_id) and c.name = split_part(substr(s.owner, 5), '/', 1)
        and s.owner like 'k8s:%/%'
    where o.record_id = of_record), false);
end $$;
--> statement-breakpoint
-- Corrects `withdrawn` of some records, and announces their names with a new serial of their zones. The caller holds the zones locked.
create function correct_withdrawn(ids text[]) returns integer language plpgsql
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  corrected integer;
begin
  with changed as (
    update records r set withdrawn = not r.withdrawn where r.id = any(ids) and r.withdrawn <> is_withdrawn(r.id)
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
-- Nearly always no cluster is away, and the first look ends the work. Each statement here sees every earlier commit, so a
-- transaction that does not see a new state of a cluster had begun to write before that state was committed. The marking of records
-- in store/cluster-marks.ts waits for it.
create function owners_changed() returns trigger language plpgsql as $$
begin
  if exists (select from clusters where drained_at is not null or lost_at is not null or unmarked_since is not null) then
    perform correct_withdrawn(array(select distinct record_id from changed));
  end if;
  return null;
end $$;
--> statement-breakpoint
create function when_cluster_lost_changed() returns trigger language plpgsql as $$
begin
  if exists (select from clusters where drained_at is not null or lost_at is not null or unmarked_since is not null) then
    perform correct_withdrawn(array(select record_id from record_owners where set_id = new.id));
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger record_owners_added after insert on record_owners referencing new table as changed
  for each statement execute function owners_changed();
--> statement-breakpoint
create trigger record_owners_removed after delete on record_owners referencing old table as changed
  for each statement execute function owners_changed();
--> statement-breakpoint
create trigger owned_sets_when_cluster_lost after update on owned_sets for each row
  when (old.when_cluster_lost <> new.when_cluster_lost) execute function when_cluster_lost_changed();
