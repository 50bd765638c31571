// The cost of HTTP, rights, rules and JSON: record creations a second at our REST API, and as bare pipelined
// transactions of the rows that a creation needs: `node test/bench/writes-vs-sql.ts`. The bare side locks the zone,
// reads the key and the names involved, and writes record, serial and history, one transaction each, through the same
// driver with as many connections as the api has. It knows beforehand that each creation is permitted. The api loads
// and writes with one statement each, and commits the writers of one zone together.
import { createHash, randomBytes } from 'node:crypto';
import postgres, { type Sql } from 'postgres';
import { caller, createAgent } from './calls.ts';
import { ourSide } from './our-side.ts';
import { type Bench, runBench, startBenchService } from './support.ts';
import { type Case, compareWrites, countNames, type Side } from './writes.ts';

const LIMIT_MS = 10 * 60_000;
/** The api's default. */
const CONNECTIONS = 16;

const CASES: readonly Case[] = [
  { what: '16 zones, 1 writer each', zones: 16, writersPerZone: 1, before: 0 },
  { what: '1 zone, 16 writers', zones: 1, writersPerZone: 16, before: 0 },
];

interface Zone {
  no: number;
  name: string;
  serial: string;
}

/** @param rest makes the zones */
function bareSide(sql: Sql, keyId: string, team: string, rest: Side): Side {
  const create = async (zoneId: string, name: string, address: string) => {
    await sql.begin(async (tx) => {
      const [[zone]] = await Promise.all([
        tx<Zone[]>`select id, no, name, serial from zones where id = ${zoneId} for no key update`,
        tx`select revoked_at is null from api_keys where id = ${keyId}`,
      ]);
      const { no, name: zoneName, serial } = zone as Zone;
      await Promise.all([
        tx`select id, name, ordername, type, content, rdata, ttl, priority from records
          where zone_no = ${no} and ordername = any(${[name]}) order by ordername, type, id`,
        tx`select id, name from zones where name = any(${[`${name}.${zoneName}`]}) order by length(name) desc`,
      ]);
      const id = `rec_${randomBytes(10).toString('hex')}`;
      const digest = createHash('sha256').update(address).digest();
      const next = Number(serial) + 1;
      const after = { id, name, type: 'A', content: address, ttl: 300, priority: null };
      await Promise.all([
        tx`insert into records (id, zone_no, name, ordername, type, content, rdata, digest, ttl, priority, created_at)
          values (${id}, ${no}, ${name}, ${name}, 'A', ${address}, ${address}, ${digest}, 300, null, now())`,
        tx`update zones set serial = ${next}, updated_at = now(), changed_xid = pg_current_xact_id() where id = ${zoneId} returning id`,
        tx`insert into changes (zone_id, zone_name, team_id, user_id, key_id, action, before, after, serial, request_id)
          values (${zoneId}, ${zoneName}, ${team}, null, ${keyId}, 'record.create', null, ${sql.json(after)}, ${next}, ${id})`,
      ]);
    });
    return 201;
  };
  return {
    name: 'bare SQL',
    createZone: rest.createZone,
    create,
    fill: rest.fill,
    list: async (zone) => {
      const rows = await sql<{ name: string }[]>`
        select r.name from records r join zones z on z.no = r.zone_no where z.id = ${zone}`;
      return countNames(rows.map(({ name }) => name));
    },
  };
}

async function run(bench: Bench): Promise<void> {
  const service = await startBenchService(bench);
  const { key, team } = service.keys.first;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const rest = ourSide(caller(createAgent(bench), service.url, headers), `org:${team}`);
  const sql = postgres(service.databaseUrl, { max: CONNECTIONS });
  bench.atEnd(() => sql.end());
  await compareWrites([rest, bareSide(sql, key.split('_')[1] as string, team, rest)], CASES, bench);
}

await runBench('Record writes: our REST API and its own transactions without it', LIMIT_MS, run);
