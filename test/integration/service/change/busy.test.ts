// 503 busy (contract E5): a zone whose row is held by another change. Nothing is written, the wait is bounded, and
// no other client is delayed.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { startTestService } from '../../../support/service/service.ts';

const BUSY_AFTER_MS = 800;
/** The time that a loaded machine may add. Requests that wait one after the other would need far more. */
const SLACK_MS = 15_000;
const service = await startTestService({ limits: true, busyAfterMs: BUSY_AFTER_MS, nameserver: false });
const { request, sql, database } = service;
const zone = await service.zone('busy.example');
const record = await service.record(zone, 'www', 'A', '192.0.2.1');
// A replica with a long wait. Requests that need not wait are answered long before it ends, even on a loaded machine.
const { request: patient } = await service.anotherApi({ busyAfterMs: 60_000 });
const other = await service.zone('idle.example');
const path = `/zones/${zone.id}`;
let names = 0;

/** Holds the lock of the zone's row, as a change in progress does. */
async function whileHeld<T>(work: () => Promise<T>): Promise<T> {
  const holder = database.connect();
  try {
    await holder`begin`;
    await holder`select 1 from zones where id = ${zone.id} for update`;
    return await work();
  } finally {
    await holder`rollback`;
    await holder.end();
  }
}

const fresh = () => ({ name: `n${++names}`, type: 'A', content: '192.0.2.1' });
const write = (to = zone, key?: string) => request('POST', `/zones/${to.id}/records`, fresh(), key);
/** The requests that wait, and how many of them were answered. */
function waiters(n: number, send: () => Promise<Reply>) {
  let answered = 0;
  const counted = async () => {
    const reply = await send();
    answered += 1;
    return reply;
  };
  return { all: Promise.all(Array.from({ length: n }, counted)), answered: () => answered };
}
async function timed(work: () => Promise<Reply>): Promise<{ ms: number; reply: Reply }> {
  const since = performance.now();
  const reply = await work();
  return { ms: performance.now() - since, reply };
}
const lockWaiters = (n: number) =>
  expect
    .poll(
      async () =>
        (await sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
          .length,
      {
        interval: 10,
      },
    )
    .toBeGreaterThanOrEqual(n);
const rows = async () =>
  sql`select (select count(*)::int from records) as records, (select count(*)::int from changes) as changes,
    (select sum(serial)::text from zones) as serials`;

test.each([
  ['create', () => write()],
  ['update', () => request('PUT', `${path}/records/${record.id}`, { name: 'www', type: 'A', content: '192.0.2.7' })],
  ['delete', () => request('DELETE', `${path}/records/${record.id}`)],
  ['park', () => request('POST', `${path}/park`)],
  ['change', () => request('PATCH', path, { defaultTtl: 60 })],
  ['delete of the zone', () => request('DELETE', path)],
])(
  'while another change holds the zone, %s is 503 busy with Retry-After, after about the configured time, and writes nothing',
  async (_, send) => {
    const before = await rows();
    const { ms, reply } = await whileHeld(() => timed(send));
    expect(refusal(reply)).toBe('503 busy');
    expect(reply.body.message).toMatch(/busy.*try again in a moment/i);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(ms).toBeGreaterThan(BUSY_AFTER_MS * 0.9);
    expect(ms).toBeLessThan(BUSY_AFTER_MS + SLACK_MS);
    expect(await rows()).toEqual(before);
  },
);

test('while another change holds the zone, 30 writers are all told so in the same time, not one after the other', async () => {
  const { text } = await service.key();
  const { ms, reply } = await whileHeld(() =>
    timed(async () => {
      const replies = await Promise.all(Array.from({ length: 30 }, () => write(zone, text)));
      expect(new Set(replies.map(refusal))).toEqual(new Set(['503 busy']));
      return replies[0] as Reply;
    }),
  );
  expect(reply.status).toBe(503);
  expect(ms).toBeLessThan(BUSY_AFTER_MS + SLACK_MS);
});

test('while another change holds the zone, the zone can be read, and other zones written, without delay: waiting writers hold no connections', async () => {
  const { text } = await service.key();
  const replies = await whileHeld(async () => {
    const waiting = waiters(40, () => patient('POST', `${path}/records`, fresh(), text));
    const free = await Promise.all([
      patient('POST', `/zones/${other.id}/records`, fresh(), text),
      patient('GET', `${path}/records`),
      patient('GET', '/zones'),
      patient('POST', '/zones', { zoneName: `free${++names}.example`, owner: zone.owner }, text),
    ]);
    expect([free.map(({ status }) => status), waiting.answered()]).toEqual([[201, 200, 200, 200], 0]);
    return { all: waiting.all };
  });
  expect(new Set((await replies.all).map(({ status }) => status))).toEqual(new Set([201]));
});

test('while another change holds the zone, new child zones of it are busy, but others can create zones', async () => {
  const stranger = await service.key({ team: 'stranger' });
  const { text } = await service.key();
  const replies = await whileHeld(async () => {
    const child = () => ({ zoneName: `c${++names}.busy.example`, owner: zone.owner });
    const waiting = waiters(5, () => patient('POST', '/zones', child(), text));
    await lockWaiters(1);
    const sent = { zoneName: 'stranger.test', owner: `org:${stranger.team}` };
    const { status } = await patient('POST', '/zones', sent, stranger.text);
    expect([status, waiting.answered()]).toEqual([200, 0]);
    return { all: waiting.all };
  });
  expect(new Set((await replies.all).map(({ status }) => status))).toEqual(new Set([200]));
});

test('a busy answer does not count against the limit', async () => {
  const key = await service.key({ recordWrites: 3 });
  const { request: slow } = await service.anotherApi({ busyAfterMs: 6_000 });
  const send = () => slow('POST', `${path}/records`, fresh(), key.text);
  const taken = async () =>
    (await sql`select cardinality(times) as n from write_windows where key_id = ${key.id}`)[0]?.n ?? 0;
  await whileHeld(async () => {
    const waiting = waiters(3, send);
    await expect.poll(taken).toBe(3);
    expect((await send()).status).toBe(429);
    expect((await waiting.all).map(refusal)).toEqual(['503 busy', '503 busy', '503 busy']);
  });
  const replies = [];
  for (let n = 0; n < 4; n++) replies.push((await write(zone, key.text)).status);
  expect(replies).toEqual([201, 201, 201, 429]);
});

test('a busy answer returns its own place in the window, and no other', async () => {
  const key = await service.key({ recordWrites: 3 });
  for (let n = 0; n < 2; n++) expect((await write(zone, key.text)).status).toBe(201);
  expect(refusal(await whileHeld(() => write(zone, key.text)))).toBe('503 busy');
  expect((await write(zone, key.text)).status).toBe(201);
  expect(refusal(await write(zone, key.text))).toBe('429 rate_limited');
});

test('a request that waits for a shorter time succeeds', async () => {
  const { text } = await service.key();
  const { waiting } = await whileHeld(async () => {
    const replies = Promise.all(Array.from({ length: 5 }, () => patient('POST', `${path}/records`, fresh(), text)));
    await lockWaiters(1);
    return { waiting: replies };
  });
  expect((await waiting).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
});

test('a busy request goes through afterwards, with its Idempotency-Key', async () => {
  const send = () =>
    request('POST', `${path}/records`, { name: 'later', type: 'A', content: '192.0.2.1' }, undefined, {
      'idempotency-key': 'later',
    });
  expect(refusal(await whileHeld(send))).toBe('503 busy');
  expect((await send()).status).toBe(201);
});
