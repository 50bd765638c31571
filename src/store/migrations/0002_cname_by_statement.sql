-- This migration takes its strongest lock first. Creating a trigger takes a weaker lock than dropping one. A writer that reads the table
-- before the first lock and writes to it before the second would be in a deadlock, and Postgres cancels such a writer at once.
lock table records in access exclusive mode;
--> statement-breakpoint
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
drop trigger records_cname_alone on records;
--> statement-breakpoint
drop function cname_stands_alone();
