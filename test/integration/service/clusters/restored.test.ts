// Clusters whose etcd was restored from a backup, or whose operator does not reach its kube-apiserver: the heartbeats
// that tell it, and the acceptance by an owner.
import { expect, test } from 'vitest';
import { letSetsAcceptOlder } from '#store/clusters.ts';
import { openDatabase } from '#store/database.ts';
import { cloneDatabase } from '../../../support/postgres/database.ts';
import { CLUSTER_TIMES, clusterApi } from '../../../support/service/clusters.ts';
import { addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  warnings: ['a cluster is lost'],
  busyAfterMs: 60_000,
  clusterTimes: CLUSTER_TIMES,
});
const { request, sql, admin } = service;
const { send, says, lose } = clusterApi(service);
const owner = await addPerson(service, { team: 'first' });
let count = 0;

/** A cluster with an unused name, and its heartbeats with the fields of a query. */
function newCluster() {
  count += 1;
  const name = `restored-${count}`;
  const beat = async (query: string) => (await send(admin, 'PUT', `/${name}?instance=one&${query}`)).body;
  const isRestored = async (query: string) => typeof (await beat(query)).etcdRestoredAt === 'string';
  const accept = () => send(owner, 'POST', `/${name}/accept-older`);
  return { name, beat, isRestored, accept };
}

test('a number of renewals that went back tells that etcd was restored, and stays told until an owner accepts it', async () => {
  const { name, beat, isRestored, accept } = newCluster();
  expect(await isRestored('lease=a&renewals=1000')).toBe(false);
  // The service notes one heartbeat a second.
  expect(await isRestored('lease=a&renewals=1001')).toBe(false);
  // A heartbeat of the leader before may arrive late.
  expect(await isRestored('lease=a&renewals=990')).toBe(false);
  expect(await isRestored('lease=a&renewals=989')).toBe(true);
  await sql`update clusters set heartbeat_at = heartbeat_at - interval '5 seconds' where name = ${name}`;
  const { etcdRestoredAt } = await beat('lease=a&renewals=2000');
  expect(etcdRestoredAt).toEqual(expect.any(String));
  expect((await beat('')).etcdRestoredAt).toBe(etcdRestoredAt);
  expect((await accept()).body).toMatchObject({ etcdRestoredAt: null, olderAcceptedAt: expect.any(String) });
  expect(await isRestored('lease=a&renewals=1990')).toBe(false);
  expect(await isRestored('lease=a&renewals=1980')).toBe(true);
});

test('a restore right after an acceptance tells it again, because an owner accepted the number of renewals that was there', async () => {
  const { name, isRestored, accept } = newCluster();
  await isRestored('lease=a&renewals=1000');
  expect(await isRestored('lease=a&renewals=500')).toBe(true);
  await accept();
  expect(await isRestored('lease=a&renewals=495')).toBe(false);
  expect(await isRestored('lease=a&renewals=400')).toBe(true);
  await sql`update clusters set heartbeat_at = heartbeat_at - interval '5 seconds' where name = ${name}`;
  await accept();
  expect(await isRestored('lease=a&renewals=400')).toBe(false);
});

test('the renewals of another Lease, and those of another Kubernetes cluster, are not compared', async () => {
  const { name, isRestored } = newCluster();
  await isRestored('lease=a&renewals=1000');
  expect(await isRestored('lease=b&renewals=500')).toBe(false);
  expect(await isRestored('lease=b&renewals=400')).toBe(true);
  await lose(name);
  const { body } = await send(admin, 'PUT', `/${name}?instance=two&lease=b&renewals=1`);
  expect(body.etcdRestoredAt).toBeNull();
});

test('more than five older objects tell that etcd was restored', async () => {
  const { isRestored } = newCluster();
  await isRestored('');
  expect(await isRestored('older=5')).toBe(false);
  expect(await isRestored('older=6')).toBe(true);
  expect(await isRestored('older=0')).toBe(true);
});

test('an id of a restore that the operator saw tells that etcd was restored, and an id counts once', async () => {
  const { beat, isRestored, accept } = newCluster();
  await beat('');
  expect(await isRestored('restore=one')).toBe(true);
  expect(await isRestored('')).toBe(true);
  await accept();
  expect(await isRestored('restore=one')).toBe(false);
  expect(await isRestored('restore=two')).toBe(true);
});

