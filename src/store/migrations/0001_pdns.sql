-- What PowerDNS reads. A name server's configuration holds only `select ... from pdns.f($1, $2)`, so it never changes
-- with the tables. Everything derived (SOA, apex NS, auth, empty non-terminals, parking, the lowest TTL of an RRset,
-- NS and DS of hosted child zones) is computed here, at read time: a change never has to touch another row.
--
-- Names arrive lower case, absolute, without the final dot. An ordername is the owner name relative to the zone with its
-- labels reversed, joined by one space, '' at the apex; in byte order this is DNSSEC's canonical order (RFC 4034 6.1),
-- and "below name x" is the range from x || ' ' up to x || '!' ('!' is the byte after the space).

create schema pdns;
--> statement-breakpoint

-- CNAME beside anything else (RFC 1034 3.6.2). The API checks first, with a better message; this stands behind it, and
-- locks the zone row as the API does, so that two writers cannot pass each other.
create function cname_stands_alone() returns trigger language plpgsql as $$
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

create function pdns.ordername(relative text) returns text language sql immutable parallel safe as $$
  select coalesce(string_agg(label, ' ' order by i desc), '') from unnest(string_to_array(relative, '.')) with ordinality l(label, i)
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

-- Ancestors of an ordername below the apex, itself left out: 'c b a' -> {'c', 'c b'}.
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

-- any-id-query: all that stands at a name.
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
  select zones.name, zones.tree, zones.state = 'parked' as parked, zones.default_ttl, zones.serial into z
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
    -- A hosted child zone: its delegation, signed here; whatever the parent holds at or below the name is hidden.
    return query select rr.content, 3600, null::integer, rr.type, zone_no, 0, qname,
        case when rr.type = 'DS' and not occluded then 1 else 0 end
      from public.zones child cross join lateral (
        select ns || '.' as content, 'NS' as type from public.service s, unnest(s.nameservers) ns
        union all select d, 'DS' from unnest(child.ds) d) rr
      where child.tree = z.tree || ' ' || ord;
    if found then return; end if;
  end if;

  if not z.parked then
    if ord <> '' then
      cut := exists (select from public.records r where r.zone_no = lookup.zone_no and r.ordername = ord and r.type = 'NS');
    end if;
    return query select r.rdata, (min(coalesce(r.ttl, z.default_ttl)) over (partition by r.type))::integer, null::integer, r.type,
        zone_no, 0, qname, case when occluded or (cut and r.type <> 'DS') then 0 else 1 end
      from public.records r where r.zone_no = lookup.zone_no and r.ordername = ord and r.type <> 'ALIAS';
    if found or ord = '' then return; end if;
  elsif ord = '' then
    return;
  end if;

  -- An empty non-terminal: nothing here, something below (RFC 4592 2.2.2). PowerDNS knows it by a row without a type.
  if (not z.parked and exists (select from public.records r
        where r.zone_no = lookup.zone_no and r.ordername > ord || ' ' and r.ordername < ord || '!'))
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
    -- The cut itself sorts before all that is below it, so it was passed already; what is below sorts before cut || '!'.
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
  -- What stands below a cut is hidden by it: the cut is the name that the chain holds.
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
  select p, pdns.absolute(zone_no, p) from pdns.previous_name(zone_no, ord) p where p is not null
$$;
--> statement-breakpoint
create function pdns.order_after(ord text, zone_no integer) returns table (ordername text) language sql stable as $$
  select n from pdns.next_name(zone_no, ord, false) n where n is not null
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

-- The nameserver companion's question: which zones changed in a transaction that an earlier look, whose snapshot had the
-- given xmin, may not have seen. Works on replicas, in any commit order. `horizon` is what to ask with next time.
create function pdns.changed_since(since xid8) returns table (horizon text, zone text, xid text)
language sql stable security definer set search_path = '' as $$
  select pg_snapshot_xmin(pg_current_snapshot())::text, c.name, c.xid::text
  from (select) one left join (
    select z.name, z.changed_xid as xid from public.zones z where z.changed_xid >= since
    union all
    select h.zone_name, h.xid from public.changes h where h.action = 'zone.delete' and h.xid >= since) c on true
$$;
--> statement-breakpoint

-- Views: for AXFR, for pdnsutil's checks and for people. PowerDNS' default queries find them under their own names.
create view pdns.domains as
  select no as id, name::text, null::text as master, null::integer as last_check, 'NATIVE'::text as type,
    null::bigint as notified_serial, team_id as account, null::text as options, null::text as catalog
  from zones;
--> statement-breakpoint
create view pdns.records as
  select 0 as id, z.no as domain_id, z.name::text, 'SOA'::text as type, pdns.soa_content(z.serial) as content, 300 as ttl,
    null::integer as prio, false as disabled, ''::text as ordername, true as auth
  from zones z
  union all
  select 0, z.no, z.name, 'NS', ns || '.', 3600, null, false, '', true
  from zones z, service s, unnest(s.nameservers) ns
  union all
  select 0, r.zone_no, case when r.name = '@' then z.name else r.name || '.' || z.name end, r.type, r.rdata,
    (min(coalesce(r.ttl, z.default_ttl)) over (partition by r.zone_no, r.ordername, r.type))::integer, null, false, r.ordername,
    r.type = 'DS' or not (
      exists (select from records ns where ns.zone_no = r.zone_no and ns.ordername = r.ordername and ns.type = 'NS')
      or pdns.cut_above(z.no, z.tree, false, r.ordername) is not null)
  from records r join zones z on z.no = r.zone_no
  where z.state = 'active' and r.type <> 'ALIAS'
    and not exists (select from zones c where c.tree = z.tree || ' ' || r.ordername)
  union all
  select 0, z.no, child.name, rr.type, rr.content, 3600, null, false, substr(child.tree, length(z.tree) + 2), rr.type = 'DS'
  from zones z join zones child on child.tree > z.tree || ' ' and child.tree < z.tree || '!'
  cross join lateral (
    select ns || '.' as content, 'NS' as type from service s, unnest(s.nameservers) ns
    union all select d, 'DS' from unnest(child.ds) d) rr
  where not exists (select from zones between_ where between_.tree = any (
    select z.tree || ' ' || a from unnest(pdns.ancestors(substr(child.tree, length(z.tree) + 2))) a));
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

-- The name server's role: it may execute and select in schema pdns, and nothing else. Roles belong to the whole cluster:
-- another database of it may have made this one at the same moment, or an administrator, where the owner of this one may not.
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
