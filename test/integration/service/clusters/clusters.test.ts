// Clusters over HTTP and DNS: heartbeats, rights, and which records are served while a cluster is drained or lost.
import { expect, test } from 'vitest';
import { CLUSTER_TIMES, clusterApi } from '../../../support/service/clusters.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';

const service = await startTestService({
  warnings: ['a cluster is lost'],
  busyAfterMs: 60_000,
  clusterTimes: CLUSTER_TIMES,
});
const { request, dns, sql, admin } = service;
const { send, says, lose } = clusterApi(service);
const account = accountApi(service);
const owner = await addPerson(service, { team: 'first' });
let count = 0;

const a = (cluster: string, values: string[], more: object = {}) => ({
  owner: `k8s:${cluster}/default/www`,
  name: 'www',
  type: 'A',
  values: values.map((content) => ({ content })),
  ...more,
});

async function newZone(key = admin) {
  count += 1;
  const { id, zoneName } = await service.zone(`clusters-${count}.example`, key);
  const apply = async (...sets: object[]) => {
    const { body } = await request('POST', `/zones/${id}/records:apply`, { sets }, key.text);
    const results = body.results as { status: number; message?: string }[];
    expect(results.map(({ status, message }) => `${status} ${message ?? ''}`)).toEqual(sets.map(() => '200 '));
  };
  const served = async (name = 'www', type = 'A') => {
    const { answers } = await dns.lookup(`${name}.${zoneName}`, type);
    return answers.map((line) => line.split(' ').at(-1));
  };
  const withdrawn = async () => {
    const { body } = await request('GET', `/zones/${id}/records`, undefined, key.text);
    const records = body.records as { content: string; withdrawn?: boolean }[];
    return records
      .filter((record) => record.withdrawn === true)
      .map(({ content }) => content)
      .sort();
  };
  return { id, zoneName, apply, served, withdrawn };
}

/** Two clusters with unused names that have sent a heartbeat. */
async function twoClusters(key = admin) {
  count += 1;
  const names = [`east-${count}`, `west-${count}`] as const;
  for (const name of names) expect(await says(key, 'PUT', `/${name}`)).toBe(200);
  return names;
}

test('a heartbeat adds a cluster, and the list shows it', async () => {
  const [east] = await twoClusters();
  const { body } = await send(admin, 'GET', '');
  expect((body.clusters as { name: string }[]).find(({ name }) => name === east)).toEqual({
    name: east,
    owner: `org:${admin.team}`,
    state: 'active',
    settled: true,
    lastHeartbeat: expect.stringMatching(/^\d{4}-.*Z$/),
    drainedAt: null,
    lostAt: null,
    objects: null,
    controlPlane: 'reachable',
    etcdRestoredAt: null,
    olderAcceptedAt: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
  });
  expect(((await send(owner, 'GET', '')).body.clusters as { name: string }[]).map(({ name }) => name)).toContain(east);
});

test('values of a drained cluster are not served while there are others, and come back', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  await zone.apply(a(east, ['192.0.2.1']), a(west, ['192.0.2.2']));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.2']);
  expect((await send(owner, 'POST', `/${east}/drain`)).body).toMatchObject({ state: 'drained' });
  await expect.poll(() => zone.served()).toEqual(['192.0.2.2']);
  await expect.poll(() => zone.withdrawn()).toEqual(['192.0.2.1']);
  // The cluster still writes, and its new values are withdrawn too.
  await zone.apply(a(east, ['192.0.2.1', '192.0.2.3']));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.2']);
  // The last value is served.
  await zone.apply(a(west, []));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.3']);
  await zone.apply(a(west, ['192.0.2.4']));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.4']);
  expect((await send(owner, 'POST', `/${east}/restore`)).body).toMatchObject({ state: 'active' });
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.3', '192.0.2.4']);
  await expect.poll(() => zone.withdrawn()).toEqual([]);
});

test('the name server does not answer with the values of a drained cluster soon after the drain', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  await zone.apply(a(east, ['192.0.2.1']), a(west, ['192.0.2.2']));
  await zone.served();
  const began = performance.now();
  await send(owner, 'POST', `/${east}/drain`);
  const end = began + 60_000;
  for (;;) {
    const { answers } = await dns.raw.lookup(`www.${zone.zoneName}`, 'A');
    expect(answers.length).toBeGreaterThan(0);
    if (answers.length === 1) break;
    expect(performance.now()).toBeLessThan(end);
  }
});

