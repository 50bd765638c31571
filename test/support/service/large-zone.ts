// Fills a zone with many records by one statement. Name servers are not told, so it is for services without one.
import type { TestService } from './service.ts';

/**
 * Adds the records `host1 A 192.0.2.1` and so on, with the counters of the zone. About a second for 100,000 records.
 */
export async function fillZone({ sql }: Pick<TestService, 'sql'>, zone: { id: string }, count: number): Promise<void> {
  await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
    select 'rec_' || z.no || '_' || n, z.no, 'host' || n, 'host' || n, 'A', '192.0.2.1', '192.0.2.1', sha256('192.0.2.1'::bytea)
    from zones z, generate_series(1, ${count}::integer) n where z.id = ${zone.id}`;
  await sql`update zones z set (record_count, stored_bytes) = (
      select count(*), sum(octet_length(name) + octet_length(content)) from records r where r.zone_no = z.no)
    where id = ${zone.id}`;
  await sql`analyze records`;
}
