CREATE TABLE "departing_zones" (
	"zone_id" text PRIMARY KEY NOT NULL,
	"zone_name" text collate "C" NOT NULL,
	"xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"due" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "delegation_xid" "xid8";--> statement-breakpoint
ALTER TABLE "zones" ADD COLUMN "delegation_due" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "departing_zones_due_idx" ON "departing_zones" USING btree ("due");--> statement-breakpoint
CREATE INDEX "departing_zones_name_idx" ON "departing_zones" USING btree ("zone_name");--> statement-breakpoint
CREATE INDEX "zones_delegation_idx" ON "zones" USING btree ("delegation_due") WHERE "zones"."delegation_due" is not null;--> statement-breakpoint
ALTER TABLE "zones" ADD CONSTRAINT "zones_delegation" CHECK (("zones"."delegation_xid" is null) = ("zones"."delegation_due" is null));
--> statement-breakpoint
-- The nodes keep a deleted zone until no living node delegates it: the row that tells them to remove it follows later. Otherwise as
-- before.
create or replace function announce_zone() returns trigger language plpgsql
-- The row is looked up by the index, however large Postgres believes the table to be: the plan is made once a connection.
set enable_seqscan = off as $$
begin
  if tg_op = 'DELETE' then
    if not exists (select from departing_zones d where d.zone_id = old.id) then
      insert into feed_changes (kind, zone_id, zone_name) values ('gone', old.id, old.name);
    end if;
  elsif tg_op = 'INSERT' then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  elsif not exists (select from feed_changes f where f.xid = new.changed_xid and f.zone_id = new.id) then
    insert into feed_changes (kind, zone_id) values ('changed', new.id);
  end if;
  return null;
end $$;
