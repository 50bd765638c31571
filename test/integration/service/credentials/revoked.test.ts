// A key that is revoked while its change waits for the zone (issue: "key revoked in mid-flight"): nothing is written.
import { expect, test } from 'vitest';
import { type Reply, refusal } from '../../../support/http/requests.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ busyAfterMs: 60_000 });
const { request, sql } = service;
const { send, says } = accountApi(service);
const owner = await addPerson(service, { team: 'red' });
const keys = `/teams/${owner.team}/keys`;
const newZone = async (zoneName: string) =>
  (await request('POST', '/zones', { zoneName, owner: `org:${owner.team}` }, owner.text)).body as { id: string };
const newKey = async () => {
  const { body } = await send(owner, 'POST', keys, { name: 'x', records: 'write', manageZones: 'write' });
  return { id: String(body.id), text: String(body.secret) };
};

/** The answer to a request that comes to wait for a lock which is held; `meanwhile` happens before it gets the lock. */
async function whileHeld(
  statement: string,
  ask: () => Promise<Reply>,
  meanwhile: () => Promise<unknown>,
): Promise<Reply> {
  const holder = service.database.connect();
  let reply: Promise<Reply> | undefined;
  try {
    await holder.begin(async (tx) => {
      await tx.unsafe(statement);
      reply = ask();
      await expect.poll(waiters).toBe(1);
      await meanwhile();
    });
  } finally {
    await holder.end();
  }
  return reply as Promise<Reply>;
}

async function waiters(): Promise<number> {
  const rows = await sql`select count(*)::int from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  return rows[0]?.count;
}

test.each([
  ['POST', '/records', { name: 'late', type: 'A', content: '192.0.2.1' }],
  ['POST', '/park', undefined],
  ['PATCH', '', { defaultTtl: 60 }],
  ['DELETE', '', undefined],
] as const)(
  '%s %s with a key revoked while its change waits for the zone is 401 and writes nothing',
  async (method, path, body) => {
    const zone = await newZone(`late${method}${path.length}.example`);
    const key = await newKey();
    // With a record the zone has room for more, which a change need not ask for.
    await request('POST', `/zones/${zone.id}/records`, { name: 'first', type: 'A', content: '192.0.2.1' }, owner.text);
    const state = () => sql`select z.*, (select count(*) from records r where r.zone_no = z.no) as records,
      (select count(*) from changes c where c.zone_id = z.id) as changes from zones z where id = ${zone.id}`;
    const before = await state();
    const reply = await whileHeld(
      `select from zones where id = '${zone.id}' for update`,
      () => request(method, `/zones/${zone.id}${path}`, body, key.text),
      async () => expect(await says(owner, 'DELETE', `${keys}/${key.id}`)).toBe(204),
    );
    expect(refusal(reply)).toBe('401 unauthorized');
    expect(await state()).toEqual(before);
  },
);

test('creating a zone with a key revoked while it waits for other creations is 401 too', async () => {
  const key = await newKey();
  const reply = await whileHeld(
    'select pg_advisory_xact_lock(1953654117)',
    () => request('POST', '/zones', { zoneName: 'never.example', owner: `org:${owner.team}` }, key.text),
    async () => expect(await says(owner, 'DELETE', `${keys}/${key.id}`)).toBe(204),
  );
  expect(refusal(reply)).toBe('401 unauthorized');
  expect(await sql`select from zones where name = 'never.example'`).toHaveLength(0);
});

test('a member removed while its change waits does not get the zone', async () => {
  const zone = await newZone('left.example');
  const guest = await addPerson(service, { team: 'red', role: 'member' });
  const record = { name: 'late', type: 'A', content: '192.0.2.1' };
  const reply = await whileHeld(
    `select from zones where id = '${zone.id}' for update`,
    () => request('POST', `/zones/${zone.id}/records`, record, guest.text),
    async () => expect(await says(owner, 'DELETE', `/teams/${owner.team}/members/${guest.id}`)).toBe(204),
  );
  expect(refusal(reply)).toBe('404 no_zone');
});

test('a person whose key is revoked while its change waits for the team changes nothing', async () => {
  const boss = await addPerson(service, { team: 'red' });
  const reply = await whileHeld(
    `select from teams where id = '${owner.team}' for update`,
    () => send(boss, 'POST', keys, { name: 'backdoor', records: 'write' }),
    () => sql`update api_keys set revoked_at = now() where id = ${boss.keyId}`.then(() => undefined),
  );
  expect(refusal(reply)).toBe('401 unauthorized');
  expect(await sql`select from api_keys where name = 'backdoor'`).toHaveLength(0);
});

test('fifty writes in flight while the key is revoked: each is in DNS whole or refused whole', async () => {
  const zone = await newZone('flight.example');
  const key = await newKey();
  const writes = Array.from({ length: 50 }, (_, at) =>
    request('POST', `/zones/${zone.id}/records`, { name: `n${at}`, type: 'A', content: '192.0.2.1' }, key.text),
  );
  await says(owner, 'DELETE', `${keys}/${key.id}`);
  const replies = await Promise.all(writes);
  const accepted = replies.filter(({ status }) => status === 201).length;
  for (const reply of replies) expect([201, 401]).toContain(reply.status);
  const { body } = await request('GET', `/zones/${zone.id}/records`, undefined, owner.text);
  expect(body.records).toHaveLength(accepted);
});
