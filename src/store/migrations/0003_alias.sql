-- ALIAS: a table of what targets resolve to, and schema pdns serving it as ordinary, signed A and AAAA rows (PowerDNS' own
-- expansion is never signed, so validating resolvers would refuse it).
CREATE TABLE "alias_answers" (
	"target" text collate "C" PRIMARY KEY NOT NULL,
	"ipv4" text[] DEFAULT '{}' NOT NULL,
	"ipv6" text[] DEFAULT '{}' NOT NULL,
	"ttl" integer DEFAULT 30 NOT NULL,
	"resolved_at" timestamp with time zone,
	"due_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "alias_answers_ttl" CHECK ("alias_answers"."ttl" between 30 and 3600)
);
--> statement-breakpoint
CREATE INDEX "alias_answers_due_idx" ON "alias_answers" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "records_alias_idx" ON "records" USING btree ("rdata","zone_no") WHERE "records"."type" = 'ALIAS';
--> statement-breakpoint

-- Every ALIAS has its target's row from the moment it commits, whoever writes it; the api's worker does the rest. Rows
-- that no record wants any longer are dropped by the worker when they come due.
create function alias_wants_answer() returns trigger language plpgsql as $$
begin
  insert into alias_answers (target) values (new.rdata) on conflict do nothing;
  return null;
end $$;
--> statement-breakpoint
create trigger records_alias_wants_answer after insert or update of rdata on records
  for each row when (new.type = 'ALIAS') execute function alias_wants_answer();
--> statement-breakpoint
insert into alias_answers (target) select distinct rdata from records where type = 'ALIAS';
--> statement-breakpoint

-- Strict, so that for all that is no ALIAS (null) nothing is run.
create function pdns.alias_rows(target text) returns table (type text, address text, ttl integer)
language sql stable strict security definer set search_path = '' as $$
  select 'A', unnest(a.ipv4), a.ttl from public.alias_answers a where a.target = alias_rows.target collate "C"
  union all
  select 'AAAA', unnest(a.ipv6), a.ttl from public.alias_answers a where a.target = alias_rows.target collate "C"
$$;
--> statement-breakpoint
revoke all on function pdns.alias_rows(text) from public;
--> statement-breakpoint
grant execute on function pdns.alias_rows(text) to pdns;
--> statement-breakpoint

-- any-id-query: all that stands at a name.
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
--> statement-breakpoint

create or replace view pdns.records as
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
  where not exists (select from zones between_ where between_.tree = any (
    select z.tree || ' ' || a from unnest(pdns.ancestors(substr(child.tree, length(z.tree) + 2))) a));
