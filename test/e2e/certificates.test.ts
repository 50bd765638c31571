// Certificates by the real cert-manager and a real certificate authority, which asks PowerDNS itself: Certificate → Order →
// Challenge → kube-apiserver → solver → DNSRecord → operator → REST API → DNS → Pebble.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/up/parts/commands.ts';
import {
  certificateObject,
  challengeReasons,
  challengeRecords,
  challengeSays,
  issue,
  issued,
  namesIn,
} from '../support/certificates.ts';
import { runConformance } from '../support/conformance.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack.ts';

const MAIN = new URL('../../src/main.ts', import.meta.url).pathname;

const namespaceObject = (name: string, labels = {}) => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name, labels },
});

let test: TestStack;
beforeAll(async () => {
  test = await startTestStack({ certManager: true });
  const { ok, words } = await test.apply(
    namespaceObject('tenant', { certificates: 'yes' }),
    zoneObject('site', 'site.example', { acme: {} }),
    zoneObject('shared', 'shared.example', {
      acme: { namespaces: { from: 'Selector', selector: { matchLabels: { certificates: 'yes' } } } },
    }),
    zoneObject('wild', 'wild.example', { acme: {} }),
    recordObject('wild', 'wild', { name: '*', type: 'A', content: '192.0.2.1' }),
  );
  expect(ok, words).toBe(true);
  await test.ready(60, 'zdz/site', 'zdz/shared', 'zdz/wild', 'zdr/wild');
}, 300_000);
afterAll(async () => {
  await test?.stop();
});

/** Nothing of a challenge is left, neither as an object nor in DNS. */
async function leavesNothing(name: string): Promise<void> {
  await expect.poll(() => challengeRecords(test), { timeout: 30_000 }).toEqual([]);
  expect(await test.dig(`_acme-challenge.${name}`, 'TXT')).toEqual([]);
}

describe('a certificate from cert-manager', () => {
  it('is issued for a name of a zone that permits it, and leaves nothing behind', async () => {
    await issue(test, 55, certificateObject('single', ['www.site.example']));
    expect(await namesIn(test, 'single')).toEqual(['www.site.example']);
    await leavesNothing('www.site.example');
  });

  it('is issued for a zone and its wildcard: two values of one name', async () => {
    await issue(test, 55, certificateObject('both', ['site.example', '*.site.example']));
    expect(await namesIn(test, 'both')).toEqual(['*.site.example', 'site.example']);
    await leavesNothing('site.example');
  });

  it('is issued to a namespace whose labels the zone asks for, with the record in that namespace', async () => {
    await test.apply(certificateObject('labelled', ['a.shared.example'], 'tenant'));
    await expect
      .poll(() => test.kubectl('-n', 'tenant', 'get', 'zdr', '-o', 'name'), { timeout: 60_000, interval: 50 })
      .toContain('acme-');
    await issued(test, 55, certificateObject('labelled', ['a.shared.example'], 'tenant'));
    await leavesNothing('a.shared.example');
  });

  it('is issued twenty times at once', async () => {
    const many = Array.from({ length: 20 }, (_, n) => certificateObject(`many-${n}`, [`m${n}.site.example`]));
    await issue(test, 55, ...many);
    await leavesNothing('m0.site.example');
  });
});

describe('a challenge that cannot be', () => {
  it('says that no DNSZone covers a name that is in DNS all the same', async () => {
    const owner = `org:${test.stack.service.keys.first.team}`;
    await test.client.zones.create({ zoneName: 'orphan.example', owner });
    await test.apply(certificateObject('orphan', ['www.orphan.example']));
    await challengeSays(test, 'default', 'No DNSZone of this cluster covers _acme-challenge.www.orphan.example');
    await test.kubectl('delete', 'certificate', 'orphan');
  });

  it('says that the zone takes none, and is solved once it does', async () => {
    const certificate = certificateObject('later', ['www.closed.example']);
    await test.apply(zoneObject('closed', 'closed.example', {}));
    await test.ready(30, 'zdz/closed');
    await test.apply(certificate);
    await challengeSays(
      test,
      'default',
      'DNSZone default/closed takes no ACME challenges; its owner can permit them in spec.acme',
    );
    await test.apply(zoneObject('closed', 'closed.example', { acme: {} }));
    await issued(test, 55, certificate);
  });

  it('says when the namespace has no grant, and is solved when it gets one', async () => {
    const certificate = certificateObject('stranger', ['www.site.example'], 'tenant');
    await test.apply(certificate);
    await challengeSays(test, 'tenant', 'DNSZone default/site takes no ACME challenges from namespace tenant');
    await test.apply(zoneObject('site', 'site.example', { acme: { namespaces: { from: 'All' } } }));
    await issued(test, 55, certificate);
    await test.apply(zoneObject('site', 'site.example', { acme: {} }));
  });

  it('is refused where it would take a name away from a wildcard, and says what to do instead', async () => {
    await test.apply(certificateObject('shadow', ['shop.wild.example']));
    await challengeSays(test, 'default', '*.wild.example answers for shop.wild.example');
    expect((await challengeReasons(test)).join()).toContain('ask for a certificate of *.wild.example instead');
    expect(await test.dig('shop.wild.example', 'A')).toEqual(['shop.wild.example. 3600 IN A 192.0.2.1']);
    await test.kubectl('delete', 'certificate', 'shadow');
    await issue(test, 55, certificateObject('wildcard', ['*.wild.example']));
  });
});

