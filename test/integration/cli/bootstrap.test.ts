// The keys and trusts that the bootstrap Job makes: its run may end at any point, and the next run leaves the Secrets
// and the database as if nothing had happened.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { bootstrap } from '#cli/jobs/bootstrap.ts';
import type { JobContext } from '#cli/jobs/context.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { SECRET } from '#kube/objects/secrets.ts';
import type { Logger } from '#telemetry/log.ts';
import { memoryApi } from '../../support/kube/memory-api.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';

const HOUR_MS = 3_600_000;
const namespace = 'zonestead';
const database = await cloneDatabase();
const { sql } = database;
const kube = memoryApi();
afterAll(() => database.close());

const encoded = (text: string) => Buffer.from(text).toString('base64');
kube.put(SECRET, {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace, name: 'database' },
  data: { uri: encoded(database.url) },
});

/** As the chart writes them, with the defaults. */
const OPERATOR = {
  name: 'operator',
  audience: 'zonestead',
  match: { 'kubernetes.io': { namespace, serviceaccount: { name: 'zonestead-operator' } } },
  records: 'write',
  manageZones: 'write',
  zoneWrites: 60,
  recordWrites: 600,
};
// biome-ignore lint/suspicious/noTemplateCurlyInString: a template of names, which the service fills.
const NAMES = ['${namespace}', '*.${namespace}'];
const NAMESPACES = {
  name: 'namespaces',
  audience: 'zonestead',
  match: { 'kubernetes.io': { namespace: '*' } },
  zones: ['apps.example', 'Late.Example.'],
  records: 'write',
  onlyNames: NAMES,
};
let trusts: object[] = [OPERATOR];

const given = {
  ...{ database: 'external', databaseName: 'zonestead', urlSecret: 'database', urlKey: 'uri', team: 'platform' },
  ...{ rotation: '', labels: 'a=b', timeout: '20' },
};
const options = (rotation: string, suffix = '') =>
  bootstrapOptions({
    ...given,
    nodeKeySecret: `node-key${suffix}`,
    trusts: JSON.stringify(trusts),
    trustsOf: `${namespace}/zonestead${suffix}`,
    rotation,
  });

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
let issuer = ISSUER;
const request = async ({ path }: { path: string }) =>
  path === '/.well-known/openid-configuration' ? { issuer } : Promise.reject(new Error(path));
const warnings: unknown[] = [];

/**
 * A run that ends after its `last`th step: a call of Kubernetes, or a key that is registered. @returns the number of
 * steps if it came through
 */
async function run(rotation: string, suffix = '', last = Number.POSITIVE_INFINITY): Promise<number | 'ended'> {
  const stop = new AbortController();
  let steps = 0;
  const step = () => {
    steps += 1;
    if (steps < last) return;
    stop.abort(new Error('the pod was deleted'));
    stop.signal.throwIfAborted();
  };
  const calls = kube.api as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>;
  const api = Object.fromEntries(
    Object.entries(calls).map(([verb, call]) => [
      verb,
      async (...args: unknown[]) => {
        const answer = await call(...args);
        step();
        return answer;
      },
    ]),
  ) as unknown as JobContext['api'];
  const log = { info: step, warn: (...words: unknown[]) => warnings.push(words) } as unknown as Logger;
  try {
    await bootstrap(options(rotation, suffix), { api, request, namespace, clock: realClock, log }, stop.signal);
    return steps;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    return 'ended';
  }
}

function keyIn(name: string): { text: string; id: string } {
  const { data } = kube.objects.get(`secrets ${namespace}/${name}`) as unknown as { data: Record<string, string> };
  const text = Buffer.from(Object.values(data)[0] ?? '', 'base64').toString();
  return { text, id: text.split('_')[1] ?? '' };
}

const KINDS = [{ secret: 'node-key', table: 'node_keys', field: 'nodeKey' }] as const;

/** The key in the Secret never expires, and every other key that was registered does so within an hour. */
async function expectKeys(suffix = ''): Promise<void> {
  for (const { secret, table } of KINDS) {
    const { id } = keyIn(`${secret}${suffix}`);
    const names = [`${secret}${suffix}`, `operator (${namespace}/${secret}${suffix})`];
    const rows = await sql`select id, expires_at, revoked_at from ${sql(table)} where name in ${sql(names)}`;
    expect(rows.find((row) => row.id === id)).toMatchObject({ expires_at: null, revoked_at: null });
    for (const row of rows.filter((each) => each.id !== id && each.revoked_at === null)) {
      expect(row.expires_at, `key ${row.id} of ${secret}${suffix}`).toBeInstanceOf(Date);
      expect(row.expires_at.getTime()).toBeLessThanOrEqual(Date.now() + HOUR_MS);
    }
  }
}

