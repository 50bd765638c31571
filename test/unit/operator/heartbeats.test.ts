// The heartbeats of the cluster: their receivers, their times, and the answers that make records run.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Client } from '#client/client.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import type { Cluster } from '#contract/clusters.ts';
import { sendHeartbeat } from '#contract/operations/clusters.ts';
import {
  createHeartbeats,
  type HeartbeatOptions,
  type HeartbeatResult,
  type Heartbeats,
} from '#operator/cluster/heartbeats.ts';
import { OlderObjects } from '#operator/cluster/older.ts';
import type { Holder } from '#operator/cluster/seen-holder.ts';
import { SeenRestore } from '#operator/cluster/seen-restore.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { createLogger } from '#telemetry/log.ts';
import { fakeClient, on } from '../../support/service/fake-client.ts';
import { FakeClock, settle } from '../../support/time/fake-clock.ts';

type Answer = Partial<Cluster> | Error | 'silence';

let clock: FakeClock;
let sent: string[];
let results: HeartbeatResult[];
let changes: string[];
let lines: string[];
let zones: DNSZone[];
let name: string | undefined;
let answers: Record<string, Answer>;
let beats: Heartbeats;
let ownFailure: Error | null;
let stop: AbortController;
let older: OlderObjects;
/** The Lease, and the time of the last list, for tests of a restored etcd. */
let lease: Pick<HeartbeatOptions, 'lease' | 'listedAt'>;
let seenRestore: SeenRestore;
let queries: Record<string, string | undefined>[];
let ended: Promise<void>;

const clientOf = (key: string) =>
  fakeClient(
    on(sendHeartbeat, async ({ params, query = {} }, call) => {
      const { owner = '' } = query;
      queries.push(query);
      sent.push(`${key} ${params.name} ${owner}`);
      const answer = answers[owner] ?? {};
      if (answer === 'silence') {
        await new Promise<void>((resolve) => {
          call.signal?.addEventListener('abort', () => resolve());
          if (call.timeoutMs !== undefined) clock.setTimeout(resolve, call.timeoutMs);
        });
        throw new ApiUnavailable('no answer in time');
      }
      if (answer instanceof Error) throw answer;
      return { state: 'active', settled: true, ...answer } as Cluster;
    }),
  );
const clients: Record<string, Client> = { own: clientOf('own'), other: clientOf('other') };

function aZone(id: string, owner: string, key = 'own'): DNSZone {
  return { metadata: { name: id, labels: { key } }, spec: {}, status: { zoneId: id, owner } } as unknown as DNSZone;
}
const holderOf = ({ metadata, status }: DNSZone): Holder | undefined =>
  status && {
    client: clients[metadata.labels?.key ?? ''] as Client,
    owner: status.owner ?? '',
    isOwn: metadata.labels?.key === 'own',
  };

beforeEach(() => {
  clock = new FakeClock();
  [sent, results, changes, lines, zones, answers, name] = [[], [], [], [], [], {}, 'east'];
  ownFailure = null;
  [lease, queries] = [{}, []];
  seenRestore = new SeenRestore(clock, () => 'restore');
  older = new OlderObjects(clock);
  stop = new AbortController();
  beats = createHeartbeats({
    clock,
    log: createLogger({ name: 'operator', destination: { write: (line) => lines.push(line) } }),
    cluster: () => name,
    instance: () => 'uid-of-kube-system',
    nameChanged: (which) => changes.push(`name ${which.map(({ metadata }) => metadata.name)}`),
    zones: { list: () => zones },
    holderOf,
    own: async () => {
      if (ownFailure) throw ownFailure;
      return { client: clients.own as Client, owner: 'org:own', isOwn: true };
    },
    othersChanged: (sets) => changes.push(`others ${sets.map(({ owner, by }) => `${owner} ${by}`)}`),
    changed: (which, isDrained) =>
      changes.push(`${isDrained ? 'drained' : 'active'} ${which.map(({ metadata }) => metadata.name)}`),
    sent: (result) => results.push(result),
    older,
    restoredChanged: (which, isRestored) =>
      changes.push(`${isRestored ? 'restored' : 'accepted'} ${which.map(({ metadata }) => metadata.name)}`),
    seenRestore: { id: () => seenRestore.id(), begin: () => seenRestore.begin() },
    lease: () => lease.lease?.(),
    listedAt: () => lease.listedAt?.() ?? 0,
  });
});
afterEach(async () => {
  stop.abort();
  await ended;
});

