import { describe, expect, it } from 'vitest';
import { KubeError } from '../../../src/kube/errors.ts';
import type { CacheStore } from '../../../src/kube/store.ts';
import type { DNSRecord } from '../../../src/operator/resources/dnsrecord.ts';
import type { DNSZone } from '../../../src/operator/resources/dnszone.ts';
import { shrink } from '../../../src/solver/caches.ts';
import { cleanUp } from '../../../src/solver/cleanup.ts';
import type { ChallengeRequest, Outcome } from '../../../src/solver/payload.ts';
import { present } from '../../../src/solver/present.ts';
import { challenge, OWN, request, type SolverGround, solverGround, zone } from '../../support/solver.ts';

const LIMIT_MS = 250;
const soon = () => AbortSignal.timeout(LIMIT_MS);
const message = (outcome: Outcome) => (outcome.success ? 'success' : outcome.message);

/** Present while the test plays the operator, which makes every record Ready as soon as it is there. */
async function presentReady(ground: SolverGround, asked: ChallengeRequest): Promise<Outcome> {
  const working = present(ground.house, asked, soon());
  await expect.poll(() => ground.objects.size, { interval: 2 }).toBeGreaterThan(0);
  for (const key of ground.objects.keys()) ground.judge(key, 'Ready', 'True', 'Propagated', 'all');
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

describe('Present', () => {
  it('makes one record with the value, labelled and expiring, and succeeds when it is Ready', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    expect(await presentReady(ground, request())).toEqual({ success: true });
    const [record] = ground.objects.values();
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

  it('again with the same value finds the record of the first time', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    await presentReady(ground, request());
    expect(await present(ground.house, request(), soon())).toEqual({ success: true });
    expect(ground.objects.size).toBe(1);
  });

  it('with two values at one name makes two records, and CleanUp of one keeps the other', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    await presentReady(ground, request());
    await presentReady(ground, request({ key: 'KEY-2' }));
    expect([...ground.objects.values()].map(({ spec }) => spec.content).sort()).toEqual(['KEY-1', 'KEY-2']);
    // Wherever a CNAME leads by now: the value is found by what the Challenge is about.
    const elsewhere = request({ action: 'CleanUp', key: 'KEY-2', resolvedFQDN: 'moved.example.net' });
    expect(await cleanUp(ground.house, elsewhere, soon())).toEqual({ success: true });
    expect(await cleanUp(ground.house, elsewhere, soon())).toEqual({ success: true });
    expect([...ground.objects.values()].map(({ spec }) => spec.content)).toEqual(['KEY-1']);
  });

  it('when time is up says what the record still waits for, twice in the same words', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    const first = message(await present(ground.house, request(), soon()));
    const [key] = ground.objects.keys();
    expect(first).toBe(`DNSRecord ${key} is not live yet: Pending: Waiting for the operator`);
    expect(message(await present(ground.house, request(), soon()))).toBe(first);
  });

  it('does not wait for what only a person can mend', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    const working = present(ground.house, request(), AbortSignal.timeout(5_000));
    await expect.poll(() => ground.objects.size, { interval: 2 }).toBe(1);
    const [key = ''] = ground.objects.keys();
    ground.judge(key, 'Accepted', 'False', 'Conflict', 'A CNAME is there.');
    expect(message(await working)).toBe(`DNSRecord ${key} is not live yet: Conflict: A CNAME is there.`);
  });

  it('takes the longest zone that the name lies in, and never the one that a resolver found', async () => {
    const ground = solverGround();
    ground.see(zone('outer', 'example.org', OWN));
    ground.see(zone('inner', 'WWW.example.org.', OWN));
    await presentReady(ground, request());
    expect([...ground.objects.values()][0]?.spec).toMatchObject({
      zoneRef: { name: 'inner' },
      name: '_acme-challenge',
    });
  });

  it.each([
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
      'the name is no challenge name',
      [zone('z', 'www.example.org', OWN), zone('y', 'example.org', OWN)],
      'DNSZone default/y takes ACME challenges at _acme-challenge names only, and target.example.org is none; its owner can permit it in spec.acme.names',
      { resolvedFQDN: 'target.example.org' },
    ],
  ])('is refused when %s', async (_case, zones, words, change: Partial<ChallengeRequest> = {}) => {
    const ground = solverGround();
    for (const each of zones) ground.see(each);
    expect(message(await present(ground.house, request(change), soon()))).toBe(words);
    expect(ground.objects.size).toBe(0);
  });

  it('comes to the zone that covers the name now, not to the one that is gone', async () => {
    const ground = solverGround();
    ground.see(zone('before', 'example.org', OWN));
    expect(message(await present(ground.house, request(), soon()))).toContain('is not live yet');
    const kept = ground.house.caches.zones as CacheStore<DNSZone>;
    kept.remove(zone('before', 'example.org', OWN));
    ground.see(zone('after', 'example.org', OWN));
    expect(message(await present(ground.house, request(), soon()))).toContain('is not live yet');
    expect([...ground.objects.values()].map(({ spec }) => spec.zoneRef.name)).toEqual(['after']);
  });

  it('makes the record anew in the same namespace when it went between two looks', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' } } }));
    const asked = request({ resourceNamespace: 'tenant' });
    await present(ground.house, asked, soon());
    const { api } = ground.house;
    let looks = 0;
    const vanishing = {
      ...api,
      get: async (...args: Parameters<typeof api.get>) => {
        looks += 1;
        if (looks === 1) ground.objects.clear();
        return api.get(...args);
      },
    } as typeof api;
    await present({ ...ground.house, api: vanishing }, asked, soon());
    expect([...ground.objects.values()].map(({ metadata }) => metadata.namespace)).toEqual(['tenant']);
  });

  it('says in the words of the API server what it may not write', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    const words = 'unable to create new content in namespace default because it is being terminated';
    ground.fail(new KubeError({ status: 403, reason: 'Forbidden', message: words }));
    expect(message(await present(ground.house, request(), soon()))).toMatch(
      new RegExp(`^DNSRecord default/acme-[0-9a-f]{32} cannot be written: Forbidden: ${words}$`),
    );
  });

  it('says that it cannot write, without the changing words of the API server', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', OWN));
    ground.fail(new KubeError({ status: 500, reason: 'InternalError', message: 'at 10:00:01 etcd leader 7 lost' }));
    expect(message(await present(ground.house, request(), soon()))).toMatch(
      /^DNSRecord default\/acme-[0-9a-f]{32} cannot be written: InternalError$/,
    );
  });
});

