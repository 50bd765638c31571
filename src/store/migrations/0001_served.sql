-- Everything that PowerDNS reads. The configuration of a name server holds only `select ... from pdns.f($1, $2)`, so it never changes
-- with the tables. Everything derived (SOA, apex NS, auth, empty non-terminals, parking, the lowest TTL of an RRset,
-- NS and DS of hosted child zones) is computed here, at read time: a change never has to touch another row.
--
-- Names arrive lower case, absolute, without the final dot. An ordername is the owner name relative to the zone with its
-- labels reversed, joined by one space, '' at the apex; in byte order this is DNSSEC's canonical order (RFC 4034 6.1),
-- and "below name x" is the range from x || ' ' up to x || '!' ('!' is the byte after the space).

create schema pdns;
--> statement-breakpoint

-- A CNAME is the only record at its name (RFC 1034 section 3.6.2). The API checks first, with a better message. This trigger
-- locks the row of the zone as the API does, so that two writers cannot pass each other.
create function cname_stands_alone() returns trigger language plpgsql
-- The row is looked up by the index, however large Postgres believes the table to be: the plan is made once a connection.
set enable_seqscan = off as $$
begin
  perform from zones where no = new.zone_no for no key update;
  if exists (select from records r where r.zone_no = new.zone_no and r.ordername = new.ordername and r.id <> new.id
             and (r.type = 'CNAME') <> (new.type = 'CNAME')) then
    raise exception 'a CNAME stands alone at its name' using errcode = 'exclusion_violation', constraint = 'records_cname_alone';
  end if;
  return new;
end $$;
--> statement-breakpoint

create trigger records_cname_alone before insert or update on records for each row execute function cname_stands_alone();
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

create function pdns.ordername(relative text) returns text language sql immutable parallel safe as $$
  select coalesce(string_agg(label, ' ' order by i desc), '') from unnest(string_to_array(relative, '.')) with ordinality l(label, i)
$$;
--> statement-breakpoint

-- A query may have any octets in a label (RFC 2181 section 11). PowerDNS passes an ordername as text, in which it escapes blanks,
-- octets that are not printable, dots within a label and backslashes (RFC 1035 section 5.1). An escape does not sort where its octet
-- sorts, so the NSEC of `a b` would be that of another gap, and validators would call the denial bogus.
--
-- No stored name has such an octet. The first one therefore decides where the name sorts, and only the stored characters around it
-- matter: before `*`, the first of them, or after `z`, the last.
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

create function pdns.soa_content(serial bigint) returns text language sql stable security definer set search_path = '' as $$
  -- Negative answers live min(SOA TTL, minimum) = 60 s (RFC 2308 5): an ACME client that looks too early must not wait long.
  select s.nameservers[1] || '. ' || s.hostmaster || '. ' || serial || ' 10800 3600 604800 60' from public.service s
$$;
--> statement-breakpoint

-- basic-query: the enclosing zone is found by asking for the SOA of ever shorter names.
create function pdns.soa(qtype text, qname text)
returns table (content text, ttl integer, prio integer, type text, domain_id integer, disabled integer, name text, auth integer)
language sql stable security definer set search_path = '' as $$
  select pdns.soa_content(z.serial), 300, null::integer, 'SOA', z.no, 0, z.name, 1
  from public.zones z where z.name = qname collate "C" and qtype = 'SOA'
$$;
--> statement-breakpoint

-- The ancestors of an ordername below the apex, without the name itself: 'c b a' -> {'c', 'c b'}.
create function pdns.ancestors(ord text) returns text[] language sql immutable parallel safe as $$
  select array(select array_to_string(l[1:i], ' ') from string_to_array(ord, ' ') l, generate_series(1, cardinality(l) - 1) i)
$$;
--> statement-breakpoint

-- The topmost zone cut at a proper ancestor of a name, null when the name is authoritative.
-- A parked zone keeps only the cuts of hosted child zones.
create function pdns.cut_above(zone_no integer, tree text, parked boolean, ord text) returns text
language plpgsql stable security definer set search_path = '' as $$
declare
  above text[];