test('an owner of the team accepts older objects, and then every generation of the objects of this cluster is accepted once', async () => {
  const { name, beat, accept } = newCluster();
  await beat('');
  const zone = await service.zone(`${name}.example`);
  const apply = async (cluster: string, generation: number, content: string) => {
    const set = { owner: `k8s:${cluster}/default/${cluster}`, name: cluster, type: 'A', values: [{ content }] };
    const sets = [{ ...set, generation, instance: 'uid' }];
    const { body } = await request('POST', `/zones/${zone.id}/records:apply`, { sets }, admin.text);
    return (body.results as { status: number }[])[0]?.status;
  };
  expect(await apply(name, 9, '192.0.2.9')).toBe(200);
  expect(await apply(`${name}-b`, 9, '192.0.2.9')).toBe(200);
  expect(await apply(name, 3, '192.0.2.3')).toBe(409);
  expect(await says(admin, 'POST', `/${name}/accept-older`)).toBe('403 forbidden');
  const member = await addPerson(service, { team: 'first', role: 'member' });
  expect(await says(member, 'POST', `/${name}/accept-older`)).toBe('403 forbidden');
  expect(await apply(name, 3, '192.0.2.3')).toBe(409);
  expect((await accept()).status).toBe(200);
  expect(await apply(name, 3, '192.0.2.3')).toBe(200);
  expect(await apply(name, 2, '192.0.2.2')).toBe(409);
  expect(await apply(`${name}-b`, 3, '192.0.2.3')).toBe(409);
  expect((await accept()).status).toBe(200);
  // The acceptance does not concern the objects of the next restore, before any write of the set.
  await beat('restore=next');
  expect(await apply(name, 1, '192.0.2.1')).toBe(409);
  expect(await apply(name, 3, '192.0.2.4')).toBe(409);
  const read = async () => (await request('GET', `/zones/${zone.id}/owners?prefix=k8s:${name}/`)).body.owners;
  expect(await read()).toMatchObject([{ generation: 3 }]);
  expect((await accept()).status).toBe(200);
  expect(await read()).toMatchObject([{ generation: null }]);
  expect(await apply(name, 1, '192.0.2.1')).toBe(200);
  expect(await read()).toMatchObject([{ generation: 1 }]);
  const rows = await sql`select action from account_changes where subject = ${name}`;
  expect(rows.map(({ action }) => action)).toEqual(Array.from({ length: 3 }, () => 'cluster.accept-older'));
});

test('sets of more zones than one step locks accept older objects, and those of no other team do', async () => {
  const database = await cloneDatabase();
  const { db, close } = openDatabase(database.url, { max: 1, name: 'restored-test' });
  const on = database.sql;
  await on`insert into teams (id, name) values ('team_1', 'one'), ('team_2', 'two')`;
  await on`insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
    select 'zone_' || z, case when z = 1 then 'team_2' else 'team_1' end, 'z' || z || '.example', 'example z' || z,
      'active', 60, 1, '{}' from generate_series(1, 45) z`;
  await on`insert into owned_sets (id, zone_no, owner, name, ordername, type, generation, digest, value_count, share, retain, drift, applied_at)
    select 'set_' || no || owner, no, owner, 'n', 'n', 'A', 7, '', 0, true, false, 'Enforce', now()
    from zones, unnest(array['k8s:prod/a/b', 'k8s:prod-2/a/b', 'app']) owner`;
  const steps: (number | null)[] = [-1];
  while (steps.at(-1) !== null)
    steps.push(await db.transaction((tx) => letSetsAcceptOlder(tx, 'team_1', 'prod', steps.at(-1) ?? 0)));
  expect(steps.slice(1)).toEqual([21, 41, 45, null]);
  const left =
    await on`select z.team_id, s.owner, count(*)::int as sets from owned_sets s join zones z on z.no = s.zone_no
    where not s.accepts_older group by 1, 2 order by 1, 2`;
  expect(left.map(({ team_id, owner: name, sets }) => `${team_id} ${name} ${sets}`)).toEqual([
    'team_1 app 44',
    'team_1 k8s:prod-2/a/b 44',
    'team_2 app 1',
    'team_2 k8s:prod-2/a/b 1',
    'team_2 k8s:prod/a/b 1',
  ]);
  await close();
  await database.close();
});

test('heartbeats of an operator that does not reach its kube-apiserver keep the cluster from being lost, and say so', async () => {
  const { name, beat } = newCluster();
  const away = async () => (await beat('controlPlane=unreachable')).controlPlane;
  const age = (seconds: number) =>
    sql`update clusters set reachable_at = reachable_at - ${`${seconds} seconds`}::interval,
      heartbeat_at = heartbeat_at - ${`${seconds} seconds`}::interval where name = ${name}`;
  await beat('');
  expect(await away()).toBe('reachable');
  await age(20);
  expect(await away()).toBe('reachable');
  await age(10);
  expect(await away()).toBe('unreachable');
  const [row] =
    await sql`select now() - heartbeat_at < interval '10 seconds' as fresh from clusters where name = ${name}`;
  expect(row).toEqual({ fresh: true });
  // One pod that lost its way to the API server does not outvote the leader.
  await age(10);
  expect((await beat('')).controlPlane).toBe('reachable');
  await age(10);
  expect(await away()).toBe('reachable');
  await lose(name);
  expect((await beat('controlPlane=unreachable')).state).toBe('active');
});

test.each([
  'renewals=-1',
  'renewals=1.5',
  'renewals=9999999999999999999',
  `lease=${'x'.repeat(65)}`,
  'lease=',
  'older=x',
  'restore=',
  'controlPlane=gone',
])('a heartbeat with %s is refused', async (query) => {
  const { name } = newCluster();
  expect(await says(admin, 'PUT', `/${name}?${query}`)).toBe('400 bad_request');
});