test('a value of two clusters is withdrawn only if both are', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  const third = `third-${count}`;
  await says(admin, 'PUT', `/${third}`);
  const anycast = ['192.0.2.1'];
  await zone.apply(a(east, anycast, { share: true }), a(west, anycast, { share: true }), a(third, ['192.0.2.9']));
  await send(owner, 'POST', `/${east}/drain`);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.9']);
  await send(owner, 'POST', `/${west}/drain`);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.9']);
  await send(owner, 'POST', `/${west}/restore`);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.9']);
  // The owner that is not withdrawn leaves, although no record changes by that.
  await zone.apply(a(west, []));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.9']);
  await zone.apply(a(west, anycast, { share: true }));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.9']);
  // A record without an owner is served.
  await zone.apply(a(west, []));
  await zone.apply({ ...a(east, []), retain: true });
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.9']);
  await expect.poll(() => zone.withdrawn()).toEqual([]);
});

test('records without other owners stay: other types, other names, and plain records', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  await service.record(zone, 'plain', 'A', '192.0.2.7');
  await zone.apply(
    a(east, ['192.0.2.1']),
    { ...a(west, []), type: 'AAAA', values: [{ content: '2001:db8::1' }] },
    { ...a(east, ['192.0.2.5']), owner: `k8s:${east}/default/plain`, name: 'plain' },
    { ...a(east, ['192.0.2.6']), owner: `external-dns:${east}/x`, name: 'other' },
  );
  await send(owner, 'POST', `/${east}/drain`);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1']);
  await expect.poll(() => zone.served('www', 'AAAA')).toEqual(['2001:db8::1']);
  await expect.poll(() => zone.served('plain')).toEqual(['192.0.2.7']);
  await expect.poll(() => zone.served('other')).toEqual(['192.0.2.6']);
  const { body } = await request('GET', `/zones/${zone.id}/owners?prefix=k8s:${east}/`);
  expect((body.owners as { records: object[] }[]).flatMap(({ records }) => records)).toMatchObject([
    { content: '192.0.2.5', withdrawn: true },
    { content: '192.0.2.1', withdrawn: true },
  ]);
  // A client sends back the record as the list has it.
  const { body: list } = await request('GET', `/zones/${zone.id}/records?name=plain&content=192.0.2.5`);
  const [record] = list.records as { id: string }[];
  expect((await request('PUT', `/zones/${zone.id}/records/${record?.id}`, record)).status).toBe(200);
});

test('sets of a lost cluster are withdrawn if they say so, until its next heartbeat', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  await zone.apply(
    a(east, ['192.0.2.1'], { whenClusterLost: 'Withdraw' }),
    { ...a(east, ['192.0.2.3']), owner: `k8s:${east}/default/kept` },
    a(west, ['192.0.2.2'], { whenClusterLost: 'Withdraw' }),
  );
  await lose(east);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.2', '192.0.2.3']);
  const { body } = await send(admin, 'GET', '');
  expect((body.clusters as { name: string }[]).find(({ name }) => name === east)).toMatchObject({ state: 'lost' });
  await expect.poll(() => service.metrics()).toMatch(/zonestead_clusters\{state="lost"\} 1\n/);
  // The set changes its mind while its cluster is lost, as another replica of its operator may.
  await zone.apply(a(east, ['192.0.2.1'], { whenClusterLost: 'Keep' }));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
  await zone.apply(a(east, ['192.0.2.1'], { whenClusterLost: 'Withdraw' }));
  await expect.poll(() => zone.served()).toEqual(['192.0.2.2', '192.0.2.3']);
  await lose(west);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.3']);
  expect((await send(admin, 'PUT', `/${east}`)).body).toMatchObject({ state: 'active', lostAt: null });
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.3']);
  await send(admin, 'PUT', `/${west}`);
  await expect.poll(() => zone.served()).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.3']);
});