begin
  if strpos(ord, ' ') = 0 then return null; end if;
  above := pdns.ancestors(ord);
  return (select min(c) from (
    select r.ordername as c from public.records r
      where not parked and r.zone_no = cut_above.zone_no and r.type = 'NS' and r.ordername = any (above)
    union all
    select substr(z.tree, length(cut_above.tree) + 2) from public.zones z
      where z.tree = any (select cut_above.tree || ' ' || a from unnest(above) a)) cuts);
end $$;
--> statement-breakpoint

-- Strict: nothing runs for records of other types, whose target is null.
create function pdns.alias_rows(target text, owner text) returns table (type text, address text, ttl integer)
language sql stable strict security definer set search_path = '' as $$
  select 'A', unnest(a.ipv4), a.ttl from public.alias_answers a
    where a.target = alias_rows.target collate "C" and a.owner = alias_rows.owner collate "C"
  union all
  select 'AAAA', unnest(a.ipv6), a.ttl from public.alias_answers a
    where a.target = alias_rows.target collate "C" and a.owner = alias_rows.owner collate "C"
$$;
--> statement-breakpoint

create function pdns.lookup(qname text, zone_no integer)
returns table (content text, ttl integer, prio integer, type text, domain_id integer, disabled integer, name text, auth integer)
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  z record;
  ord text;
  occluded boolean := false;
  cut boolean := false;
begin
  select zones.name, zones.tree, zones.state = 'parked' as parked, zones.default_ttl, zones.serial,
      coalesce(zones.team_id, zones.user_id) as owner into z
    from public.zones where zones.no = zone_no;
  if not found then return; end if;

  if qname = z.name then
    ord := '';
    return query select pdns.soa_content(z.serial), 300, null::integer, 'SOA', zone_no, 0, qname, 1;
    return query select ns || '.', 3600, null::integer, 'NS', zone_no, 0, qname, 1
      from public.service s, unnest(s.nameservers) ns;
  else
    ord := pdns.ordername(left(qname, length(qname) - length(z.name) - 1));
    occluded := pdns.cut_above(zone_no, z.tree, z.parked, ord) is not null;
    -- The delegation of a hosted child zone, signed in this zone. It hides all records of this zone at or below the name. This zone
    -- says nothing about a child zone below a cut: PowerDNS answers a query for its DS with a referral to the servers of the cut.
    return query select rr.content, 3600, null::integer, rr.type, zone_no, 0, qname, case when rr.type = 'DS' then 1 else 0 end
      from public.zones child cross join lateral (
        select ns || '.' as content, 'NS' as type from public.service s, unnest(s.nameservers) ns
        union all select d, 'DS' from unnest(child.ds) d) rr
      where not occluded and child.tree = z.tree || ' ' || ord;
    if found then return; end if;
  end if;

  if not z.parked then
    if ord <> '' then
      cut := exists (select from public.records r where r.zone_no = lookup.zone_no and r.ordername = ord and r.type = 'NS');
    end if;
    -- An ALIAS stands for the addresses of its target: one row each, none while the target was never resolved.
    return query select coalesce(a.address, r.rdata),
        (min(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by coalesce(a.type, r.type)))::integer, null::integer,
        coalesce(a.type, r.type), zone_no, 0, qname, case when occluded or (cut and r.type <> 'DS') then 0 else 1 end
      from public.records r left join lateral pdns.alias_rows(case when r.type = 'ALIAS' then r.rdata end, z.owner) a on true
      where r.zone_no = lookup.zone_no and r.ordername = ord and (r.type <> 'ALIAS' or a.address is not null);
    if found or ord = '' then return; end if;
  elsif ord = '' then
    return;
  end if;

  -- An empty non-terminal: nothing here, something below (RFC 4592 2.2.2). PowerDNS knows it by a row without a type.
  -- So is the name of an ALIAS without addresses: it exists (the NSEC chain holds it) and has nothing to answer.
  if (not z.parked and (exists (select from public.records r where r.zone_no = lookup.zone_no and r.ordername = ord)
        or exists (select from public.records r
          where r.zone_no = lookup.zone_no and r.ordername > ord || ' ' and r.ordername < ord || '!')))
     or exists (select from public.zones c
        where c.tree > z.tree || ' ' || ord || ' ' and c.tree < z.tree || ' ' || ord || '!') then
    return query select null::text, z.default_ttl, null::integer, null::text, zone_no, 0, qname,
      case when occluded then 0 else 1 end;
  end if;
