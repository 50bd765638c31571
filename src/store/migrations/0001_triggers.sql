-- Triggers, and other parts of the schema that drizzle cannot express.
--
-- An ordername is the owner name relative to the zone with its labels reversed, joined by one space, '' at the apex. In byte order this
-- is DNSSEC's canonical order (RFC 4034 section 6.1), and "below name x" is the range from x || ' ' up to x || '!' ('!' is the byte
-- after the space).

-- A CNAME is the only record at its name (RFC 1034 section 3.6.2). The check runs once for each statement instead of once for each row:
-- an import writes a thousand rows with one statement, and the trigger took half of its time. The check locks the row of the zone and
-- runs after the rows are written, so it sees the rows that another writer committed while it held the zone.
create function cname_stands_alone_in_statement() returns trigger language plpgsql
-- Each row is looked up by the index, however large Postgres believes the tables to be: the plan is made once a connection.
set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off as $$
begin
  perform from zones where no in (select w.zone_no from written w) order by no for no key update;
  if exists (select from written w join records r on r.zone_no = w.zone_no and r.ordername = w.ordername
               where w.type <> 'CNAME' and r.type = 'CNAME' and r.id <> w.id)
     or exists (select from written w join records r on r.zone_no = w.zone_no and r.ordername = w.ordername
               where w.type = 'CNAME' and r.type <> 'CNAME' and r.id <> w.id) then
    raise exception 'a CNAME stands alone at its name' using errcode = 'exclusion_violation', constraint = 'records_cname_alone';
  end if;
  return null;
end $$;
--> statement-breakpoint
create trigger records_cname_alone_insert after insert on records referencing new table as written
  for each statement execute function cname_stands_alone_in_statement();
--> statement-breakpoint
create trigger records_cname_alone_update after update on records referencing new table as written
  for each statement execute function cname_stands_alone_in_statement();
--> statement-breakpoint
-- An ALIAS has the row of its target from the moment it commits, also if it was written past the api. The resolver of the api fills
-- the row, and deletes rows that no record needs when they are due.
create function alias_wants_answer() returns trigger language plpgsql as $$
begin
  insert into alias_answers (target, owner)
    select new.rdata, coalesce(z.team_id, z.user_id) from zones z where z.no = new.zone_no
    on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger records_alias_wants_answer after insert or update of rdata on records
  for each row when (new.type = 'ALIAS') execute function alias_wants_answer();
--> statement-breakpoint
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
--> statement-breakpoint
-- Each node changes its row every second, and each change of records that of its zone. With room in its page, Postgres replaces the row
-- there, and no index changes.
alter table nodes set (fillfactor = 50);
--> statement-breakpoint
alter table zones set (fillfactor = 80);
