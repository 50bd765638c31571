// The parts of the overview before its plots: the figures, the problems, and the newest changes.
import { expect, test } from 'vitest';
import { listAttention, listTiles } from '#console/overview/attention.ts';
import { listRecent } from '#console/overview/recent.ts';
import type { ClusterView } from '#service/clusters/clusters.ts';
import { render } from '../../support/console/render.ts';

const cluster = (more: Partial<ClusterView> = {}): ClusterView => ({
  ...{ name: 'prod', owner: 'org:t1', state: 'active', settled: true, lastHeartbeat: '2026-11-21T11:59:59.000Z' },
  ...{ drainedAt: null, lostAt: null, createdAt: '2026-01-01T00:00:00.000Z', objects: { total: 4, notReady: 0 } },
  ...{ controlPlane: 'reachable', etcdRestoredAt: null, olderAcceptedAt: null },
  ...more,
});
const nodes = (late: string[] = []) => ({ samples: [], living: 2, late });
const texts = (
  overview: Parameters<typeof listAttention>[0],
  zones: Parameters<typeof listAttention>[1],
  dangling: Parameters<typeof listAttention>[2] = [],
  checks: Parameters<typeof listAttention>[3] = [],
) => listAttention(overview, zones, dangling, checks).map(({ text, address }) => [text, address]);
const zone = (seen: 'secure' | 'absent' | 'insecure' | 'unknown' | null) => ({
  ...{ id: 'z1', zoneName: 'a.example' },
  delegation: seen === null ? null : { status: 'done' as const, seen, isHosted: false },
});

test('the overview needs no attention if all is live, and does not count an unknown delegation as a missing one', () =>
  expect(texts({ clusters: [cluster()], nodes: nodes() }, [zone('secure'), zone('unknown'), zone(null)])).toEqual([]));
test('the overview names late name servers, lost clusters, objects and zones, each with the page of its next step', () =>
  expect(
    texts({ clusters: [cluster({ state: 'lost', objects: { total: 4, notReady: 1 } })], nodes: nodes(['ns2']) }, [
      zone('absent'),
      zone('insecure'),
    ]),
  ).toEqual([
    ['The name server ns2 is behind.', '/console/zones'],
    ['The cluster prod has sent no heartbeat for a minute.', '/console/teams/t1/clusters'],
    ['The cluster prod has 1 object that is not Ready. Ask kubectl zonestead why.', '/console/teams/t1/clusters'],
    ...[1, 2].map(() => ['a.example is not delegated, or its DS record is missing.', '/console/zones/z1/delegation']),
  ]));

test('the overview has one line for the dangling names of a zone', () => {
  const dangling = ['z1', 'z2', 'z1'].map((zoneId) => ({
    ...{ zoneId, zoneName: `${zoneId}.example`, recordId: 'rec_1', name: 'www', type: 'CNAME' as const },
    ...{ target: 'gone.example', missing: 'name' as const, missingName: 'gone.example' },
    ...{ since: '2026-11-21T11:59:59.000Z', checkedAt: '2026-11-21T11:59:59.000Z' },
  }));
  expect(texts({ clusters: [], nodes: null }, [], dangling)).toEqual([
    ['z1.example has 2 dangling names, which others can take over.', '/console/zones/z1/dangling'],
    ['z2.example has 1 dangling name, which others can take over.', '/console/zones/z2/dangling'],
  ]);
});

test('the overview names each check with addresses that do not work', () => {
  const check = (name: string, unhealthy: number) => ({
    ...{ name, owner: 'org:t1' },
    counts: { healthy: 1, unhealthy, unknown: 0 },
  });
  expect(texts({ clusters: [], nodes: null }, [], [], [check('web', 2), check('api', 1)])).toEqual([
    ['The check web has 2 addresses that do not work.', '/console/checks/org%3At1/web'],
    ['The check api has 1 address that does not work.', '/console/checks/org%3At1/api'],
  ]);
});

const tiles = (late: string[], notReady: number) =>
  listTiles({
    totals: { zones: 11, records: 9_400 },
    nodes: nodes(late),
    clusters: [cluster({ objects: { total: 9, notReady } })],
  }).map(({ name, value, isWarning }) => [name, value, isWarning]);
test('the overview has four figures, and marks those that are not as they should be', () => {
  expect(tiles([], 0)).toEqual([
    ['Zones', '11', false],
    ['Records', '9,400', false],
    ['Name servers up to date', '2 of 2', false],
    ['Objects not Ready', '0', false],
  ]);
  expect(tiles(['ns2'], 3).slice(2)).toEqual([
    ['Name servers up to date', '1 of 2', true],
    ['Objects not Ready', '3', true],
  ]);
});
test('the overview tells tenants of a shared service nothing about its name servers', () =>
  expect(listTiles({ totals: { zones: 1, records: 0 }, nodes: null, clusters: [] }).map(({ name }) => name)).toEqual([
    'Zones',
    'Records',
  ]));

test('the overview has the newest requests of all zones, five at most', () => {
  const change = (id: number, minute: number) => ({
    ...{ id, action: 'record.create' as const, keyId: 'k', before: null, serial: 1, requestId: `r${id}` },
    after: { name: `n${id}`, type: 'A', content: '192.0.2.1', ttl: 60, priority: null },
    at: `2026-11-21T11:${minute}:00.000Z`,
  });
  const of = (zoneName: string, ...minutes: number[]) => ({
    ...{ zone: { id: zoneName, zoneName }, isCut: false, counts: new Map<string, number>() },
    changes: minutes.map((minute) => change(minute, minute)),
  });
  const lines = listRecent([of('a', 50, 30, 10), of('b', 40, 20, 15)], new Map(), new Date('2026-11-21T12:00:00.000Z'));
  expect(lines.map(({ zone: { zoneName }, group }) => `${zoneName} ${group.undo}`)).toEqual([
    'a change=50',
    'b change=40',
    'a change=30',
    'b change=20',
    'b change=15',
  ]);
});

test('the overview counts all changes of a request, also those that it has not read', () => {
  const after = { name: 'n', type: 'A', content: '192.0.2.1', ttl: 60, priority: null };
  const shared = { action: 'record.create' as const, keyId: 'k', before: null, after, serial: 1, requestId: 'r' };
  const changes = [4, 3, 2, 1].map((id) => ({ ...shared, id, at: '2026-11-21T11:00:00.000Z' }));
  const zones = [{ zone: { id: 'z', zoneName: 'z' }, changes, isCut: true, counts: new Map([['r', 72]]) }];
  expect(listRecent(zones, new Map(), new Date('2026-11-21T12:00:00.000Z'))[0]?.group.summary).toBe(
    'Created 72 records',
  );
});

test('the overview says that everything is live only after parent zones were asked', () => {
  expect(render('overview/attention', { attention: [], isOpen: true })).not.toContain('Everything is live');
  expect(render('overview/attention', { attention: [], isOpen: false })).toContain('Everything is live');
});
