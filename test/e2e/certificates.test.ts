// Certificates by the real cert-manager and a real certificate authority, which asks PowerDNS itself: Certificate → Order →
// Challenge → kube-apiserver → solver → DNSRecord → operator → REST API → DNS → Pebble.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  certificateObject,
  challengeReasons,
  challengeRecords,
  challengeSays,
  issue,
  issued,
  namesIn,
} from '../support/certificates.ts';
import { recordObject, startTestStack, type TestStack, zoneObject } from '../support/stack.ts';

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
    await test.apply(namespaceObject('leaving'));
    await crew?.part('solver').stop();
    await test.kubectl(
      'wait',
      '--for=condition=Available=False',
      '--timeout=55s',
      'apiservice/v1alpha1.acme.zonestead.dev',
    );
    await test.kubectl('delete', 'namespace', 'leaving', '--wait=false');
    await test.kubectl(
      'wait',
      '--for=condition=NamespaceDeletionDiscoveryFailure',
      '--timeout=55s',
      'namespace/leaving',
    );
    await crew?.start('solver');
    await test.kubectl('wait', '--for=delete', '--timeout=55s', 'namespace/leaving');
  });
});