describe("cert-manager's own test suite", () => {
  it(
    'passes, basic and extended, with the rights of its account and without any Challenge',
    async () => {
      const { issuance, service } = test.stack;
      // The suite's namespace does not exist in this cluster, and its name is none of a challenge.
      const acme = { namespaces: { from: 'All' }, names: ['cert-manager-dns01-tests'] };
      await test.apply(zoneObject('suite', 'suite.example', { acme }));
      await test.ready(30, 'zdz/suite');
      const { code, tail } = await runConformance({
        kubeconfig: issuance?.certManagerKubeconfig ?? '',
        zone: 'suite.example.',
        dns: `${service.dns.address}:${service.dns.port}`,
      });
      expect(code, tail).toBe(0);
      expect(tail).toContain('--- PASS: TestSolver');
      await expect.poll(() => challengeRecords(test), { timeout: 30_000 }).toEqual([]);
    },
    // Building the suite takes minutes, once.
    20 * 60_000,
  );
});

describe('zonestead doctor', () => {
  const doctor = async (...names: string[]) => {
    const { service, cluster } = test.stack;
    const args = [MAIN, 'doctor', ...names, '--namespace', 'default'];
    const env = {
      PATH: process.env.PATH,
      KUBECONFIG: cluster.kubeconfig,
      ZONESTEAD_NAMESERVER_ADDRESSES: `ns1.zonestead.test=${service.dns.address}:${service.dns.port}`,
    };
    const { signal } = new AbortController();
    const { code, out, tail } = await runCommand({ command: process.execPath, args, env, timeoutMs: 60_000, signal });
    return {
      code,
      text: code === 0 ? out : `${out}\n${tail}`,
      failures: out.split('\n').filter((line) => line.startsWith('FAIL')),
    };
  };

  it('finds the whole chain in order', async () => {
    const { code, text } = await doctor('www.site.example', '*.shared.example');
    expect(text).toContain('ok    The solver answers a CleanUp through kube-apiserver');
    expect(text).toContain('ok    ClusterIssuer zonestead uses the solver and is Ready');
    expect(text).toContain('ok    Name server ns1.zonestead.test');
    // Of the two only one takes challenges for Certificates of this namespace.
    expect(text).toContain('FAIL  DNSZone default/shared takes no ACME challenges from namespace default');
    expect(code).toBe(1);
    expect((await doctor('www.site.example')).failures).toEqual([]);
  });

  it("says when cert-manager's account may not use the solver", async () => {
    const binding = await test.kubectl('get', 'clusterrolebinding', 'zonestead-solver-user', '-o', 'json');
    await test.kubectl('delete', 'clusterrolebinding', 'zonestead-solver-user');
    expect((await doctor()).failures.join()).toContain('may not create zonestead.acme.zonestead.dev');
    const { metadata, ...rest } = JSON.parse(binding);
    await test.apply({ ...rest, metadata: { name: metadata.name } });
    expect((await doctor()).failures).toEqual([]);
  });

  it('says when a name server does not answer, and when the solver is away', async () => {
    await test.stack.service.crew.part('powerdns').stop();
    expect((await doctor('www.site.example')).failures.join()).toContain('does not answer over UDP');
    await test.stack.service.crew.start('powerdns');
    await test.stack.issuance?.crew.part('solver').stop();
    expect((await doctor()).failures.join()).toMatch(/is not available|does not answer/);
    await test.stack.issuance?.crew.start('solver');
    await test.kubectl('wait', '--for=condition=Available', '--timeout=55s', 'apiservice/v1alpha1.acme.zonestead.dev');
  });
});

describe('a solver that is not there', () => {
  it('killed in the middle of a challenge is no harm once it is back', async () => {
    const crew = test.stack.issuance?.crew;
    const certificates = [0, 1, 2].map((n) => certificateObject(`killed-${n}`, [`k${n}.site.example`]));
    await test.apply(...certificates);
    await expect
      .poll(async () => (await challengeRecords(test)).length, { timeout: 60_000, interval: 20 })
      .toBeGreaterThan(0);
    await crew?.part('solver').stop({ signal: 'SIGKILL' });
    await crew?.start('solver');
    await issued(test, 55, ...certificates);
    await leavesNothing('k0.site.example');
  });

  it('keeps namespaces from being deleted, and no longer when it is back', async () => {
    const crew = test.stack.issuance?.crew;
    const phase = () => test.kubectl('get', 'namespace', 'leaving', '--ignore-not-found', '-o', 'jsonpath={.status}');
    // Discovery is looked at once a minute.
    const patient = { timeout: 120_000, interval: 500 };
    await test.apply(namespaceObject('leaving'));
    await crew?.part('solver').stop();
    const gone = '--for=condition=Available=False';
    await test.kubectl('wait', gone, '--timeout=55s', 'apiservice/v1alpha1.acme.zonestead.dev');
    await test.kubectl('delete', 'namespace', 'leaving', '--wait=false');
    await expect.poll(phase, patient).toContain('DiscoveryFailed');
    await crew?.start('solver');
    await expect.poll(phase, patient).toBe('');
  }, 300_000);
});
