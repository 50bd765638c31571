-- A hosted child zone below a name that NS records delegate elsewhere: the parent has nothing to say about it (RFC 1034
-- section 4.2.1). A transfer carried its NS and DS, and asked for the DS PowerDNS denied it instead of referring.
create or replace view pdns.served as
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
  from records r join zones z on z.no = r.zone_no left join lateral pdns.alias_rows(case when r.type = 'ALIAS' then r.rdata end) a on true
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

create or replace function pdns.lookup(qname text, zone_no integer)
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
    -- A hosted child zone: its delegation, signed here; whatever the parent holds at or below the name is hidden. Below a cut
    -- it is none of this zone's business: asked for its DS, PowerDNS then refers to the servers of the cut.
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
      from public.records r left join lateral pdns.alias_rows(case when r.type = 'ALIAS' then r.rdata end) a on true
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