const run = () => {
  ended = beats.run(stop.signal);
  return settle();
};

test('heartbeats are sent every ten seconds, once for each key and owner of zones', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:1'), aZone('c', 'org:2', 'other'), aZone('d', 'personal')];
  await run();
  const all = ['own east org:1', 'other east org:2', 'own east personal'];
  expect(sent.sort()).toEqual([...all].sort());
  await clock.advance(9_999);
  expect(sent).toHaveLength(3);
  await clock.advance(1);
  expect(sent).toHaveLength(6);
});

test('heartbeats are sent for the team of the own key while there is no zone, and not before the name of the cluster is known', async () => {
  name = undefined;
  await run();
  await clock.advance(20_000);
  expect(sent).toEqual([]);
  name = 'east';
  await clock.advance(2_000);
  expect(sent).toEqual(['own east org:own']);
  zones = [aZone('c', 'org:2', 'other')];
  await clock.advance(10_000);
  expect(sent.slice(1)).toEqual(['other east org:2']);
});

test('heartbeats are sent to one owner while the service does not answer for another', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
  answers = { 'org:1': 'silence' };
  await run();
  expect(sent).toContain('other east org:2');
  await clock.advance(30_000);
  expect(sent.filter((each) => each.endsWith('org:2')).length).toBeGreaterThanOrEqual(3);
  expect(beats.isDrained(zones[0] as DNSZone)).toBeUndefined();
  expect(beats.isDrained(zones[1] as DNSZone)).toBe(false);
});

test('heartbeats begin when the team of the own key is known', async () => {
  ownFailure = new ApiUnavailable('away');
  await run();
  await clock.advance(4_000);
  expect(sent).toEqual([]);
  ownFailure = null;
  await clock.advance(2_000);
  expect(sent).toEqual(['own east org:own']);
});

test('heartbeats end with the signal, and forget what they knew', async () => {
  zones = [aZone('a', 'org:1')];
  answers = { 'org:1': { state: 'drained' } };
  await run();
  expect(beats.isDrained(zones[0] as DNSZone)).toBe(true);
  stop.abort();
  await ended;
  await clock.advance(60_000);
  expect(sent).toHaveLength(1);
  expect(beats.isDrained(zones[0] as DNSZone)).toBeUndefined();
});

test('heartbeats report a drain, its end, and the moment when all records are withdrawn, to the zones of that owner only', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other'), aZone('c', 'personal')];
  await run();
  const first = ['active a', 'active b', 'active c'];
  expect(changes.sort()).toEqual(first);
  answers = { 'org:1': { state: 'drained', settled: false } };
  await clock.advance(20_000);
  expect(changes.splice(3)).toEqual(['drained a']);
  answers = { 'org:1': { state: 'drained', settled: true } };
  await clock.advance(20_000);
  expect(changes.splice(3)).toEqual(['drained a']);
  expect(zones.map((zone) => beats.isDrained(zone))).toEqual([true, false, false]);
  answers = { 'org:1': new ApiUnavailable('away') };
  await clock.advance(20_000);
  expect(beats.isDrained(zones[0] as DNSZone)).toBe(true);
  answers = { 'org:1': { state: 'active', settled: false } };
  await clock.advance(20_000);
  expect(changes.splice(3)).toEqual(['active a']);
  expect(beats.isDrained(zones[0] as DNSZone)).toBe(false);
});

test('heartbeats are repeated sooner while the service does not answer, with one log line; the age of the failure is known', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
  await run();
  answers = { 'org:1': new ApiUnavailable('no answer') };
  await clock.advance(16_000);
  expect(results.filter((result) => result === 'unavailable')).toHaveLength(4);
  expect(beats.failingMs()).toBe(16_000);
  expect(lines.filter((line) => line.includes('does not answer the heartbeat'))).toHaveLength(1);
  answers = {};
  await clock.advance(2_000);
  expect(beats.failingMs()).toBe(0);
  expect(lines.filter((line) => line.includes('accepts the heartbeats again'))).toHaveLength(1);
});

test('a key of a DNSZone without the right to send heartbeats is not a failure of the heartbeats', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
  const forbidden = new ApiError({ status: 403, code: 'x', message: 'No.', retryAfterMs: null, requestId: null });
  answers = { 'org:2': forbidden };
  await run();
  await clock.advance(16_000);
  expect(beats.failingMs()).toBe(0);
  expect(beats.isNameTaken(zones[1] as DNSZone)).toBe(false);
  answers = { 'org:1': forbidden };
  await clock.advance(20_000);
  expect(beats.failingMs()).toBeGreaterThan(0);
});

