-- Contract: a database of an earlier version has the schema of PowerDNS, and indexes and a column for its companion. The previous version
-- no longer uses them. A new database has none of them.
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
