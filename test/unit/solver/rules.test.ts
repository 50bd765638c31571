import { expect, test } from 'vitest';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { readSolverConfig } from '#solver/record.ts';
import { shadowedWildcard } from '#solver/shadow.ts';
import { sweepVerdict } from '#solver/sweep.ts';
import { matchZone } from '#solver/zone-match.ts';
import { NOW, zone } from '../../support/cert-manager/solver.ts';

test.each([
  ['a name that only the wildcard of the apex answers', '_acme-challenge.shop', ['*'], { wildcard: '*', name: 'shop' }],
  ['several labels below it', '_acme-challenge.a.b', ['*'], { wildcard: '*', name: 'a.b' }],
  ['a name below a deeper wildcard', '_acme-challenge.x.dev', ['*.dev', '*'], { wildcard: '*.dev', name: 'x.dev' }],
])('the wildcard that a challenge would stop (RFC 4592) is found for %s', (_case, relative, owned, expected) =>
  expect(shadowedWildcard(relative, owned)).toEqual(expected),
);

test.each([
  ['the challenge of the zone itself', '_acme-challenge', ['*']],
  ['a name that has records', '_acme-challenge.shop', ['*', 'shop']],
  ['a name that exists because of one below it', '_acme-challenge.shop', ['*', 'www.shop']],
  ['a name below one that exists, which no wildcard answers', '_acme-challenge.x.dev', ['*', 'dev']],
  ['a zone without wildcards', '_acme-challenge.shop', ['www']],
  ['the parent of the wildcard', '_acme-challenge.dev', ['*.dev']],
])('the wildcard that a challenge would stop (RFC 4592) does not exist for %s', (_case, relative, owned) =>
  expect(shadowedWildcard(relative, owned)).toBeUndefined(),
);

const named =
  (...zones: ReturnType<typeof zone>[]) =>
  (name: string) =>
    name === 'example.org' ? zones : [];

test('the chosen one of two DNSZones with one name is the one that has the zone at the service, then the older', () => {
  const young = zone('young', 'example.org', {}, { creationTimestamp: '2026-11-21T10:00:00Z' });
  const old = zone('old', 'example.org', {}, { creationTimestamp: '2026-11-20T10:00:00Z' });
  expect(matchZone('_acme-challenge.example.org', named(young, old))?.zone).toBe(old);
  const holder = { ...young, status: { zoneId: 'zone_1', conditions: [] } };
  expect(matchZone('_acme-challenge.example.org', named(holder, old))?.zone).toBe(holder);
});

test('the chosen one of two DNSZones with one name is never one that the operator refused if there is another', () => {
  const judged = (status: 'True' | 'False', reason: string, zoneId?: string) => ({
    conditions: [{ type: 'Accepted', status, reason, message: '', lastTransitionTime: '2026-11-21T10:00:00Z' }],
    ...(zoneId === undefined ? {} : { zoneId }),
  });
  const theirs = { ...zone('theirs', 'www.example.org'), status: judged('False', 'NotPermitted') };
  const ours = zone('ours', 'example.org');
  const both = (name: string) => ({ 'example.org': [ours], 'www.example.org': [theirs] })[name] ?? [];
  expect(matchZone('_acme-challenge.www.example.org', both)).toMatchObject({
    zone: ours,
    relative: '_acme-challenge.www',
  });
  // A refused zone without a rival is returned, so that the message can say what is wrong with it.
  expect(
    matchZone('_acme-challenge.www.example.org', (name) => (name === 'www.example.org' ? [theirs] : []))?.zone,
  ).toBe(theirs);
  // The object that has the zone at the service is chosen, even if its condition is False.
  const served = { ...theirs, status: judged('False', 'CredentialsMissing', 'zone_2') };
  const three = (name: string) => ({ 'example.org': [ours], 'www.example.org': [served] })[name] ?? [];
  expect(matchZone('_acme-challenge.www.example.org', three)?.zone).toBe(served);
  // The same holds for two objects of one name, even if the refused one is older.
  const elder = {
    ...zone('elder', 'example.org', {}, { creationTimestamp: '2026-11-20T10:00:00Z' }),
    status: judged('False', 'InvalidSpec'),
  };
  const young = zone('young', 'example.org', {}, { creationTimestamp: '2026-11-21T10:00:00Z' });
  expect(matchZone('_acme-challenge.example.org', named(elder, young))?.zone).toBe(young);
});

test('the chosen one of two DNSZones with one name is never one that is being deleted', () => {
  const leaving = zone('leaving', 'example.org', {}, { deletionTimestamp: '2026-11-21T10:00:00Z' });
  expect(matchZone('example.org', named(leaving))).toBeUndefined();
});

const record = (change: { expires?: string; uid?: string; created?: string; ours?: boolean }): DNSRecord => ({
  apiVersion: 'zonestead.dev/v1alpha1',
  kind: 'DNSRecord',
  metadata: {
    name: 'r',
    namespace: 'n',
    creationTimestamp: change.created ?? '2026-11-21T09:00:00Z',
    labels: change.ours === false ? {} : { 'app.kubernetes.io/managed-by': 'zonestead-solver' },
    annotations: {
      'acme.zonestead.dev/expires': change.expires ?? '2026-11-22T09:00:00Z',
      ...(change.uid ? { 'acme.zonestead.dev/challenge': 'n/c', 'acme.zonestead.dev/challenge-uid': change.uid } : {}),
    },
  },
  spec: {} as DNSRecord['spec'],
});
const living = (key: string) => (key === 'n/c' ? 'u1' : undefined);

test.each([
  ['keeps a record whose Challenge is there', record({ uid: 'u1' }), 'keep'],
  ['looks after one whose Challenge is gone', record({ uid: 'u2' }), 'orphan'],
  ['leaves one alone that was made a moment ago', record({ uid: 'u2', created: NOW.toISOString() }), 'keep'],
  ['removes one past its time', record({ expires: '2026-11-21T09:59:59Z' }), 'expired'],
  [
    'removes one past its time whose Challenge is gone',
    record({ uid: 'u2', expires: '2026-11-21T09:59:59Z' }),
    'expired',
  ],
  // A Let's Encrypt order lives for 7 days, and cert-manager presents a value once.
  ['keeps one whose Challenge still waits after a day', record({ uid: 'u1', expires: '2026-11-21T09:59:59Z' }), 'keep'],
  ['keeps one without a Challenge until its time', record({}), 'keep'],
  ['never touches a record that is not the solver’s', record({ ours: false, expires: '2026-11-20T00:00:00Z' }), 'keep'],
] as const)('the sweep: %s', (_case, given, expected) => expect(sweepVerdict(given, NOW, living)).toBe(expected));

test('webhook.config sets a ttl within bounds and has no other effect', () => {
  expect(readSolverConfig(undefined)).toEqual({ ttl: 60, unknown: [] });
  expect(readSolverConfig({ ttl: 1 }).ttl).toBe(30);
  expect(readSolverConfig({ ttl: 1e9, host: 'https://elsewhere' })).toEqual({ ttl: 3600, unknown: ['host'] });
  expect(readSolverConfig({ ttl: '120' }).ttl).toBe(60);
});
