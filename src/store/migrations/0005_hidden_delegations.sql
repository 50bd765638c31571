-- A hosted child zone below a name that NS records delegate elsewhere: the parent has nothing to say about it (RFC 1034
-- section 4.2.1), so a transfer must not carry its NS and DS. Questions were answered so before.
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