test('a drained cluster that is lost and back stays drained', async () => {
  const zone = await newZone();
  const [east, west] = await twoClusters();
  await zone.apply(a(east, ['192.0.2.1']), a(west, ['192.0.2.2']));
  await send(owner, 'POST', `/${east}/drain`);
  await lose(east);
  expect((await send(admin, 'PUT', `/${east}`)).body).toMatchObject({ state: 'drained' });
  await expect.poll(() => zone.served()).toEqual(['192.0.2.2']);
});

test('the same name in another team is another cluster', async () => {
  const [east] = await twoClusters();
  const other = await service.key({ team: 'second' });
  const stranger = await addPerson(service, { team: 'second' });
  const [mine, theirs] = [await newZone(), await newZone(other)];
  for (const zone of [mine, theirs]) {
    await zone.apply(a(east, ['192.0.2.1']), { ...a('none', ['192.0.2.2']), owner: 'k8s:none/default/x' });
  }
  // They see and drain nothing of this team.
  expect(((await send(other, 'GET', '')).body.clusters as object[]).length).toBe(0);
  expect(await says(stranger, 'POST', `/${east}/drain`)).toBe('404 not_found');
  expect(await says(stranger, 'POST', `/${east}/drain?owner=org:${admin.team}`)).toBe('403 forbidden');
  expect(await says(other, 'PUT', `/${east}?owner=org:${admin.team}`)).toBe('403 forbidden');
  expect(await says(other, 'GET', `?owner=org:${admin.team}`)).toBe('403 forbidden');
  expect(await says(stranger, 'DELETE', `/${east}?owner=org:${admin.team}`)).toBe('403 forbidden');
  expect(await says(other, 'PUT', `/${east}`)).toBe(200);
  expect((await send(stranger, 'POST', `/${east}/drain`)).body).toMatchObject({ owner: `org:${other.team}` });
  await expect.poll(() => mine.served()).toEqual(['192.0.2.1', '192.0.2.2']);
  await expect.poll(() => theirs.served()).toEqual(['192.0.2.2']);
});

test('drain and restore are in the history of the team, once each', async () => {
  const [east] = await twoClusters();
  for (const verb of ['drain', 'drain', 'restore', 'restore']) await send(owner, 'POST', `/${east}/${verb}`);
  const { body } = await account.send(owner, 'GET', `/teams/${owner.team}/changes`);
  const mine = (body.changes as { action: string; subject: string; keyId: string }[]).filter(
    ({ subject }) => subject === east,
  );
  expect(mine.map(({ action, keyId }) => [action, keyId])).toEqual([
    ['cluster.restore', owner.keyId],
    ['cluster.drain', owner.keyId],
  ]);
});

test('a refusal of an unknown cluster or a bad name says which ones are accepted', async () => {
  const [east] = await twoClusters();
  const unknown = await send(owner, 'POST', '/nowhere/drain');
  expect([unknown.status, unknown.body.field]).toEqual([404, 'name']);
  expect(unknown.body.message).toContain('the cluster nowhere does not exist: the known clusters are ');
  for (const name of ['Prod', '-a', 'a-', `${'a'.repeat(64)}`, 'a_b', 'a%2Fb']) {
    const reply = await send(admin, 'PUT', `/${name}`);
    expect([name, reply.status, reply.body.field]).toEqual([name, 400, 'name']);
  }
  expect(await says(admin, 'PUT', `/${'a'.repeat(63)}`)).toBe(200);
  expect(await says(admin, 'PUT', `/${east}?owner=nobody`)).toMatch(/^40[03] /);
  const zone = await newZone();
  const { body } = await request('POST', `/zones/${zone.id}/records:apply`, {
    sets: [a(east, ['192.0.2.1'], { whenClusterLost: 'Never' })],
  });
  expect((body.results as object[])[0]).toMatchObject({ status: 400, field: 'whenClusterLost' });
});

