// The keys that the bootstrap Job makes: its run may end at any point, and the next run leaves the Secrets and the database as if
// nothing had happened.
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { bootstrap, type JobContext } from '#cli/jobs/bootstrap.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { SECRET } from '#kube/objects/secrets.ts';
import type { Logger } from '#telemetry/log.ts';
import { cloneDatabase } from '../../support/database.ts';
import { memoryApi } from '../../support/memory-api.ts';

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

const options = (rotation: string, suffix = '') =>
  bootstrapOptions({
    database: 'external',
    databaseName: 'zonestead',
    urlSecret: 'database',
    urlKey: 'uri',
    keySecret: `operator-key${suffix}`,
    nodeKeySecret: `node-key${suffix}`,
    team: 'platform',
    rotation,
    labels: 'a=b',
    timeout: '20',
  });

/** A run that ends after its `last`th step: a call of Kubernetes, or a key that is registered. @returns the number of steps if it came through */
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
  const log = { info: step, warn: () => undefined } as unknown as Logger;
  try {
    await bootstrap(options(rotation, suffix), { api, namespace, clock: realClock, log }, stop.signal);
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

const KINDS = [
  { secret: 'operator-key', table: 'api_keys', field: 'apiKey' },
  { secret: 'node-key', table: 'node_keys', field: 'nodeKey' },
] as const;

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

test('a second run changes nothing, and a new --rotation gives both new keys while the old ones work for another hour', async () => {
  await run('');
  await expectKeys();
  const first = KINDS.map(({ secret }) => keyIn(secret));
  expect(first.map(({ text }) => text)).toEqual([
    expect.stringMatching(/^yk_[0-9a-f]{12}_[0-9a-f]{64}$/),
    expect.stringMatching(/^yn_[0-9a-f]{12}_[0-9a-f]{64}$/),
  ]);
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
  const [before] = await sql`select expires_at from node_keys where id = ${first[1]?.id ?? ''}`;
  await run('2027');
  expect((await sql`select expires_at from node_keys where id = ${first[1]?.id ?? ''}`)[0]).toEqual(before);
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
  await sql`update node_keys set revoked_at = now() where id = ${before[1] ?? ''}`;
  await sql`update api_keys set revoked_at = now() where id = ${before[0] ?? ''}`;
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
