import { expect, test } from 'vitest';
import { KubeError } from '#kube/api/errors.ts';
import type { CacheStore } from '#kube/cache/store.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { shrink } from '#solver/caches.ts';
import { cleanUp } from '#solver/cleanup.ts';
import type { ChallengeRequest, SolverOutcome } from '#solver/payload.ts';
import { present } from '#solver/present.ts';
import { challenge, OWN, request, type SolverFixture, solverFixture, zone } from '../../support/cert-manager/solver.ts';

/** The limit of requests that wait for a record which never becomes Ready. */
const LIMIT_MS = 750;
const soon = () => AbortSignal.timeout(LIMIT_MS);
/** The limit of requests that are answered before. */
const enough = () => AbortSignal.timeout(60_000);
const message = (outcome: SolverOutcome) => (outcome.success ? 'success' : outcome.message);

/** Runs Present while the test acts as the operator and makes every new record Ready. */
async function presentReady(fixture: SolverFixture, asked: ChallengeRequest): Promise<SolverOutcome> {
  const working = present(fixture.context, asked, enough());
  await expect.poll(() => fixture.objects.size, { interval: 2 }).toBeGreaterThan(0);
  for (const key of fixture.objects.keys()) fixture.judge(key, 'Ready', 'True', 'Propagated', 'all');
  return working;
}

function other(name: string): DNSRecord {
  return {
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSRecord',
    metadata: { name: `r${name.length}`, namespace: 'default', uid: name, resourceVersion: '1' },
    spec: { zoneRef: { name: 'z' }, name, type: 'A', content: '192.0.2.1' } as DNSRecord['spec'],
  };
}

test('Present creates one record with the value, a label and an expiry, and succeeds when it is Ready', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  expect(await presentReady(fixture, request())).toEqual({ success: true });
  const [record] = fixture.objects.values();
  expect(record?.spec).toMatchObject({
    zoneRef: { name: 'z', namespace: 'default' },
    name: '_acme-challenge.www',
    type: 'TXT',
    content: 'KEY-1',
    ttl: 60,
  });
  expect(record?.metadata.labels?.['app.kubernetes.io/managed-by']).toBe('zonestead-solver');
  expect(record?.metadata.annotations?.['acme.zonestead.dev/expires']).toBe('2026-11-22T10:00:00Z');
});

test('Present finds the existing record when it is called again with the same value', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  await presentReady(fixture, request());
  expect(await present(fixture.context, request(), enough())).toEqual({ success: true });
  expect(fixture.objects.size).toBe(1);
});

test('Present creates two records for two values at one name, and CleanUp of one keeps the other', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  await presentReady(fixture, request());
  await presentReady(fixture, request({ key: 'KEY-2' }));
  expect([...fixture.objects.values()].map(({ spec }) => spec.content).sort()).toEqual(['KEY-1', 'KEY-2']);
  // The CNAME has changed since: the value is found by the name of the Challenge.
  const elsewhere = request({ action: 'CleanUp', key: 'KEY-2', resolvedFQDN: 'moved.example.net' });
  expect(await cleanUp(fixture.context, elsewhere, enough())).toEqual({ success: true });
  expect(await cleanUp(fixture.context, elsewhere, enough())).toEqual({ success: true });
  expect([...fixture.objects.values()].map(({ spec }) => spec.content)).toEqual(['KEY-1']);
});

test('Present names at the time limit the missing condition of the record, twice in the same words', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  const first = message(await present(fixture.context, request(), soon()));
  const [key] = fixture.objects.keys();
  expect(first).toBe(`DNSRecord ${key} is not live yet: Pending: Waiting for the operator`);
  expect(message(await present(fixture.context, request(), soon()))).toBe(first);
});

test('Present does not wait if only a person can fix the record', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  const working = present(fixture.context, request(), enough());
  await expect.poll(() => fixture.objects.size, { interval: 2 }).toBe(1);
  const [key = ''] = fixture.objects.keys();
  fixture.judge(key, 'Accepted', 'False', 'Conflict', 'A CNAME is there.');
  expect(message(await working)).toBe(`DNSRecord ${key} is not live yet: Conflict: A CNAME is there.`);
});

