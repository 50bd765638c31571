// The right to clusters, and the key or subject that the name of a cluster belongs to.
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ensureTrust } from '#service/credentials/ensure-trust.ts';
import { CLUSTER_TIMES, clusterApi } from '../../../support/service/clusters.ts';
import type { KeyOptions } from '../../../support/service/keys.ts';
import { accountApi, addPerson } from '../../../support/service/people.ts';
import { startTestService } from '../../../support/service/service.ts';
import { issuerKey, seconds } from '../../../support/tokens/keys.ts';

// One test holds a lock, for which a busy machine may need longer than the default limit. No cluster is lost by itself.
const service = await startTestService({
  warnings: ['a cluster is lost'],
  busyAfterMs: 60_000,
  clusterTimes: CLUSTER_TIMES,
});
const { sql, admin } = service;
const { send, says, lose } = clusterApi(service);
const account = accountApi(service);
const owner = await addPerson(service, { team: 'first' });
let count = 0;

/** A cluster with an unused name that has sent a heartbeat. */
async function newCluster(): Promise<string> {
  count += 1;
  const name = `east-${count}`;
  expect(await says(admin, 'PUT', `/${name}`)).toBe(200);
  return name;
}

test('heartbeats and the list need the right to clusters, and drain needs an owner of the team', async () => {
  const east = await newCluster();
  const member = await addPerson(service, { team: 'first', role: 'member' });
  expect(await says({ text: 'yu_0_0' }, 'GET', '')).toBe('401 unauthorized');
  for (const who of [admin, member]) {
    expect(await says(who, 'POST', `/${east}/drain`)).toBe('403 forbidden');
    expect(await says(who, 'POST', `/${east}/restore`)).toBe('403 forbidden');
    expect(await says(who, 'POST', `/${east}/release`)).toBe('403 forbidden');
    expect(await says(who, 'DELETE', `/${east}`)).toBe('403 forbidden');
  }
  const zone = await service.zone();
  const acme = { clusters: 'none', onlyNames: ['_acme-challenge'], onlyTypes: ['TXT'] } as const;
  const none = { records: 'none', manageZones: 'none' } as const;
  for (const rights of [
    { clusters: 'none' },
    { ...acme, manageZones: 'none', onlyNames: [...acme.onlyNames], onlyTypes: [...acme.onlyTypes] },
    { ...none, clusters: 'none', grants: { [zone.id]: 'write' } },
  ] as KeyOptions[]) {
    const key = await service.key(rights);
    for (const path of [`/${east}`, '/made-up']) expect(await says(key, 'PUT', path)).toBe('403 forbidden');
    expect(await says(key, 'GET', '')).toBe('403 forbidden');
    expect(await says(key, 'DELETE', `/${east}`)).toBe('403 forbidden');
  }
  expect(await sql`select from clusters where name = 'made-up'`).toHaveLength(0);
  expect(await says(await service.key({ ...none, clusters: 'write' }), 'GET', '')).toBe(200);
});

test('a token of a trust for every namespace sends no heartbeat, and one of a trust with the right does', async () => {
  const key = await issuerKey('cluster');
  const issuer = 'https://cluster.example';
  const keySource = { kind: 'pinned' as const, jwks: { keys: [key.jwk as Record<string, unknown>] } };
  const ensure = (name: string, terms: object) => {
    const match = { 'kubernetes.io': { namespace: '*' } };
    const wanted = { name, issuer, keySource, match, records: 'write' as const, ...terms };
    return ensureTrust(service.database.url, { team: 'first', terms: wanted }, randomBytes, new Date());
  };
  const onlyNames = [`*.\${namespace}`];
  await ensure('namespaces', { onlyNames });
  const open = await ensure('open', { onlyNames, clusters: 'write' }).catch((error: Error) => error);
  expect(open).toMatchObject({ field: 'clusters', message: expect.stringContaining('speak for the clusters') });
  const tokenOf = async (namespace: string) => ({
    text: await key.sign({
      iss: issuer,
      aud: ['zonestead'],
      sub: `system:serviceaccount:${namespace}:operator`,
      iat: seconds(),
      exp: seconds() + 600,
      'kubernetes.io': { namespace, serviceaccount: { name: 'operator', uid: `uid-${namespace}` } },
    }),
  });
  expect(await says(await tokenOf('shop'), 'PUT', '/of-token')).toBe('403 forbidden');
  expect(await says(await tokenOf('shop'), 'GET', '')).toBe('403 forbidden');
  const operator = { match: { 'kubernetes.io': { namespace: 'zonestead' } }, clusters: 'write', audience: 'zonestead' };
  const made = await ensure('operator', operator);
  await sql`update trusts set created_at = '2020-01-01' where id = ${made.trustId}`;
  expect(await says(await tokenOf('zonestead'), 'PUT', '/of-token')).toBe(200);
  // The keys of the trust change, and the subject keeps the name.
  const next = await issuerKey('next');
  await ensure('operator', { ...operator, keySource: { kind: 'pinned', jwks: { keys: [next.jwk, key.jwk] } } });
  expect(await says(await tokenOf('zonestead'), 'PUT', '/of-token')).toBe(200);
});

