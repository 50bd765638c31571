-- The plan of a function's statement is made once a connection and kept. Made while there are some hundred records, it reads them
-- all, since they are few; an import of thousands in one transaction, in which nobody counts anew, then reads all those before it for
-- each one. By the index it costs the same however many there are.
alter function cname_stands_alone() set enable_seqscan = off;