test('a second run changes nothing, and a new --rotation gives a new key while the old one works for another hour', async () => {
  await run('');
  await expectKeys();
  const first = KINDS.map(({ secret }) => keyIn(secret));
  expect(first.map(({ text }) => text)).toEqual([expect.stringMatching(/^yn_[0-9a-f]{12}_[0-9a-f]{64}$/)]);
  expect(kube.objects.get(`secrets ${namespace}/node-key`)).toMatchObject({
    type: 'Opaque',
    metadata: { labels: { a: 'b' } },
  });
  const writes = kube.writes.length;
  await run('');
  expect(kube.writes).toHaveLength(writes);

  await run('2027');
  await expectKeys();
  for (const [at, { secret, table }] of KINDS.entries()) {
    const old = first[at] as { id: string };
    expect(keyIn(secret).id).not.toBe(old.id);
    const [row] = await sql`select expires_at from ${sql(table)} where id = ${old.id}`;
    expect(row?.expires_at.getTime()).toBeGreaterThan(Date.now() + HOUR_MS / 2);
  }
  // A later run does not give the old keys more time.
  const [before] = await sql`select expires_at from node_keys where id = ${first[0]?.id ?? ''}`;
  await run('2027');
  expect((await sql`select expires_at from node_keys where id = ${first[0]?.id ?? ''}`)[0]).toEqual(before);
});

test('a run may end at each of its steps: the next one completes it, also after several such runs with new values of --rotation', {
  timeout: 300_000,
}, async () => {
  for (let last = 1; ; last += 3) {
    const suffix = `-${last}`;
    if ((await run('', suffix, last)) !== 'ended') break;
    await run('', suffix);
    await expectKeys(suffix);
  }
  for (let last = 1; ; last += 1) {
    const came = await run(`a${last}`, '', last);
    await run(`b${last}`, '', last);
    await run(`b${last}`);
    await expectKeys();
    if (came !== 'ended') break;
  }
});

test('a revoked key is replaced', async () => {
  await run('b');
  const before = KINDS.map(({ secret }) => keyIn(secret).id);
  await sql`update node_keys set revoked_at = now() where id = ${before[0] ?? ''}`;
  for (let last = 1; last < 40 && (await run('b', '', last)) === 'ended'; last += 3);
  await run('b');
  for (const [at, { secret }] of KINDS.entries()) expect(keyIn(secret).id).not.toBe(before[at]);
  await expectKeys();
});

test('a foreign text in the Secret is replaced', async () => {
  kube.put(SECRET, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: 'node-key-foreign' },
    data: { nodeKey: encoded(`yn_${randomBytes(6).toString('hex')}`) },
  });
  await run('', '-foreign');
  await expectKeys('-foreign');
});

const place = (suffix: string) => `(${namespace}/zonestead${suffix})`;
const stored = async (suffix: string) =>
  sql`select t.name, t.issuer, t.key_source as source, t.records, t.manage_zones as "manageZones", t.only_names as "onlyNames",
      t.zone_writes as zones, t.record_writes as "recordWrites",
      t.pin_subjects as pins, t.revoked_at is not null as revoked,
      (select array_agg(z.name || ' ' || g.records) from trust_zone_grants g join zones z on z.id = g.zone_id
        where g.trust_id = t.id) as grants
      from trusts t where t.name like ${`% ${place(suffix)}`} order by t.name`;
const history = async () => (await sql`select count(*)::int as n from account_changes`)[0]?.n;
const operator = (suffix: string) => ({
  ...{ name: `operator ${place(suffix)}`, issuer: ISSUER, source: { kind: 'cluster' }, pins: false, revoked: false },
  ...{ records: 'write', manageZones: 'write', onlyNames: null, grants: null, zones: 60, recordWrites: 600 },
});

test('the trusts of the values are added for the issuer of the cluster, and a second run changes nothing', async () => {
  trusts = [OPERATOR];
  await run('', '-a');
  expect(await stored('-a')).toEqual([operator('-a')]);
  const entries = await history();
  await run('', '-a');
  expect([await stored('-a'), await history()]).toEqual([[operator('-a')], entries]);
});

test('the trusts of the values give rights on the named zones of the team alone, and name those that the team does not have', async () => {
  const [team] = await sql`select id from teams where name = 'platform'`;
  const zone = (id: string, name: string, owner: string) => sql`
      insert into zones (id, team_id, name, tree, state, default_ttl, serial, ds)
      values (${id}, ${owner}, ${name}, ${name.split('.').reverse().join(' ')}, 'active', 3600, 1, '{}')`;
  await zone('zone_a1', 'apps.example', team?.id);
  await sql`insert into teams (id, name) values ('team_other', 'other')`;
  await zone('zone_a2', 'late.example', 'team_other');
  trusts = [OPERATOR, NAMESPACES];
  warnings.length = 0;
  await run('', '-b');
  const namespaces = {
    ...operator('-b'),
    name: `namespaces ${place('-b')}`,
    pins: true,
    records: 'none',
    manageZones: 'none',
    zones: null,
    recordWrites: null,
  };
  expect(await stored('-b')).toEqual([
    { ...namespaces, onlyNames: NAMES, grants: ['apps.example write'] },
    operator('-b'),
  ]);
  expect(warnings).toEqual([[{ trust: 'namespaces', zone: 'late.example' }, expect.stringContaining('no such zone')]]);
  await sql`update zones set team_id = ${team?.id} where id = 'zone_a2'`;
  await run('', '-b');
  expect((await stored('-b'))[0]?.grants.sort()).toEqual(['apps.example write', 'late.example write']);
});

