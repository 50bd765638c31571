// Two zones with records of two clusters, on a stack of its own of real processes: Postgres behind a relay, the api,
// and a name server. Tests stop the api at a chosen moment of a drain: a lock that they hold keeps it from the records
// of one zone.
import { join } from 'node:path';
import postgres, { type Sql } from 'postgres';
import { Agent } from 'undici';
import { afterAll, expect, inject } from 'vitest';
import { knotControl } from '#nameserver/knot/control.ts';
import { databaseUrl } from '#service/accounts/bootstrap.ts';
import { startCommand } from '../../../../deploy/local/parts/command.ts';
import type { Part } from '../../../../deploy/local/parts/part.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { removePostgresState } from '../../../../deploy/local/parts/postgres.ts';
import { readSecrets, writeSecrets } from '../../../../deploy/local/secrets.ts';
import { type Service, startService } from '../../../../deploy/local/service.ts';
import { checkAllZones, zoneText } from '../../../support/dns/check-zones.ts';
import { createRequest, type Reply } from '../../../support/http/requests.ts';
import { startTcpRelay, type TcpRelay } from '../../../support/http/tcp-relay.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';
import { expectCounted, expectWholeHistory } from '../../../support/service/history.ts';

/** Names in each zone. Both zones together are more than the 500 sets that one transaction marks. */
export const NAMES = 300;
export const ZONES = ['one.test', 'two.test'] as const;
export type ZoneName = (typeof ZONES)[number];
const [EAST, WEST] = ['192.0.2.1', '192.0.2.2'];
const PATIENCE = { timeout: 100_000, interval: 20 };

export interface DrainStack {
  service: Service;
  /** Between the api and Postgres. The test itself does not use it. */
  relay: TcpRelay;
  sql: Sql;
  /** POST /v1/clusters/east/{verb}. @param url (Default: the api of the stack.) */
  change(verb: 'drain' | 'restore', url?: string): Promise<Reply>;
  /** The cluster as the api lists it. @param url (Default: the api of the stack.) */
  east(url?: string): Promise<Record<string, unknown>>;
  zoneId(name: ZoneName): string;
  /** Keeps the api from the zone. @returns the end of it */
  lock(name: ZoneName): Promise<() => Promise<void>>;
  /** Waits until the api waits for a locked zone, or until a number of records is withdrawn. */
  waits(): Promise<void>;
  untilWithdrawn(count: number): Promise<void>;
  withdrawn(): Promise<number>;
  /** Waits until the killed api has no connection at Postgres any more. */
  untilGone(): Promise<void>;
  /** Starts one more api process, which does not use the relay; stopped by the caller. */
  replica(): Promise<{ url: string; part: Part }>;
  /** A position in the feed, for `announced`. */
  position(): Promise<string>;
  /** How often each zone's names have been announced since then: the fewest and the most times of any name. */
  announced(since: string): Promise<Record<string, [number, number]>>;
  /** Compares tables, history, counters and every name at the name server with the state of the cluster. */
  expectWhole(state: 'active' | 'drained'): Promise<void>;
}

