// Fills zones by statements of the database: a million records take a minute, and an hour by the API.
import postgres from 'postgres';
import { adminTeamQuota } from '#service/accounts/team-quota.ts';
import type { Zones } from './name-servers.ts';
import type { BenchService } from './support.ts';

const ROOM = { zones: 20_000, records: 5_000_000, bytes: 5_000_000_000 };

/** Gives the team of the benchmark quotas that no benchmark reaches. */
export async function liftQuotas({ databaseUrl }: BenchService): Promise<void> {
  await adminTeamQuota(databaseUrl, 'first', { reset: false, numbers: ROOM }, new Date());
}

/**
 * Creates zones with records n0, n1, and so on while no node runs, because only a node that reads a zone for the first
 * time learns of records that come by a statement.
 * @returns the ids of the zones by their names
 */
export async function fillZones(
  { databaseUrl, running, nameServers }: BenchService,
  zones: Zones,
  names: readonly string[],
  perZone: number,
): Promise<Map<string, string>> {
  await Promise.all(nameServers.map(({ node }) => running.part(node).stop()));
  const ids = await zones.createAll(names, 0);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
      select 'rec_' || z.no || '_' || n, z.no, 'n' || n, 'n' || n, 'A', a.address, a.address, sha256(a.address::bytea)
      from zones z, generate_series(0, ${perZone - 1}::integer) n,
        lateral (select '10.' || (n >> 16 & 255) || '.' || (n >> 8 & 255) || '.' || (n & 255) as address) a
      where z.name = any(${[...names]})`;
    await sql`update zones z set (record_count, stored_bytes) = (
      select count(*), sum(octet_length(name) + octet_length(content)) from records r where r.zone_no = z.no)
      where z.name = any(${[...names]})`;
    await sql`analyze records`;
    return ids;
  } finally {
    await sql.end();
  }
}
