// The settings of the api, each shown by its effect. The process under test is the real command with values other than
// the defaults. The api of the test service has the defaults, so that each test sees both.
import { performance } from 'node:perf_hooks';
import { afterAll, describe, expect, test } from 'vitest';
import { startNameServer } from '../../support/dns/fake-nameserver.ts';
import { refusal } from '../../support/http/requests.ts';
import { startApiProcess } from '../../support/service/api-process.ts';
import { startTestService } from '../../support/service/service.ts';

/** The resolver of the process: every name exists at its parent, without a DS record. */
const upstream = await startNameServer(() => ({ aa: false, answers: [] }));
afterAll(() => upstream.close());

/** Twice the default. */
const BUSY_AFTER_MS = 4_000;
const CONNECTIONS = 3;
const service = await startTestService({
  settings: { ZONESTEAD_HOSTMASTER: '', ZONESTEAD_CONSOLE: 'on', ZONESTEAD_BUSY_AFTER_MS: '' },
});
const { sql, admin, request, database } = service;
const before = await service.zone('before.example');
// The api of the test service looks up no target.
await service.record(before, 'points', 'CNAME', 'looked-up.example');
const api = await startApiProcess(service, {
  ZONESTEAD_PUBLIC_SUFFIXES: 'allow',
  ZONESTEAD_DELEGATION_CHECK: 'on',
  ZONESTEAD_PRIVATE_TLDS: 'corp,lan',
  ZONESTEAD_RESOLVER: `${upstream.address}:${upstream.port}`,
  ZONESTEAD_BUSY_AFTER_MS: String(BUSY_AFTER_MS),
  ZONESTEAD_HOSTMASTER: 'dns-team.zonestead.test',
  ZONESTEAD_CONSOLE: 'off',
  ZONESTEAD_DATABASE_CONNECTIONS: String(CONNECTIONS),
  ZONESTEAD_LIMITS: 'off',
});
const create = (zoneName: string, send = api.request) =>
  send('POST', '/zones', { zoneName, owner: `org:${admin.team}` });
const mailbox = async (zone: string) =>
  /"rname":"([^"]*)"/.exec((await service.dns.lookup(zone, 'SOA')).answers.join())?.[1];

/** Holds the locks of zones' rows, as changes in progress do. */
async function whileHeld<T>(ids: readonly string[], work: () => Promise<T>): Promise<T> {
  const holder = database.connect();
  try {
    await holder`begin`;
    await holder`select 1 from zones where id = any(${ids as string[]}) for update`;
    return await work();
  } finally {
    await holder`rollback`;
    await holder.end();
  }
}

test('ZONESTEAD_PUBLIC_SUFFIXES allow: a zone of a public suffix is created', async () => {
  expect((await create('co.uk')).status).toBe(200);
});

test('ZONESTEAD_PUBLIC_SUFFIXES is refuse by default', async () => {
  expect(refusal(await create('com.au', request))).toBe('403 forbidden');
});

test('ZONESTEAD_DELEGATION_CHECK on: the parent is queried, and a zone without a DS there is ds_required', async () => {
  expect((await create('checked.example')).body.status).toBe('ds_required');
  expect(upstream.queries.map(({ packet }) => packet.questions[0])).toContainEqual(
    expect.objectContaining({ name: 'checked.example', type: 'DS' }),
  );
});

test('ZONESTEAD_DANGLING_HOURS is not 0 by default: the targets of records are looked up', async () => {
  const questions = () => upstream.queries.map(({ packet }) => packet.questions[0]);
  await expect.poll(questions).toContainEqual(expect.objectContaining({ name: 'looked-up.example', type: 'A' }));
  await expect
    .poll(() => sql`select extract(epoch from due_at - checked_at)::int as seconds from record_targets`)
    .toEqual([{ seconds: 24 * 3_600 }]);
});