/** To be called at the top of a test file. */
export async function startDrainStack(): Promise<DrainStack> {
  const stateDir = await temporaryFolder('drain');
  const { signal } = new AbortController();
  const names = ['postgres', 'api', 'apiHealth', 'dns', 'nameserverHealth', 'other', 'otherHealth'] as const;
  const ports = await allocatePorts(
    names.map((name) => ({ name, dns: name === 'dns' })),
    { stateDir },
  );
  const relay = await startTcpRelay(ports.postgres);
  const secrets = await readSecrets(stateDir);
  await writeSecrets(stateDir, secrets);
  const login = { name: 'zonestead', password: secrets.servicePassword };
  const direct = databaseUrl(`postgres://127.0.0.1:${ports.postgres}`, 'zonestead', login);
  const service = await startService({
    stateDir,
    ports: { ...ports, dns: [ports.dns], nameserverHealth: [ports.nameserverHealth] },
    limits: false,
    durable: false,
    main: inject('program'),
    settings: { DATABASE_URL: databaseUrl(`postgres://127.0.0.1:${relay.port}`, 'zonestead', login) },
    progress: () => {},
    signal,
  });
  const agent = new Agent();
  const connect = () =>
    postgres(direct, { max: 1, onnotice: () => undefined, connection: { application_name: 'test' } });
  const sql = connect();
  const control = knotControl({ socket: join(stateDir, 'nodes', 'ns1', 'knot', 'knot.sock') });
  afterAll(async () => {
    await sql.end({ timeout: 1 });
    control.close();
    await agent.close();
    await service.stop();
    await relay.close();
    await removePostgresState(stateDir);
  });

  const { team, key } = service.keys.first;
  const at = (url = service.url) => createRequest(url, agent, key);
  const ids = new Map<string, string>();
  const must = async (reply: Promise<Reply>): Promise<Reply> => {
    const { status, text } = await reply;
    expect([status, text]).toEqual([200, text]);
    return reply;
  };
  for (const name of ['east', 'west'])
    await must(at()('PUT', `/../clusters/${name}?owner=org:${team}`, undefined, service.personKey));
  for (const zoneName of ZONES) {
    const { body } = await must(at()('POST', '/zones', { zoneName, owner: `org:${team}` }));
    ids.set(zoneName, body.id as string);
    // East has every name, west every second one.
    const sets = Array.from({ length: NAMES }, (_, n) => [
      set('east', n, EAST),
      ...(n % 2 === 0 ? [set('west', n, WEST)] : []),
    ]);
    await must(at()('POST', `/zones/${body.id}/records:apply`, { atomic: true, sets: sets.flat() }));
  }

  const withdrawn = async (): Promise<number> =>
    (await sql`select count(*)::int as n from records where withdrawn`)[0]?.n as number;
  const served = async (zone: string): Promise<string[]> => {
    const lines = (await zoneText(control, zone)).split('\n').map((line) => line.split(/\s+/));
    return lines.flatMap(([owner, , , type, data]) => (type === 'A' ? [`${owner} ${data}`] : [])).sort();
  };
  return {
    service,
    relay,
    sql,
    change: (verb, url) => at(url)('POST', `/../clusters/east/${verb}`, undefined, service.personKey),
    east: async (url) => {
      const { body } = await at(url)('GET', `/../clusters?owner=org:${team}`, undefined, service.personKey);
      return (body.clusters as { name: string }[]).find(({ name }) => name === 'east') ?? {};
    },
    zoneId: (name) => ids.get(name) ?? '',
    lock: async (name) => {
      const holder = connect();
      const reserved = await holder.reserve();
      await reserved`begin`;
      await reserved`select from zones where name = ${name} for update`;
      return async () => {
        await reserved`commit`;
        reserved.release();
        await holder.end();
      };
    },
    waits: async () => {
      const waiting = () =>
        sql`select from pg_stat_activity where wait_event_type = 'Lock' and query like '%for no key update%'`;
      await expect.poll(async () => (await waiting()).length, PATIENCE).toBeGreaterThan(0);
    },
    untilWithdrawn: async (count) => {
      await expect.poll(withdrawn, PATIENCE).toBe(count);
    },
    withdrawn,
    untilGone: async () => {
      const left = () => sql`select from pg_stat_activity where application_name like 'zonestead-api%'`;
      await expect.poll(async () => (await left()).length, PATIENCE).toBe(0);
    },
    replica: async () => {
      const env = {
        DATABASE_URL: direct,
        ZONESTEAD_LISTEN: `127.0.0.1:${ports.other}`,
        ZONESTEAD_NAMESERVERS: 'ns1.zonestead.test',
      };
      const options = { env, main: inject('program'), healthPort: ports.otherHealth, stateDir, signal };
      const part = await startCommand({ name: 'api', ...options });
      return { url: `http://127.0.0.1:${ports.other}`, part };
    },
    position: async () => (await sql`select pg_snapshot_xmax(pg_current_snapshot())::text as xid`)[0]?.xid,
    announced: async (since) => {
      const rows = await sql<{ zone: string; fewest: number; most: number }[]>`
        with told as (
          select z.name as zone, r.name, (select count(*)::int from feed_changes f
            where f.zone_id = z.id and f.xid >= ${since}::xid8 and r.name = any(f.names)) as times
          from zones z join records r on r.zone_no = z.no
        ) select zone, min(times) as fewest, max(times) as most from told group by zone`;
      return Object.fromEntries(rows.map(({ zone, fewest, most }) => [zone, [fewest, most]]));
    },
    expectWhole: async (state) => {
      const [wrong] = await sql`
        select count(*)::int as records, count(*) filter (where r.withdrawn <> (${state === 'drained'} and r.content = ${EAST}))::int as wrong
        from records r join zones z on z.no = r.zone_no where z.name = any(${[...ZONES]})`;
      expect(wrong).toEqual({ records: ZONES.length * NAMES * 1.5, wrong: 0 });
      await expectWholeHistory(sql);
      await expectCounted(sql);
      for (const zone of ZONES) {
        const wanted = Array.from({ length: NAMES }, (_, n) => {
          const both = state === 'active' ? [EAST, WEST] : [WEST];
          return (n % 2 === 0 ? both : [EAST]).map((value) => `n${n}.${zone}. ${value}`);
        });
        await expect.poll(() => served(zone), PATIENCE).toEqual(wanted.flat().sort());
      }
      expect((await checkAllZones(control, stateDir)).errors).toEqual([]);
    },
  };
}

function set(cluster: string, n: number, content: string) {
  return { owner: `k8s:${cluster}/default/n${n}`, name: `n${n}`, type: 'A', values: [{ content }] };
}