test.each([
  [401, 'replace the key'],
  [403, 'give the key the right'],
  [409, 'zonestead clusters remove'],
  [400, 'refuses the heartbeat'],
])('the log says what to do about status %i, and the next one follows after the usual time', async (status, remedy) => {
  zones = [aZone('a', 'org:1')];
  answers = { 'org:1': new ApiError({ status, code: 'x', message: 'No.', retryAfterMs: null, requestId: null }) };
  await run();
  await clock.advance(10_000);
  expect(results).toEqual(['refused', 'refused']);
  expect(lines.filter((line) => line.includes(remedy))).toHaveLength(1);
});

test('heartbeats report another cluster with the name to the zones of that owner, until the name is free', async () => {
  zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
  const taken = () => zones.map((zone) => beats.isNameTaken(zone));
  expect(taken()).toEqual([undefined, undefined]);
  const refusal = { status: 409, code: 'conflict', message: 'another cluster', retryAfterMs: null, requestId: null };
  answers = { 'org:1': new ApiError({ ...refusal, field: 'instance' }) };
  await run();
  expect(taken()).toEqual([true, false]);
  expect(changes).toEqual(['name a', 'active b']);
  expect(results).toEqual(['taken', 'accepted']);
  expect(lines.join()).toContain('set operator.cluster to another name');
  // A zone of a team that no heartbeat was sent to yet.
  expect(beats.isNameTaken(aZone('new', 'org:3'))).toBe(true);
  await clock.advance(20_000);
  expect(changes.splice(2)).toEqual([]);
  answers = {};
  await clock.advance(10_000);
  expect(taken()).toEqual([false, false]);
  expect(changes).toContain('name a');
  // A new zone has no team yet, so it waits for any of them.
  zones.push({ metadata: { name: 'new', labels: {} }, spec: {} } as unknown as DNSZone);
  answers = { 'org:1': new ApiError({ ...refusal, field: 'instance' }) };
  await clock.advance(10_000);
  answers = {};
  changes = [];
  await clock.advance(10_000);
  expect(changes).toContain('name a,new');
  answers = { 'org:1': new ApiError({ ...refusal, field: 'name' }), 'org:2': new ApiUnavailable('away') };
  await clock.advance(10_000);
  expect(taken()).toEqual([false, false, false]);
});

test('a set that another client changed is told once for each change, however often the service repeats it', async () => {
  const set = (change: number) => ({ change, zoneId: 'z', owner: `k8s:east/default/w${change}`, by: 'key ci' });
  zones = [aZone('a', 'org:a')];
  answers['org:a'] = { changed: [set(1)] };
  await run();
  expect(changes).toContain('others k8s:east/default/w1 key ci');
  changes.length = 0;
  await clock.advance(10_000);
  answers['org:a'] = { changed: [set(2), set(1)] };
  await clock.advance(10_000);
  expect(changes).toEqual(['others k8s:east/default/w2 key ci']);
});

