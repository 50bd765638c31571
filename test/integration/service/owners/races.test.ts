// Owners of one name at the same time, at two replicas; and the api killed while it applies sets.
import { expect, test } from 'vitest';
import { startApiProcess } from '../../../support/service/api-process.ts';
import { expectCounted, expectWholeHistory } from '../../../support/service/history.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({ nameserver: false, busyAfterMs: 60_000 });
const { request, sql } = service;
const killed = await startApiProcess(service, { ZONESTEAD_LIMITS: 'off' });
const { request: other } = await service.anotherApi({ busyAfterMs: 60_000 });

const set = (owner: string, name: string, values: string[], more: object = {}) => ({
  owner,
  name,
  type: 'A',
  values: values.map((content) => ({ content })),
  ...more,
});
const statusOf = (body: Record<string, unknown>) => (body.results as { status: number }[] | undefined)?.[0]?.status;

test('one of many owners that adopt a record without sharing owns it', async () => {
  const zone = await service.zone();
  const rounds = Array.from({ length: 12 }, (_, round) => round);
  for (const round of rounds) await service.record(zone, `n${round}`, 'A', '192.0.2.1');
  for (const round of rounds) {
    const tries = [request, other, request, other].map((via, index) => {
      const sets = [set(`k8s:${index}`, `n${round}`, ['192.0.2.1'], { adopt: 'IfIdentical' })];
      return via('POST', `/zones/${zone.id}/records:apply`, { sets });
    });
    const answers = (await Promise.all(tries)).map(({ body }) => statusOf(body));
    expect(answers.sort()).toEqual([200, 409, 409, 409]);
  }
  const owned = await sql`select record_id, count(*)::int as owners from record_owners group by 1 having count(*) > 1`;
  expect(owned).toEqual([]);
});

test('a shared value is never missing while owners come and go at two replicas', async () => {
  const zone = await service.zone();
  const value = '192.0.2.7';
  const sharing = (owner: string, values = [value]) => ({
    sets: [set(owner, 'any', values, values.length ? { share: true } : {})],
  });
  const path = `/zones/${zone.id}/records:apply`;
  await request('POST', path, sharing('k8s:always'));
  const visit = async (via: typeof request, owner: string) => {
    for (let time = 0; time < 15; time += 1) {
      expect(statusOf((await via('POST', path, sharing(owner))).body)).toBe(200);
      expect(statusOf((await via('POST', path, sharing(owner, []))).body)).toBe(200);
    }
  };
  await Promise.all([visit(request, 'k8s:one'), visit(other, 'k8s:two'), visit(other, 'k8s:three')]);
  // The record was made once, and never deleted.
  const { body } = await request('GET', `/zones/${zone.id}/changes`);
  expect((body.changes as { action: string }[]).map(({ action }) => action)).toEqual(['record.create', 'zone.create']);
  expect(await sql`select owner from owned_sets where name = 'any'`).toEqual([{ owner: 'k8s:always' }]);
});

test('sets whose api is killed are applied as a whole or not at all, and applying again completes them', async () => {
  const zone = await service.zone();
  const path = `/zones/${zone.id}/records:apply`;
  // Each generation moves every owner to other names, with two records for each.
  const sets = (generation: number) =>
    Array.from({ length: 30 }, (_, index) =>
      set(
        `k8s:o${index}`,
        `g${generation % 2}-${index}`,
        [`192.0.2.${generation % 250}`, `198.51.100.${generation % 250}`],
        { generation, exact: true },
      ),
    );
  let acknowledged = 0;
  let generation = 0;
  const load = (async () => {
    for (;;) {
      generation += 1;
      const { status, body } = await killed.request('POST', path, { sets: sets(generation) });
      expect([status, statusOf(body)]).toEqual([200, 200]);
      acknowledged = generation;
    }
  })().catch((error: unknown) => error);
  await expect.poll(() => acknowledged, { timeout: 60_000 }).toBeGreaterThan(3);
  await killed.part.stop({ signal: 'SIGKILL' });
  await load;
  const [rows, names] = [
    await sql`select s.owner, s.generation::int as generation, count(o.record_id)::int as records
      from owned_sets s left join record_owners o on o.set_id = s.id
      where s.zone_no = (select no from zones where id = ${zone.id}) group by s.id`,
    await sql`select count(*)::int as n from records where zone_no = (select no from zones where id = ${zone.id})`,
  ];
  expect(rows.length).toBe(30);
  expect(names).toEqual([{ n: 60 }]);
  // One request is one transaction: all owners have the same generation, the acknowledged one or the next.
  const generations = new Set(rows.map((row) => row.generation as number));
  expect(generations.size).toBe(1);
  expect([acknowledged, acknowledged + 1]).toContain([...generations][0]);
  expect(rows.every(({ records }) => records === 2)).toBe(true);
  const { body } = await request('POST', path, { sets: sets(acknowledged + 1) });
  expect((body.results as { status: number }[]).every(({ status }) => status === 200)).toBe(true);
  await expectWholeHistory(sql);
  await expectCounted(sql);
});
