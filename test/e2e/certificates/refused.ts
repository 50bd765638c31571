// A challenge that is not permitted, or would do harm, says so, and is solved after the cause is fixed.
import { describe, expect, it } from 'vitest';
import { createZone } from '#contract/operations/zones.ts';
import { certificateObject, challengeSays, issue, issued } from '../../support/cert-manager/certificates.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';

export function isRefused(theStack: () => TestStack): void {
  describe.concurrent('a refused challenge', () => {
    it('says that no DNSZone covers a name that exists in DNS', async () => {
      const test = theStack();
      const owner = `org:${test.stack.service.keys.first.team}`;
      await test.client.call(createZone, { body: { zoneName: 'orphan.example', owner } });
      await test.apply(certificateObject('orphan', ['www.orphan.example']));
      await challengeSays(test, 'default', 'No DNSZone of this cluster covers _acme-challenge.www.orphan.example');
      await test.kubectl('delete', 'certificate', 'orphan');
    });

    it('says that the zone permits no challenges, and is solved once it does', async () => {
      const test = theStack();
      const certificate = certificateObject('later', ['www.closed.example']);
      await test.apply(zoneObject('closed', 'closed.example', {}));
      await test.ready('zdz/closed');
      await test.apply(certificate);
      await challengeSays(
        test,
        'default',
        'DNSZone default/closed takes no ACME challenges; its owner can permit them in spec.acme',
      );
      await test.apply(zoneObject('closed', 'closed.example', { acme: {} }));
      await issued(test, certificate);
    });

    it('says that the namespace has no grant, and is solved when it gets one', async () => {
      const test = theStack();
      const certificate = certificateObject('stranger', ['www.strange.example'], 'tenant');
      await test.apply(zoneObject('strange', 'strange.example', { acme: {} }));
      await test.ready('zdz/strange');
      await test.apply(certificate);
      await challengeSays(test, 'tenant', 'DNSZone default/strange takes no ACME challenges from namespace tenant');
      const acme = { namespaces: { from: 'All' }, names: ['www'] };
      await test.apply(zoneObject('strange', 'strange.example', { acme }));
      await issued(test, certificate);
      // The grant is for this name only: neither for the zone itself, nor for a sibling or a name below it.
      for (const [name, dnsName] of Object.entries({
        apex: 'strange.example',
        beside: 'other.strange.example',
        below: 'a.www.strange.example',
      })) {
        await test.apply(certificateObject(name, [dnsName], 'tenant'));
        await challengeSays(
          test,
          'tenant',
          `DNSZone default/strange takes no ACME challenges for ${dnsName} from namespace tenant`,
        );
        await test.kubectl('-n', 'tenant', 'delete', 'certificate', name);
      }
    });

    it('is refused if a wildcard would stop answering for a name, and says what to do instead', async () => {
      const test = theStack();
      await test.apply(certificateObject('shadow', ['shop.wild.example']));
      await challengeSays(test, 'default', '*.wild.example answers for shop.wild.example');
      await challengeSays(test, 'default', 'ask for a certificate of *.wild.example instead');
      expect(await test.dig('shop.wild.example', 'A')).toEqual(['shop.wild.example. 3600 IN A 192.0.2.1']);
      await test.kubectl('delete', 'certificate', 'shadow');
      await issue(test, certificateObject('wildcard', ['*.wild.example']));
    });
  });
}