describe('the name of a cluster', () => {
  /** Two keys of one team that may send heartbeats, and a cluster of the first one. */
  async function twoKeys() {
    const [mine, other] = [await service.key(), await service.key()];
    count += 1;
    const name = `held-${count}`;
    expect(await says(mine, 'PUT', `/${name}?instance=one`)).toBe(200);
    return { mine, other, name };
  }

  test('the name of a cluster belongs to the key that registered it, also after its loss', async () => {
    const { mine, other, name } = await twoKeys();
    const refused = await send(other, 'PUT', `/${name}?instance=two`);
    expect([refused.status, refused.body.field]).toEqual([409, 'instance']);
    expect(refused.body.message).toContain(`zonestead clusters release ${name}`);
    expect(await says(other, 'PUT', `/${name}`)).toBe('409 conflict');
    await lose(name);
    expect(await says(other, 'PUT', `/${name}?instance=two`)).toBe('409 conflict');
    expect(await says(other, 'PUT', `/${name}`)).toBe('409 conflict');
    const [row] = await sql`select lost_at is not null as lost from clusters where name = ${name}`;
    expect(row).toEqual({ lost: true });
    expect(await says(mine, 'PUT', `/${name}?instance=rebuilt`)).toBe(200);
  });

  test('the name of a cluster goes to another key of the same Kubernetes cluster, whose key was replaced', async () => {
    const { mine, other, name } = await twoKeys();
    expect(await says(other, 'PUT', `/${name}?instance=one`)).toBe(200);
    expect(await says(mine, 'PUT', `/${name}`)).toBe('409 conflict');
    expect(await says(mine, 'PUT', `/${name}?instance=one`)).toBe(200);
  });

  test('the name of a cluster goes to the next key after an owner of the team released it, which the history says', async () => {
    const { mine, other, name } = await twoKeys();
    for (let twice = 0; twice < 2; twice += 1) expect(await says(owner, 'POST', `/${name}/release`)).toBe(200);
    expect(await says(other, 'PUT', `/${name}?instance=two`)).toBe(200);
    expect(await says(mine, 'PUT', `/${name}?instance=one`)).toBe('409 conflict');
    const { body } = await account.send(owner, 'GET', `/teams/${owner.team}/changes`);
    const changes = (body.changes as { action: string; subject: string }[]).filter(({ subject }) => subject === name);
    expect(changes.map(({ action }) => action)).toEqual(['cluster.release']);
    expect(await says(owner, 'POST', '/nowhere/release')).toBe('404 not_found');
  });
});

test('a new cluster counts as a write of its key, and the next heartbeats do not', async () => {
  const { request: limited } = await service.anotherApi({ settings: { ZONESTEAD_LIMITS: 'on' } });
  const key = await service.key({ recordWrites: 2 });
  const beat = async (name: string) => (await limited('PUT', `/../clusters/${name}`, undefined, key.text)).status;
  for (const name of ['counted-1', 'counted-2', 'counted-1', 'counted-2', 'counted-1'])
    expect(await beat(name)).toBe(200);
  expect(await beat('counted-3')).toBe(429);
});

test.each(['personal', 'team'])(
  'a key that is revoked while its drain of a %s cluster waits changes nothing',
  async (kind) => {
    const person = await addPerson(service, { team: 'first' });
    const name = kind === 'team' ? await newCluster() : 'own';
    if (kind === 'personal') expect(await says(person, 'PUT', '/own')).toBe(200);
    const [holder, text] = kind === 'team' ? [admin.team, `org:${admin.team}`] : [person.id, 'personal'];
    let waiting: Promise<number | string> | undefined;
    await sql.begin(async (tx) => {
      await tx`select from clusters where owner = ${holder} and name = ${name} for update`;
      waiting = says(person, 'POST', `/${name}/drain?owner=${text}`);
      const locked = () =>
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await locked()).length, { timeout: 60_000 }).toBeGreaterThan(0);
      await sql`update api_keys set revoked_at = now() where id = ${person.keyId}`;
    });
    expect(await waiting).toBe('401 unauthorized');
    expect(
      await sql`select from clusters where owner = ${holder} and name = ${name} and drained_at is not null`,
    ).toEqual([]);
  },
);

test('a person has clusters too, and names the owner if several have one of the name', async () => {
  const east = await newCluster();
  expect((await send(owner, 'PUT', `/${east}`)).body).toMatchObject({ owner: 'personal', state: 'active' });
  const both = await send(owner, 'POST', `/${east}/drain`);
  expect([both.status, both.body.field]).toEqual([400, 'owner']);
  expect(both.body.message).toContain(`org:${admin.team}`);
  expect((await send(owner, 'POST', `/${east}/drain?owner=personal`)).body).toMatchObject({
    owner: 'personal',
    state: 'drained',
  });
  const { body } = await send(owner, 'GET', `?owner=org:${admin.team}`);
  expect((body.clusters as { name: string }[]).find(({ name }) => name === east)).toMatchObject({ state: 'active' });
});