describe('whose a challenge is', () => {
  const shared = { acme: { namespaces: { from: 'Selector', selector: { matchLabels: { certs: 'yes' } } } } };
  const namespaces = { default: {}, tenant: { certs: 'yes' }, stranger: {}, 'cert-manager': {} };
  const cluster = { allowAmbientCredentials: true, resourceNamespace: 'cert-manager' };

  it('of a ClusterIssuer is the namespace of the Challenge with that key', async () => {
    const ground = solverGround({ namespaces });
    ground.see(zone('z', 'example.org', shared));
    ground.see(challenge('tenant'));
    expect(await presentReady(ground, request(cluster))).toEqual({ success: true });
    const [record] = ground.objects.values();
    expect(record?.metadata.namespace).toBe('tenant');
    expect(record?.metadata.ownerReferences).toEqual([
      { apiVersion: 'acme.cert-manager.io/v1', kind: 'Challenge', name: 'challenge', uid: 'c-tenant' },
    ]);
  });

  it.each([
    ['a namespace without the label', challenge('stranger'), cluster, 'from namespace stranger'],
    ['a Challenge that no Order made', challenge('tenant', { owned: false }), cluster, 'from namespace cert-manager'],
    ['no Challenge at all', challenge('tenant', { key: 'other' }), cluster, 'from namespace cert-manager'],
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
      'from namespace stranger',
    ],
  ])('is not the permitted tenant with %s', async (_case, seen, change, words) => {
    const ground = solverGround({ namespaces });
    ground.see(zone('z', 'example.org', shared));
    ground.see(seen);
    expect(message(await present(ground.house, request(change), AbortSignal.timeout(3_000)))).toContain(words);
    expect(ground.objects.size).toBe(0);
  });

  it('cannot be told when two namespaces have the key', async () => {
    const ground = solverGround({ namespaces });
    ground.see(zone('z', 'example.org', shared));
    ground.see(challenge('tenant'));
    ground.see(challenge('stranger'));
    expect(message(await present(ground.house, request(cluster), soon()))).toContain(
      'Challenges of several namespaces',
    );
  });

  it('goes to the namespace of the zone when the tenant has none in this cluster', async () => {
    const ground = solverGround({ namespaces: { default: {} } });
    ground.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' } } }));
    expect(await presentReady(ground, request({ resourceNamespace: 'elsewhere' }))).toEqual({ success: true });
    expect([...ground.objects.values()][0]?.metadata.namespace).toBe('default');
  });
});