test('the trusts of the values change with the values, and one that left them is revoked; those of other installations and people stay', async () => {
  const others = async () => [await stored('-a'), await stored('-b')];
  const before = await others();
  trusts = [OPERATOR, { ...NAMESPACES, name: 'short', zones: undefined, issuer: 'https://issuer.example' }];
  await run('', '-c');
  trusts = [{ ...OPERATOR, manageZones: 'read' }];
  await run('', '-c');
  expect(await stored('-c')).toMatchObject([
    { manageZones: 'read', revoked: false },
    { source: { kind: 'discovery' }, revoked: true },
  ]);
  trusts = [];
  await run('', '-c');
  expect((await stored('-c')).map(({ revoked }) => revoked)).toEqual([true, true]);
  expect(await others()).toEqual(before);
});

test('the trusts of the values keep their id when the numbers of their writes change, are added or leave', async () => {
  const numbers = async () =>
    sql`select id, zone_writes as zones, record_writes as records from trusts where name = ${`operator ${place('-f')}`}`;
  const { zoneWrites, recordWrites, ...unlimited } = OPERATOR;
  const seen: unknown[] = [];
  for (const trust of [OPERATOR, { ...OPERATOR, recordWrites: 1_000 }, unlimited, OPERATOR]) {
    trusts = [trust];
    await run('', '-f');
    seen.push(...(await numbers()));
  }
  const [{ id } = {} as { id?: string }] = seen as { id: string }[];
  expect(seen).toEqual([
    { id, zones: zoneWrites, records: recordWrites },
    { id, zones: 60, records: 1_000 },
    { id, zones: null, records: null },
    { id, zones: 60, records: 600 },
  ]);
});

test('a zone of the values is there before the trusts, which get their right on it at once, and a second run keeps it', async () => {
  const canary = { name: 'canary', team: 'measuring', zones: ['canary.example'], records: 'write' };
  const runWithZone = (zone: string) =>
    bootstrap(
      bootstrapOptions({
        ...{ ...given, zone: [zone], nameservers: 'ns1.example,ns2.example', trustsOf: `${namespace}/zonestead-z` },
        trusts: JSON.stringify([{ ...OPERATOR, ...canary, manageZones: 'none' }]),
      }),
      { api: kube.api, request, namespace, clock: realClock, log: { info: () => {}, warn: fail } as unknown as Logger },
      new AbortController().signal,
    );
  const fail = (...words: unknown[]) => expect(words).toEqual([]);
  await runWithZone('canary.example=measuring');
  const zones = () =>
    sql`select z.id, t.name from zones z join teams t on t.id = z.team_id where z.name = 'canary.example'`;
  const first = await zones();
  expect(first).toMatchObject([{ name: 'measuring' }]);
  expect((await stored('-z'))[0]?.grants).toEqual(['canary.example write']);
  await runWithZone('canary.example=measuring');
  expect(await zones()).toEqual(first);
  expect(() => bootstrapOptions({ ...given, zone: ['canary.example'] })).toThrow('must be the name of a zone, = and');
});

test('the trusts of the values follow a new issuer of the cluster', async () => {
  trusts = [OPERATOR];
  await run('', '-d');
  issuer = 'https://new.example';
  await run('', '-d');
  issuer = ISSUER;
  expect((await stored('-d')).map((each) => [each.issuer, each.revoked]).sort()).toEqual([
    [ISSUER, true],
    ['https://new.example', false],
  ]);
});

test('the trusts of the values with terms that are not accepted end the Job with the name of the trust, and are not added', async () => {
  trusts = [{ name: 'everybody', match: { sub: '*' }, records: 'write' }];
  await expect(run('', '-e')).rejects.toThrow(/trust everybody: /);
  expect(await stored('-e')).toEqual([]);
  expect(() => bootstrapOptions({ ...given, trusts: '[{"name":"x"}]' })).toThrow(
    '--trusts must be a JSON list of trusts; 0.match',
  );
  expect(() => bootstrapOptions({ ...given, trusts: '[]' })).toThrow('--trusts-of is needed with --trusts');
});