test('Present uses the longest zone that covers the name, and never the one that a resolver found', async () => {
  const fixture = solverFixture();
  fixture.see(zone('outer', 'example.org', OWN));
  fixture.see(zone('inner', 'WWW.example.org.', OWN));
  await presentReady(fixture, request());
  expect([...fixture.objects.values()][0]?.spec).toMatchObject({
    zoneRef: { name: 'inner' },
    name: '_acme-challenge',
  });
});

test.each([
  [
    'no zone covers the name',
    [],
    'No DNSZone of this cluster covers _acme-challenge.www.example.org; create one, or use another solver for it',
  ],
  [
    'the zone says nothing of ACME',
    [zone('z', 'example.org')],
    'DNSZone default/z takes no ACME challenges; its owner can permit them in spec.acme',
  ],
  [
    'the name is not a challenge name',
    [zone('z', 'www.example.org', OWN), zone('y', 'example.org', OWN)],
    'DNSZone default/y takes ACME challenges at _acme-challenge names only, and target.example.org is not one; its owner can permit target in spec.acme.targets',
    { resolvedFQDN: 'target.example.org' },
  ],
  [
    'the name is not one that the zone lists for the namespace',
    [zone('z', 'example.org', { acme: { namespaces: { from: 'All' }, names: ['shop', '*.www'] } })],
    'DNSZone default/z takes no ACME challenges for www.example.org from namespace tenant; its owner can permit www in spec.acme.names',
    { resourceNamespace: 'tenant' },
  ],
  [
    'the zone lists names, and the challenge is for the zone itself',
    [zone('z', 'example.org', { acme: { namespaces: { from: 'All' }, names: ['www', '*.www'] } })],
    'DNSZone default/z takes no ACME challenges for example.org from namespace tenant; its owner can permit @ in spec.acme.names',
    { resourceNamespace: 'tenant', resolvedFQDN: '_acme-challenge.example.org' },
  ],
])('Present is refused when %s', async (_case, zones, words, change: Partial<ChallengeRequest> = {}) => {
  const fixture = solverFixture();
  for (const each of zones) fixture.see(each);
  expect(message(await present(fixture.context, request(change), enough()))).toBe(words);
  expect(fixture.objects.size).toBe(0);
});

test('Present uses the zone that covers the name now, not the one that was deleted', async () => {
  const fixture = solverFixture();
  fixture.see(zone('before', 'example.org', OWN));
  expect(message(await present(fixture.context, request(), soon()))).toContain('is not live yet');
  const kept = fixture.context.caches.zones as CacheStore<DNSZone>;
  kept.remove(zone('before', 'example.org', OWN));
  fixture.see(zone('after', 'example.org', OWN));
  expect(message(await present(fixture.context, request(), soon()))).toContain('is not live yet');
  expect([...fixture.objects.values()].map(({ spec }) => spec.zoneRef.name)).toEqual(['after']);
});

test('Present creates the record again in the same namespace if it was deleted between two requests', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' }, names: ['*'] } }));
  const asked = request({ resourceNamespace: 'tenant' });
  await present(fixture.context, asked, soon());
  const { api } = fixture.context;
  let looks = 0;
  const vanishing = {
    ...api,
    get: async (...args: Parameters<typeof api.get>) => {
      looks += 1;
      if (looks === 1) fixture.objects.clear();
      return api.get(...args);
    },
  } as typeof api;
  await present({ ...fixture.context, api: vanishing }, asked, soon());
  expect([...fixture.objects.values()].map(({ metadata }) => metadata.namespace)).toEqual(['tenant']);
});

test('Present repeats the words of the API server when it lacks the right to write', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  const words = 'unable to create new content in namespace default because it is being terminated';
  fixture.fail(new KubeError({ status: 403, reason: 'Forbidden', message: words }));
  expect(message(await present(fixture.context, request(), enough()))).toMatch(
    new RegExp(`^DNSRecord default/acme-[0-9a-f]{32} cannot be written: Forbidden: ${words}$`),
  );
});

test('Present reports another failed write without the changing words of the API server', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', OWN));
  fixture.fail(new KubeError({ status: 500, reason: 'InternalError', message: 'at 10:00:01 etcd leader 7 lost' }));
  expect(message(await present(fixture.context, request(), enough()))).toMatch(
    /^DNSRecord default\/acme-[0-9a-f]{32} cannot be written: InternalError$/,
  );
});