end $$;
--> statement-breakpoint

-- The NSEC chain is the owner names that are authoritative or a zone cut. The next (or previous) one is found by index
-- steps; a name below a cut is not in the chain, and one step leaps over all that is below the same cut.
create function pdns.next_name(zone_no integer, ord text, inclusive boolean) returns text
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  z record;
  at text := ord;
  candidate text;
  cut text;
begin
  select zones.tree, zones.state = 'parked' as parked into z from public.zones where zones.no = zone_no;
  if not found then return null; end if;
  if inclusive and at = '' then return ''; end if;
  loop
    candidate := (select min(n) from (
      (select r.ordername as n from public.records r
        where not z.parked and r.zone_no = next_name.zone_no and r.ordername > at order by r.ordername limit 1)
      union all
      (select substr(c.tree, length(z.tree) + 2) from public.zones c
        where c.tree > z.tree || ' ' || at and c.tree < z.tree || '!' order by c.tree limit 1)) names);
    if candidate is null then return null; end if;
    cut := pdns.cut_above(zone_no, z.tree, z.parked, candidate);
    if cut is null then return candidate; end if;
    -- The cut sorts before all names below it, so the search has passed it already. The names below it sort before cut || '!'.
    at := cut || '!';
  end loop;
end $$;
--> statement-breakpoint

create function pdns.previous_name(zone_no integer, ord text) returns text
language plpgsql stable security definer set search_path = '' as $$
#variable_conflict use_variable
declare
  z record;
  candidate text;
begin
  select zones.tree, zones.state = 'parked' as parked into z from public.zones where zones.no = zone_no;
  if not found then return null; end if;
  candidate := (select max(n) from (
    select '' as n
    union all
    (select r.ordername from public.records r
      where not z.parked and r.zone_no = previous_name.zone_no and r.ordername <= ord order by r.ordername desc limit 1)
    union all
    (select substr(c.tree, length(z.tree) + 2) from public.zones c
      where c.tree > z.tree || ' ' and c.tree <= z.tree || ' ' || ord order by c.tree desc limit 1)) names);
  -- A cut hides the names below it: the chain contains the cut in their place.
  return coalesce(pdns.cut_above(zone_no, z.tree, z.parked, candidate), candidate);
end $$;
--> statement-breakpoint

create function pdns.absolute(zone_no integer, ord text) returns text
language sql stable security definer set search_path = '' as $$
  select case when ord = '' then z.name else
    (select string_agg(label, '.' order by i desc) from unnest(string_to_array(ord, ' ')) with ordinality l(label, i)) || '.' || z.name end
  from public.zones z where z.no = zone_no
$$;
--> statement-breakpoint

create function pdns.order_before(ord text, zone_no integer) returns table (ordername text, name text)
language sql stable as $$
  select p, pdns.absolute(zone_no, p) from pdns.previous_name(zone_no, pdns.place(ord)) p where p is not null
$$;
--> statement-breakpoint

create function pdns.order_after(ord text, zone_no integer) returns table (ordername text) language sql stable as $$
  select n from pdns.next_name(zone_no, pdns.place(ord), false) n where n is not null
$$;
--> statement-breakpoint

create function pdns.order_first(zone_no integer) returns table (ordername text) language sql stable as $$
  select n from pdns.next_name(zone_no, '', true) n where n is not null
$$;
--> statement-breakpoint

-- '~' sorts behind every label that an owner name may have: the name before it is the zone's last.
create function pdns.order_last(zone_no integer) returns table (ordername text, name text) language sql stable as $$
  select p, pdns.absolute(zone_no, p) from pdns.previous_name(zone_no, '~') p where p <> ''
$$;
--> statement-breakpoint

-- list-domain-keys-query: one combined signing key a zone (flags 257, active, published).
create function pdns.keys(zone text)
returns table (id integer, flags integer, active integer, published integer, content text)
language sql stable security definer set search_path = '' as $$
  select z.no, 257, 1, 1, z.csk_private from public.zones z where z.name = zone collate "C"
$$;
--> statement-breakpoint

