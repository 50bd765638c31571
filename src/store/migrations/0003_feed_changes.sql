CREATE TABLE "feed_changes" (
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"no" bigint GENERATED ALWAYS AS IDENTITY (sequence name "feed_changes_no_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"kind" text NOT NULL,
	"zone_id" text,
	"zone_name" text collate "C",
	"names" text[],
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feed_changes_pkey" PRIMARY KEY("xid","no"),
	CONSTRAINT "feed_changes_kind" CHECK (case "feed_changes"."kind" when 'all' then "feed_changes"."zone_id" is null when 'changed' then "feed_changes"."zone_id" is not null
        when 'gone' then "feed_changes"."zone_id" is not null and "feed_changes"."zone_name" is not null else false end)
);
--> statement-breakpoint
CREATE TABLE "feed_positions" (
	"horizon" "xid8" PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "alias_answers" ADD COLUMN "unmarked_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "service" ADD COLUMN "changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
-- A change of the answers of a zone sets its changed_xid. The service writes the changed names next to it, in the same statement. This
-- trigger adds the rows that nobody else writes: for zones that are created or deleted, and for a change by a version that does not
-- know the table. Such a change does not tell its names, so it counts as a change of the whole zone.
create function announce_zone() returns trigger language plpgsql
-- The row is looked up by the index, however large Postgres believes the table to be: the plan is made once a connection.
set enable_seqscan = off as $$
begin
  if tg_op = 'DELETE' then
    insert into feed_changes (kind, zone_id, zone_name) values ('gone', old.id, old.name);
  elsif tg_op = 'INSERT' then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  elsif not exists (select from feed_changes f where f.xid = new.changed_xid and f.zone_id = new.id) then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger zones_announced after insert or delete on zones for each row execute function announce_zone();
--> statement-breakpoint
create trigger zones_change_announced after update of changed_xid on zones
  for each row when (old.changed_xid is distinct from new.changed_xid) execute function announce_zone();
--> statement-breakpoint
-- The name servers and the contact in every zone.
create function announce_service() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  insert into feed_changes (kind) values ('all');
  return new;
end $$;
--> statement-breakpoint
-- After, because a trigger before would also run for an insert that finds the row and leaves it as it is.
create trigger service_made_announced after insert on service for each row execute function announce_service();
--> statement-breakpoint
create trigger service_change_announced before update on service
  for each row when ((old.nameservers, old.hostmaster) is distinct from (new.nameservers, new.hostmaster))
  execute function announce_service();