const shared = {
  acme: { namespaces: { from: 'Selector', selector: { matchLabels: { certs: 'yes' } } }, names: ['*'] },
};
const namespaces = { default: {}, tenant: { certs: 'yes' }, stranger: {}, 'cert-manager': {} };
const cluster = { allowAmbientCredentials: true, resourceNamespace: 'cert-manager' };

test('the tenant of a challenge is the namespace of the Challenge with the same key for a ClusterIssuer', async () => {
  const fixture = solverFixture({ namespaces });
  fixture.see(zone('z', 'example.org', shared));
  fixture.see(challenge('tenant'));
  expect(await presentReady(fixture, request(cluster))).toEqual({ success: true });
  const [record] = fixture.objects.values();
  expect(record?.metadata.namespace).toBe('tenant');
  expect(record?.metadata.ownerReferences).toEqual([
    { apiVersion: 'acme.cert-manager.io/v1', kind: 'Challenge', name: 'challenge', uid: 'c-tenant' },
  ]);
});

test.each([
  ['a namespace without the label', challenge('stranger'), cluster, 'from namespace stranger'],
  ['a Challenge that no Order made', challenge('tenant', { owned: false }), cluster, 'not controlled by an Order'],
  [
    'a Challenge whose owner says Order and does not control it',
    challenge('tenant', { controller: false }),
    cluster,
    'not controlled by an Order',
  ],
  ['no Challenge at all', challenge('tenant', { key: 'other' }), cluster, 'the tenant is not known'],
  [
    'a Challenge about another name',
    challenge('tenant', { dnsName: 'other.example.org' }),
    cluster,
    'is about other.example.org, not www.example.org',
  ],
  [
    'an Issuer of another namespace',
    challenge('tenant', { kind: 'Issuer' }),
    cluster,
    'names an Issuer of another namespace',
  ],
  [
    'an Issuer, where another namespace has a Challenge with the key',
    challenge('tenant'),
    { allowAmbientCredentials: false, resourceNamespace: 'stranger' },
    'is not in namespace stranger, where the Issuer is',
  ],
])('the tenant of a challenge is not the permitted one with %s', async (_case, seen, change, words) => {
  const fixture = solverFixture({ namespaces });
  fixture.see(zone('z', 'example.org', shared));
  fixture.see(seen);
  expect(message(await present(fixture.context, request(change), enough()))).toContain(words);
  expect(fixture.objects.size).toBe(0);
});

test.each([
  ['with a final dot', 'www.example.org.', 'www.example.org'],
  ['in capitals', 'WWW.Example.ORG', 'www.example.org'],
  ['of a wildcard', '*.www.example.org', 'www.example.org'],
  ['in U-labels', 'bücher.example.org', 'xn--bcher-kva.example.org'],
])('the tenant of a challenge is found by a dnsName %s', async (_case, dnsName, asked) => {
  const fixture = solverFixture({ namespaces });
  fixture.see(zone('z', 'example.org', shared));
  fixture.see(challenge('tenant', { dnsName }));
  const resolvedFQDN = `_acme-challenge.${asked}`;
  expect(await presentReady(fixture, request({ ...cluster, dnsName: asked, resolvedFQDN }))).toEqual({
    success: true,
  });
  expect([...fixture.objects.values()][0]?.metadata.namespace).toBe('tenant');
});

test('the tenant of a challenge is never the namespace of cert-manager because of the spelling of a name', async () => {
  const fixture = solverFixture({ namespaces: { ...namespaces, 'cert-manager': { trusted: 'yes' } } });
  const grant = { from: 'Selector', selector: { matchLabels: { trusted: 'yes' } } };
  fixture.see(zone('z', 'example.org', { acme: { namespaces: grant, names: ['*'] } }));
  for (const dnsName of ['www.example.org.', 'www.example.org']) {
    fixture.see(challenge('stranger', { dnsName }));
    expect(message(await present(fixture.context, request(cluster), enough()))).toContain('from namespace stranger');
  }
  expect(fixture.objects.size).toBe(0);
});