-- The companion asks which zones changed in a transaction that its last poll, whose snapshot had the given xmin, may not have seen.
-- This works on replicas and in any order of commits. `horizon` is the argument of the next poll.
create function pdns.changed_since(since xid8) returns table (horizon text, zone text, xid text)
language sql stable security definer set search_path = '' as $$
  select pg_snapshot_xmin(pg_current_snapshot())::text, c.name, c.xid::text
  from (select) one left join (
    select z.name, z.changed_xid as xid from public.zones z where z.changed_xid >= since
    union all
    select h.zone_name, h.xid from public.changes h where h.action = 'zone.delete' and h.xid >= since) c on true
$$;
--> statement-breakpoint

-- The account of a zone is its owner: a team or a person.
create view pdns.domains as
  select no as id, name::text, null::text as master, null::integer as last_check, 'NATIVE'::text as type,
    null::bigint as notified_serial, coalesce(team_id, user_id) as account, null::text as options, null::text as catalog
  from zones;
--> statement-breakpoint

create view pdns.served as
  select 0 as id, z.no as domain_id, z.name::text, 'SOA'::text as type, pdns.soa_content(z.serial) as content, 300 as ttl,
    null::integer as prio, false as disabled, ''::text as ordername, true as auth
  from zones z
  union all
  select 0, z.no, z.name, 'NS', ns || '.', 3600, null, false, '', true
  from zones z, service s, unnest(s.nameservers) ns
  union all
  select 0, r.zone_no, case when r.name = '@' then z.name else r.name || '.' || z.name end, coalesce(a.type, r.type),
    coalesce(a.address, r.rdata),
    (min(least(coalesce(r.ttl, z.default_ttl), a.ttl)) over (partition by r.zone_no, r.ordername, coalesce(a.type, r.type)))::integer,
    null, false, r.ordername,
    r.type = 'DS' or not (
      exists (select from records ns where ns.zone_no = r.zone_no and ns.ordername = r.ordername and ns.type = 'NS')
      or pdns.cut_above(z.no, z.tree, false, r.ordername) is not null)
  from records r join zones z on z.no = r.zone_no left join lateral pdns.alias_rows(case when r.type = 'ALIAS' then r.rdata end, coalesce(z.team_id, z.user_id)) a on true
  where z.state = 'active' and (r.type <> 'ALIAS' or a.address is not null)
    and not exists (select from zones c where c.tree = z.tree || ' ' || r.ordername)
  union all
  select 0, z.no, child.name, rr.type, rr.content, 3600, null, false, substr(child.tree, length(z.tree) + 2), rr.type = 'DS'
  from zones z join zones child on child.tree > z.tree || ' ' and child.tree < z.tree || '!'
  cross join lateral (
    select ns || '.' as content, 'NS' as type from service s, unnest(s.nameservers) ns
    union all select d, 'DS' from unnest(child.ds) d) rr
  where pdns.cut_above(z.no, z.tree, z.state = 'parked', substr(child.tree, length(z.tree) + 2)) is null;
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

create view pdns.domainmetadata as select 0 as id, 0 as domain_id, ''::text as kind, ''::text as content where false;
--> statement-breakpoint

create view pdns.cryptokeys as
  select no as id, no as domain_id, 257 as flags, true as active, true as published, csk_private as content from zones;
--> statement-breakpoint

create view pdns.tsigkeys as select 0 as id, ''::text as name, ''::text as algorithm, ''::text as secret where false;
--> statement-breakpoint

create view pdns.comments as
  select 0 as id, 0 as domain_id, ''::text as name, ''::text as type, 0 as modified_at, ''::text as account, ''::text as comment where false;
--> statement-breakpoint

-- The role of the name server may execute and select in schema pdns, and nothing else. Roles belong to the whole cluster of
-- databases: another database may create the role at the same moment, or an administrator may have created it because the owner of
-- this database must not.
do $$ begin
  if not exists (select from pg_roles where rolname = 'pdns') then create role pdns nologin; end if;
exception
  when duplicate_object or unique_violation then null;
end $$;
--> statement-breakpoint

revoke all on all functions in schema pdns from public;
--> statement-breakpoint

grant usage on schema pdns to pdns;
--> statement-breakpoint

grant execute on all functions in schema pdns to pdns;
--> statement-breakpoint

grant select on all tables in schema pdns to pdns;
