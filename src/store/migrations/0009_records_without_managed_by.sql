-- Contract: the owners of a record are in record_owners, and no version that this one follows uses the column. A new database
-- never had it.
alter table records drop column if exists managed_by;