test('ZONESTEAD_DELEGATION_CHECK is off by default', async () => {
  expect((await create('unchecked.example', request)).body.status).toBe('done');
});

test.each(['corp', 'lan'])('%s in ZONESTEAD_PRIVATE_TLDS requires no claim', async (name) => {
  expect((await create(name)).body.status).toBe('done');
});

test('ZONESTEAD_PRIVATE_TLDS has no names by default', async () => {
  expect((await create('intern', request)).body.status).toBe('handshake_claim_required');
});

describe('ZONESTEAD_BUSY_AFTER_MS', () => {
  const write = (send = api.request) =>
    send('POST', `/zones/${before.id}/records`, { name: 'held', type: 'A', content: '192.0.2.1' });
  const timed = async (work: () => Promise<unknown>) => {
    const since = performance.now();
    await work();
    return performance.now() - since;
  };

  test('ZONESTEAD_BUSY_AFTER_MS limits the wait of a change for its zone, in the database and in the queue of the process', async () => {
    await whileHeld([before.id], async () => {
      const ms = await timed(async () => {
        const replies = await Promise.all(Array.from({ length: 10 }, () => write()));
        expect(new Set(replies.map(refusal))).toEqual(new Set(['503 busy']));
      });
      expect(ms).toBeGreaterThanOrEqual(BUSY_AFTER_MS * 0.9);
      // Less than ten waits one after the other.
      expect(ms).toBeLessThan(BUSY_AFTER_MS * 8);
    });
  });

  test('ZONESTEAD_BUSY_AFTER_MS is 2 s by default', async () => {
    await whileHeld([before.id], async () => {
      const ms = await timed(async () => expect(refusal(await write(request))).toBe('503 busy'));
      expect(ms).toBeGreaterThan(1_900);
    });
  });
});

test('ZONESTEAD_HOSTMASTER is the mailbox in the SOA of every zone', async () => {
  // The last api that started sets these values: the process.
  await expect.poll(() => mailbox('before.example')).toBe('dns-team.zonestead.test');
});

test('ZONESTEAD_HOSTMASTER is hostmaster at the first name server by default', async () => {
  await service.anotherApi();
  await expect.poll(() => mailbox('before.example')).toBe('hostmaster.ns1.zonestead.test');
});

const page = async (url: string) => {
  const answer = await fetch(`${url}/console/sign-in`, { redirect: 'manual' });
  await answer.body?.cancel();
  return answer.status;
};

test('ZONESTEAD_CONSOLE off: there are no pages', async () => {
  expect(await page(api.url)).toBe(404);
});

test('ZONESTEAD_CONSOLE on: there are pages', async () => {
  expect(await page(service.url)).toBe(200);
});

test('ZONESTEAD_DATABASE_CONNECTIONS bounds the connections for any number of waiting changes', async () => {
  const zones: { id: string }[] = [];
  for (let at = 0; at < 2 * CONNECTIONS; at++) zones.push(await service.zone(`conn${at}.example`));
  const connections = async () => {
    // The service's own api is idle, and its connections are older than those of the process.
    const [row] = await sql`
      select count(*)::int as n from pg_stat_activity
      where datname = current_database() and application_name like 'zonestead-api%' and wait_event_type = 'Lock'`;
    return row?.n as number;
  };
  let most = 0;
  await whileHeld(
    zones.map(({ id }) => id),
    async () => {
      const writes = Promise.all(
        zones.map(({ id }) =>
          api.request('POST', `/zones/${id}/records`, { name: 'n', type: 'A', content: '192.0.2.1' }),
        ),
      );
      let done = false;
      const watching = (async () => {
        while (!done) most = Math.max(most, await connections());
      })();
      expect(new Set((await writes).map(refusal))).toEqual(new Set(['503 busy']));
      done = true;
      await watching;
    },
  );
  expect(most).toBe(CONNECTIONS);
  expect(await api.metric('database_connections_max')).toBe(CONNECTIONS);
});
