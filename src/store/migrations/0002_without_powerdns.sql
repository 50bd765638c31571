-- Removes what PowerDNS needed from a database of before the name servers read the feed: its schema, and the indexes that its companion
-- used. The previous version no longer uses them. A new database has none of it.
--
-- All locks first, in the order in which a change of records takes them.
lock table zones, records, changes in access exclusive mode;
--> statement-breakpoint
drop schema if exists pdns cascade;
--> statement-breakpoint
drop index if exists zones_changed_xid_idx, zones_uncounted_idx, records_cuts_idx;
--> statement-breakpoint
alter table changes drop column if exists xid;
--> statement-breakpoint
alter table zones set (fillfactor = 80);