test('the tenant of a challenge is unknown if two namespaces have the key', async () => {
  const fixture = solverFixture({ namespaces });
  fixture.see(zone('z', 'example.org', shared));
  fixture.see(challenge('tenant'));
  fixture.see(challenge('stranger'));
  expect(message(await present(fixture.context, request(cluster), enough()))).toContain(
    'Challenges of several namespaces',
  );
});

test('the tenant of a challenge gets its record in the namespace of the zone if it has none in this cluster', async () => {
  const fixture = solverFixture({ namespaces: { default: {} } });
  fixture.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' }, names: ['*'] } }));
  expect(await presentReady(fixture, request({ resourceNamespace: 'elsewhere' }))).toEqual({ success: true });
  expect([...fixture.objects.values()][0]?.metadata.namespace).toBe('default');
});

const shadowing = (wildcardShadowing: string) => ({ acme: { namespaces: { from: 'Same' }, wildcardShadowing } });

test('a challenge below a wildcard is refused if a wildcard would stop answering, and the message says what to do instead', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', shadowing('Refuse')));
  fixture.see(other('*'));
  const words = message(await present(fixture.context, request(), enough()));
  expect(words).toContain('*.example.org answers for www.example.org');
  expect(words).toContain('ask for a certificate of *.example.org instead');
  expect([...fixture.objects.values()].map(({ spec }) => spec.name)).toEqual(['*']);
});

test('a challenge below a wildcard is not refused because of a wildcard that its zone does not permit, because such a record is not served', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', shadowing('Refuse')));
  const stranger = other('*');
  const refused = { type: 'Accepted', status: 'False', reason: 'NotPermitted', message: '', lastTransitionTime: '' };
  fixture.see(shrink({ ...stranger, status: { conditions: [refused] } } as DNSRecord));
  expect(message(await present(fixture.context, request(), soon()))).toContain('is not live yet');
});

test('a challenge below a wildcard compares names in every spelling that a record may have', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'Example.org', shadowing('Refuse')));
  fixture.see(other('*.EXAMPLE.org.'));
  expect(message(await present(fixture.context, request(), enough()))).toContain('*.example.org answers for www');
  fixture.see(other('WWW.example.org.'));
  expect(message(await present(fixture.context, request(), soon()))).toContain('is not live yet');
});

test('a challenge below a wildcard is created with an Event if the zone says Warn', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', shadowing('Warn')));
  fixture.see(other('*'));
  const working = present(fixture.context, request(), soon());
  await expect.poll(() => fixture.objects.size, { interval: 2 }).toBe(2);
  expect(fixture.notes).toHaveLength(1);
  expect(message(await working)).toContain('is not live yet');
});

test('CleanUp succeeds if no record exists', async () => {
  const fixture = solverFixture();
  expect(await cleanUp(fixture.context, request({ action: 'CleanUp' }), enough())).toEqual({ success: true });
});

test('CleanUp deletes every record of the value, even if one of them was replaced in the meantime', async () => {
  const fixture = solverFixture();
  fixture.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' }, names: ['*'] } }));
  await present(fixture.context, request(), soon());
  await present(fixture.context, request({ resourceNamespace: 'tenant' }), soon());
  expect(fixture.objects.size).toBe(2);
  const { api } = fixture.context;
  const stale = {
    ...api,
    delete: async (...args: Parameters<typeof api.delete>) => {
      if (args[1].namespace === 'default')
        throw new KubeError({ status: 409, reason: 'Conflict', message: 'another uid' });
      return api.delete(...args);
    },
  } as typeof api;
  expect(await cleanUp({ ...fixture.context, api: stale }, request({ action: 'CleanUp' }), enough())).toEqual({
    success: true,
  });
  expect([...fixture.objects.values()].map(({ metadata }) => metadata.namespace)).toEqual(['default']);
});

test('CleanUp fails with a message without an API server, so that cert-manager retries', async () => {
  const fixture = solverFixture();
  fixture.fail(new KubeError({ status: 0, reason: 'Unreachable', message: 'ECONNREFUSED 127.0.0.1:1' }));
  expect(message(await cleanUp(fixture.context, request({ action: 'CleanUp' }), enough()))).toBe(
    'The DNSRecords of www.example.org cannot be removed: Unreachable',
  );
});
