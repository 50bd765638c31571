-- Any octets may be asked for as a label (RFC 2181 section 11). PowerDNS hands an ordername on as text, in which blanks, octets
-- that are not printable, dots within a label and backslashes are escaped (RFC 1035 section 5.1), and an escape sorts elsewhere than
-- its octet does: the NSEC of `a b` was that of another gap, so that validators took the denial for bogus.
--
-- No stored name has such an octet, so that the first one decides where the name would stand, and only between which stored
-- characters it sorts matters: before `*`, the first of them, or behind `z`, the last.
create function pdns.place(ord text) returns text language sql immutable parallel safe as $$
  select case
    when strpos(ord, '\') = 0 then ord
    else left(ord, strpos(ord, '\') - 1) || case
      -- '!' is behind the blank that ends a label: nothing sorts before an octet (RFC 4034 section 6.1).
      when substr(ord, strpos(ord, '\') + 1) ~ '^[0-9]{3}' then
        case when substr(ord, strpos(ord, '\') + 1, 3)::integer <= 32 then '!' else '~' end
      else substr(ord, strpos(ord, '\') + 1, 1) end
    end
$$;
--> statement-breakpoint
create or replace function pdns.order_before(ord text, zone_no integer) returns table (ordername text, name text)
language sql stable as $$
  select p, pdns.absolute(zone_no, p) from pdns.previous_name(zone_no, pdns.place(ord)) p where p is not null
$$;
--> statement-breakpoint
create or replace function pdns.order_after(ord text, zone_no integer) returns table (ordername text) language sql stable as $$
  select n from pdns.next_name(zone_no, pdns.place(ord), false) n where n is not null
$$;
--> statement-breakpoint
revoke all on function pdns.place(text) from public;
--> statement-breakpoint
grant execute on function pdns.place(text) to pdns;