describe('a restored etcd', () => {
  let renewals: number;
  let listedAt: number;
  beforeEach(() => {
    [renewals, listedAt] = [500, 0];
    lease = {
      lease: () => ({ uid: 'uid-lease', renewals, renewedAt: clock.now() }),
      listedAt: () => listedAt,
    };
    zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
  });
  const isRestored = (at = 0) => beats.isEtcdRestored(zones[at]);
  const restored = '2026-11-26T10:00:00.000Z';

  test('heartbeats tell the Lease and its renewals', async () => {
    await run();
    expect(queries[0]).toMatchObject({ lease: 'uid-lease', renewals: '500' });
    renewals = 505;
    await clock.advance(10_000);
    expect(queries.at(-1)).toMatchObject({ lease: 'uid-lease', renewals: '505' });
    expect(queries.at(-1)).not.toHaveProperty('older');
  });

  test('whether etcd was restored is not known before the service has answered, and concerns the zones of that owner only', async () => {
    answers = { 'org:1': { etcdRestoredAt: restored }, 'org:2': 'silence' };
    await run();
    expect([isRestored(0), isRestored(1)]).toEqual([true, undefined]);
    expect(changes).toContain('restored a');
    // A zone without a DNSZone: the owners that the own key writes for.
    expect(beats.isEtcdRestored(undefined)).toBe(true);
    answers = { 'org:1': { etcdRestoredAt: null, olderAcceptedAt: restored }, 'org:2': {} };
    await clock.advance(20_000);
    expect([isRestored(0), isRestored(1)]).toEqual([false, false]);
    expect(changes.filter((each) => /^(restored|accepted)/.test(each))).toEqual(['restored a', 'accepted a']);
  });

  test('an acceptance without a restored etcd is told once, for objects that are older one by one', async () => {
    await run();
    answers = { 'org:1': { olderAcceptedAt: restored } };
    await clock.advance(30_000);
    expect(changes.filter((each) => /^(restored|accepted)/.test(each))).toEqual(['accepted a']);
  });

  test('after a list, it is not known until a heartbeat has told a later renewal, which is then early', async () => {
    await clock.advance(1_000);
    await run();
    expect(isRestored()).toBe(false);
    await clock.advance(3_000);
    listedAt = clock.now();
    const renewedAt = clock.now() - 1;
    lease.lease = () => ({ uid: 'uid-lease', renewals, renewedAt });
    expect(isRestored()).toBeUndefined();
    await clock.advance(2_000);
    expect(isRestored()).toBeUndefined();
    lease.lease = () => ({ uid: 'uid-lease', renewals: 501, renewedAt: listedAt });
    await clock.advance(1_000);
    expect(isRestored()).toBe(false);
  });

  test('a service that does not answer is not asked more often because releases wait', async () => {
    await run();
    listedAt = clock.now() + 1;
    answers = { 'org:1': 'silence', 'org:2': 'silence' };
    await clock.advance(10_000);
    const before = sent.length;
    await clock.advance(60_000);
    expect(sent.length - before).toBeLessThanOrEqual(2 * (60 / 2));
  });

  test('a key that may not send heartbeats holds nothing back', async () => {
    const refusal = new ApiError({
      status: 403,
      code: 'forbidden',
      message: 'no',
      retryAfterMs: null,
      requestId: null,
    });
    answers = { 'org:2': refusal };
    await run();
    expect(isRestored(1)).toBe(false);
  });

  test('a restore that this process saw without a Lease is told to each owner until its heartbeat is answered, and holds releases until then', async () => {
    const seen = new SeenRestore(clock, () => `restore-${queries.length}`);
    [lease, seenRestore] = [{}, seen];
    zones = [aZone('a', 'org:1'), aZone('b', 'org:2', 'other')];
    const known = () => zones.map((zone) => beats.isEtcdRestored(zone));
    await run();
    seen.note('records');
    answers = { 'org:2': new ApiUnavailable('away') };
    expect(known()).toEqual([undefined, undefined]);
    await clock.advance(3_000);
    expect([queries.at(-1)?.restore, ...known()]).toEqual([seen.id(), false, undefined]);
    [answers, queries] = [{}, []];
    await clock.advance(10_000);
    expect(queries.flatMap(({ restore, owner }) => (restore === seen.id() ? [owner] : []))).toEqual(['org:2']);
    expect(known()).toEqual([false, false]);
  });

  test('more than five older objects of an owner are told after a while, and hold its releases at once', async () => {
    await run();
    for (let n = 0; n < 6; n += 1) older.note(`default/r${n}`, 'a');
    expect([isRestored(0), isRestored(1)]).toEqual([undefined, false]);
    await clock.advance(10_000);
    expect(queries.at(-1)).not.toHaveProperty('older');
    await clock.advance(20_000);
    expect(queries.filter(({ owner, older: count }) => owner === 'org:1' && count === '6').length).toBeGreaterThan(0);
    expect(queries.filter(({ owner, older: count }) => owner === 'org:2' && count !== undefined)).toEqual([]);
    answers = { 'org:1': { etcdRestoredAt: restored } };
    await clock.advance(10_000);
    queries = [];
    // The operator does not tell it again: an owner may accept it in the meantime.
    await clock.advance(10_000);
    expect(queries.some(({ older: count }) => count !== undefined)).toBe(false);
    for (let n = 0; n < 6; n += 1) older.clear(`default/r${n}`);
  });

  test('five older objects hold nothing', async () => {
    await run();
    for (let n = 0; n < 5; n += 1) older.note(`default/r${n}`, 'a');
    expect(isRestored()).toBe(false);
  });
});
