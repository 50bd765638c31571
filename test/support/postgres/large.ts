// Fills a database with teams, zones, records and history by SQL alone, for tests and benches of large tables: a
// million records through the API take minutes. The rows have the sizes that the API writes.
import type { Sql } from 'postgres';

/** Rows of one statement: a statement of Postgres has a time limit, and progress is visible. */
const STEP = 100_000;

export const largeTeam = (number: number) => `team_large${number}`;
export const largeZone = (number: number) => `zone_large${number}`;

/** Teams with one zone each, and records spread over the zones. */
export async function fillRecords(sql: Sql, { teams, records }: { teams: number; records: number }): Promise<void> {
  await sql`insert into teams (id, name) select 'team_large' || i, 'large' || i from generate_series(1, ${teams}::integer) i`;
  await sql`
    insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds, record_count)
    select 'zone_large' || i, 'team_large' || i, 'large' || i || '.example', 'example large' || i, 'active', 300, 1,
      '{}', ${Math.ceil(records / teams)}::bigint from generate_series(1, ${teams}::integer) i`;
  for (let from = 1; from <= records; from += STEP) {
    await sql`
      insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
      select 'rec_' || lpad(i::text, 26, '0'), z.no, 'host' || i, 'host' || i, 'A', '192.0.2.1', '192.0.2.1',
        sha256(('192.0.2.1' || i)::bytea)
      from generate_series(${from}::integer, ${Math.min(from + STEP - 1, records)}::integer) i
        join zones z on z.id = 'zone_large' || (i % ${teams}::integer + 1)`;
  }
}

/** History of the teams' zones: updates of records, evenly between two times and in their order. */
export async function fillHistory(
  sql: Sql,
  { teams, changes, from, until }: { teams: number; changes: number; from: Date; until: Date },
): Promise<void> {
  const view = `jsonb_build_object('id', 'rec_' || lpad(i::text, 26, '0'), 'name', 'host' || (i % 1000), 'type', 'A',
    'content', '192.0.2.1', 'ttl', 300, 'priority', null)`;
  for (let first = 1; first <= changes; first += STEP) {
    await sql.unsafe(
      `insert into changes (zone_id, zone_name, team_id, key_id, action, before, after, serial, request_id, at)
       select 'zone_large' || (i % $1::integer + 1), 'large' || (i % $1::integer + 1) || '.example',
         'team_large' || (i % $1::integer + 1), 'key_large', 'record.update', ${view}, ${view}, i, 'req_' || i,
         $2::timestamptz + (i::float8 / $3::float8) * ($4::timestamptz - $2::timestamptz)
       from generate_series($5::integer, $6::integer) i order by i`,
      [teams, from.toISOString(), changes, until.toISOString(), first, Math.min(first + STEP - 1, changes)],
    );
  }
}
