// Many changes of account routes: each person has a write limit, and the changes of one team wait without a database
// connection.
import { expect, test } from 'vitest';
import { timesBeside } from '../../../support/service/neighbour.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false });
const limited = await service.anotherApi({ settings: { ZONESTEAD_LIMITS: 'on' } });
const { send } = accountApi(service);
const owner = await addPerson(service, { team: 'red' });

test('200 changes of one team at the same time keep no other team waiting', async () => {
  const keys = `/teams/${owner.team}/keys`;
  const key = String((await send(owner, 'POST', keys, { name: 'busy' })).body.id);
  const second = await service.key({ team: 'second' });
  const ask = () => service.request('GET', '/../account', undefined, second.text);
  const change = async (client: number) =>
    (await send(owner, 'PATCH', `${keys}/${key}`, { name: `busy ${client}` })).status;
  await ask();
  const work = Promise.all(Array.from({ length: 200 }, (_, client) => change(client)));
  const times = (await timesBeside(ask, work)).sort((a, b) => a - b);
  expect(new Set(await work)).toEqual(new Set([200]));
  expect(times[Math.floor(times.length * 0.95)]).toBeLessThan(250);
});

const rename = async (who: { text: string }, team: string, name: string) => {
  const { status, headers } = await limited.request('PATCH', `/../account/teams/${team}`, { name }, who.text);
  return { status, policy: headers['ratelimit-policy'], left: headers.ratelimit, retry: headers['retry-after'] };
};

test('the limit of a person is 30 changes of teams, keys and trusts in 60 seconds, with all keys and sessions of the person together', async () => {
  const email = 'limited@example.org';
  const [one, other] = [await addPerson(service, { team: 'limited', email }), await addPerson(service, { email })];
  for (let n = 1; n <= 30; n += 1) {
    const changed = await rename(n % 2 === 0 ? one : other, one.team, `limited ${n}`);
    expect(changed).toMatchObject({ status: 200, policy: '"account";q=30;w=60' });
    expect(changed.left).toMatch(new RegExp(`^"account";r=${30 - n};t=`));
  }
  const refused = await rename(other, one.team, 'limited 31');
  expect([refused.status, Number(refused.retry) > 0]).toEqual([429, true]);
  const { status, body } = await limited.request('POST', '/../account/teams', { name: 'one more' }, one.text);
  expect([status, body.message]).toEqual([429, expect.stringContaining('Too many changes of teams, members, keys')]);
});

test('the limit of a person is the limit of this person alone, and of no read', async () => {
  const another = await addPerson(service, { team: 'another' });
  expect((await rename(another, another.team, 'still another')).status).toBe(200);
  const { headers } = await limited.request('GET', '/../account/teams', undefined, another.text);
  expect(headers['ratelimit-policy']).toBe(undefined);
});

test('a person who is not a member does not wait for the changes of the team', async () => {
  const holder = service.database.connect();
  const stranger = await addPerson(service);
  try {
    await holder`begin`;
    await holder`select 1 from teams where id = ${owner.team} for update`;
    let isAnswered = false;
    const waiting = send(owner, 'PATCH', `/teams/${owner.team}`, { name: 'renamed' }).finally(() => {
      isAnswered = true;
    });
    await expect
      .poll(
        () => service.sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      .not.toHaveLength(0);
    expect((await send(stranger, 'PATCH', `/teams/${owner.team}`, { name: 'mine' })).status).toBe(404);
    expect(isAnswered).toBe(false);
    await holder`rollback`;
    expect((await waiting).status).toBe(200);
  } finally {
    await holder.end();
  }
});
