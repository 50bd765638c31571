-- What list and check zones (AXFR, pdnsutil) is spelled as PowerDNS itself spells it: names without their final dot, the
-- first number of MX and SRV in its own column, the value of alpn without quotes where it needs none and that of ech with them. Otherwise
-- `pdnsutil check-all-zones` warns of every such record, and a warning that matters drowns.
-- Questions are answered from pdns.lookup, which stays as it is: there the spelling makes no difference, and costs time.
alter view pdns.records rename to served;
--> statement-breakpoint
create function pdns.spelling(type text, content text) returns text language sql immutable parallel safe as $$
  select case
    when type in ('MX', 'SRV') then regexp_replace(regexp_replace(content, '^\d+ ', ''), '([^ ])\.$', '\1')
    when type in ('NS', 'CNAME', 'PTR') then regexp_replace(content, '(.)\.$', '\1')
    when type = 'HTTPS' then
      regexp_replace(regexp_replace(regexp_replace(content, '^(\d+ [^ ]+)\.( |$)', '\1\2'),
        ' alpn="([^"\\]*)"', ' alpn=\1'), ' ech=([^" ]+)', ' ech="\1"')
    else content end
$$;
--> statement-breakpoint
create view pdns.records as
  select id, domain_id, name, type, pdns.spelling(type, content) as content, ttl,
    case when type in ('MX', 'SRV') then substring(content from '^\d+')::integer end as prio, disabled, ordername, auth
  from pdns.served;
--> statement-breakpoint
revoke all on function pdns.spelling(text, text) from public;
--> statement-breakpoint
grant execute on function pdns.spelling(text, text) to pdns;
--> statement-breakpoint
grant select on pdns.records to pdns;