describe('a challenge below a wildcard', () => {
  const shadowing = (wildcardShadowing: string) => ({ acme: { namespaces: { from: 'Same' }, wildcardShadowing } });

  it('is refused where names would stop being answered, with what to do instead', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', shadowing('Refuse')));
    ground.see(other('*'));
    const words = message(await present(ground.house, request(), soon()));
    expect(words).toContain('*.example.org answers for www.example.org');
    expect(words).toContain('ask for a certificate of *.example.org instead');
    expect([...ground.objects.values()].map(({ spec }) => spec.name)).toEqual(['*']);
  });

  it('is not refused for a record that its zone does not permit: it answers for nothing', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', shadowing('Refuse')));
    const stranger = other('*');
    const refused = { type: 'Accepted', status: 'False', reason: 'NotPermitted', message: '', lastTransitionTime: '' };
    ground.see(shrink({ ...stranger, status: { conditions: [refused] } } as DNSRecord));
    expect(message(await present(ground.house, request(), soon()))).toContain('is not live yet');
  });

  it('knows names in every spelling that a record may have', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'Example.org', shadowing('Refuse')));
    ground.see(other('*.EXAMPLE.org.'));
    expect(message(await present(ground.house, request(), soon()))).toContain('*.example.org answers for www');
    ground.see(other('WWW.example.org.'));
    expect(message(await present(ground.house, request(), soon()))).toContain('is not live yet');
  });

  it('is put there with an Event where the zone says Warn', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', shadowing('Warn')));
    ground.see(other('*'));
    const working = present(ground.house, request(), soon());
    await expect.poll(() => ground.objects.size, { interval: 2 }).toBe(2);
    expect(ground.notes).toHaveLength(1);
    expect(message(await working)).toContain('is not live yet');
  });
});

describe('CleanUp', () => {
  it('of what was never there is done', async () => {
    const ground = solverGround();
    expect(await cleanUp(ground.house, request({ action: 'CleanUp' }), soon())).toEqual({ success: true });
  });

  it('takes away every record of the value, also when one of them is another one by now', async () => {
    const ground = solverGround();
    ground.see(zone('z', 'example.org', { acme: { namespaces: { from: 'All' } } }));
    await present(ground.house, request(), soon());
    await present(ground.house, request({ resourceNamespace: 'tenant' }), soon());
    expect(ground.objects.size).toBe(2);
    const { api } = ground.house;
    const stale = {
      ...api,
      delete: async (...args: Parameters<typeof api.delete>) => {
        if (args[1].namespace === 'default')
          throw new KubeError({ status: 409, reason: 'Conflict', message: 'another uid' });
        return api.delete(...args);
      },
    } as typeof api;
    expect(await cleanUp({ ...ground.house, api: stale }, request({ action: 'CleanUp' }), soon())).toEqual({
      success: true,
    });
    expect([...ground.objects.values()].map(({ metadata }) => metadata.namespace)).toEqual(['default']);
  });

  it('without an API server fails with words, so that it is asked for again', async () => {
    const ground = solverGround();
    ground.fail(new KubeError({ status: 0, reason: 'Unreachable', message: 'ECONNREFUSED 127.0.0.1:1' }));
    expect(message(await cleanUp(ground.house, request({ action: 'CleanUp' }), soon()))).toBe(
      'The DNSRecords of www.example.org cannot be removed: Unreachable',
    );
  });
});