test('a team has a limited number of clusters, and removes those that are gone', async () => {
  const key = await service.key({ team: 'many' });
  const person = await addPerson(service, { team: 'many' });
  await sql`insert into clusters (owner, name) select ${key.team}, 'c' || n from generate_series(1, 100) n`;
  expect(await says(key, 'PUT', '/c100')).toBe(200);
  expect(await says(key, 'PUT', '/c101')).toBe('409 conflict');
  expect(await says(person, 'DELETE', '/c100')).toBe('409 conflict');
  const zone = await newZone(key);
  await zone.apply(a('c1', ['192.0.2.1']));
  await sql`update clusters set heartbeat_at = now() - interval '61 seconds' where owner = ${key.team}`;
  const owning = await send(person, 'DELETE', '/c1');
  expect([owning.status, owning.body.message]).toEqual([409, expect.stringContaining('owns 1 sets')]);
  expect(await says(person, 'DELETE', '/c100')).toBe(204);
  expect(await says(person, 'DELETE', '/c100')).toBe('404 not_found');
  expect(await says(key, 'PUT', '/c101')).toBe(200);
});

test('a cluster is removed only after the writes that have seen it', async () => {
  const zone = await newZone();
  const [east] = await twoClusters();
  await service.record(zone, 'www', 'A', '192.0.2.9');
  await send(owner, 'POST', `/${east}/drain`);
  await sql`update clusters set heartbeat_at = now() - interval '61 seconds' where name = ${east}`;
  const writer = service.database.connect();
  try {
    const removing = await writer.begin(async (tx) => {
      // A write whose trigger has withdrawn the record.
      await tx`insert into records (id, zone_no, name, ordername, type, content, rdata, digest)
        select 'rec_late', no, 'www', 'www', 'A', '192.0.2.8', '192.0.2.8', '8' from zones where id = ${zone.id}`;
      await tx`insert into owned_sets (id, zone_no, owner, name, ordername, type, digest, value_count, share, retain, drift, applied_at)
        select 'set_late', no, ${`k8s:${east}/default/www`}, 'www', 'www', 'A', '', 1, true, false, 'Enforce', now() from zones
        where id = ${zone.id}`;
      await tx`insert into record_owners (record_id, set_id, digest) values ('rec_late', 'set_late', '8')`;
      const answer = send(owner, 'DELETE', `/${east}`);
      let isOver = false;
      void answer.then(() => {
        isOver = true;
      });
      const waiting = () => sql`select from pg_locks where relation = 'clusters'::regclass and not granted`;
      await expect.poll(async () => isOver || (await waiting()).length > 0, { timeout: 60_000 }).toBe(true);
      return { answer };
    });
    expect((await removing.answer).body.message).toContain('owns 1 sets');
  } finally {
    await writer.end();
    await sql`delete from record_owners where set_id = 'set_late'`;
    await sql`delete from owned_sets where id = 'set_late'`;
    await sql`delete from records where id = 'rec_late'`;
  }
});

test('a removal that is refused waits for no write, and no write waits for it', async () => {
  const [east] = await twoClusters();
  const writer = service.database.connect();
  try {
    await writer.begin(async (tx) => {
      await tx`lock table clusters in access share mode`;
      expect(await says(owner, 'DELETE', `/${east}`)).toBe('409 conflict');
    });
  } finally {
    await writer.end();
  }
});

test('a name belongs to one instance until that is lost', async () => {
  const [east] = await twoClusters();
  const beat = (instance: string) => send(admin, 'PUT', `/${east}?instance=${instance}`);
  const saysOf = (instance: string) => says(admin, 'PUT', `/${east}?instance=${instance}`);
  expect(await saysOf('one')).toBe(200);
  expect(await saysOf('one')).toBe(200);
  const { status, body } = await beat('two');
  expect([status, body.error, body.field]).toEqual([409, 'conflict', 'instance']);
  expect(body.message).toContain(`sends the heartbeats of the cluster ${east}`);
  // The refused heartbeat counts for no cluster, and one without an instance is not compared.
  const [row] =
    await sql`update clusters set heartbeat_at = now() - interval '30 seconds' where name = ${east} returning *`;
  expect(await saysOf('two')).toBe('409 conflict');
  const [same] = await sql`select * from clusters where name = ${east}`;
  expect(same).toEqual(row);
  expect(await says(admin, 'PUT', `/${east}`)).toBe(200);
  expect(await saysOf('two')).toBe('409 conflict');
  await lose(east);
  expect((await beat('two')).body).toMatchObject({ state: 'active', lostAt: null });
  expect(await saysOf('one')).toBe('409 conflict');
  for (const wrong of ['', 'a%20b', 'a'.repeat(65)]) expect(await saysOf(wrong)).toBe('400 bad_request');
});
