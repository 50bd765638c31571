// A challenge that is not permitted, or would do harm, says so, and is solved after the cause is fixed.
import { describe, expect, test } from 'vitest';
import { createZone } from '#contract/operations/zones.ts';
import { certificateObject, challengeSays, issue, issued } from '../../support/cert-manager/certificates.ts';
import { type TestStack, zoneObject } from '../../support/stack/stack.ts';

export function isRefused(theStack: () => TestStack): void {
  describe.concurrent('a refused challenge', () => {
    test('a refused challenge says that no DNSZone covers a name that exists in DNS', async () => {
      const stack = theStack();
      const owner = `org:${stack.stack.service.keys.first.team}`;
      await stack.client.call(createZone, { body: { zoneName: 'orphan.example', owner } });
      await stack.apply(certificateObject('orphan', ['www.orphan.example']));
      await challengeSays(stack, 'default', 'No DNSZone of this cluster covers _acme-challenge.www.orphan.example');
      await stack.kubectl('delete', 'certificate', 'orphan');
    });

    test('a refused challenge says that the zone permits no challenges, and is solved once it does', async () => {
      const stack = theStack();
      const certificate = certificateObject('later', ['www.closed.example']);
      await stack.apply(zoneObject('closed', 'closed.example', {}));
      await stack.ready('zdz/closed');
      await stack.apply(certificate);
      await challengeSays(
        stack,
        'default',
        'DNSZone default/closed takes no ACME challenges; its owner can permit them in spec.acme',
      );
      await stack.apply(zoneObject('closed', 'closed.example', { acme: {} }));
      await issued(stack, certificate);
    });

    test('a refused challenge says that the namespace has no grant, and is solved when it gets one', async () => {
      const stack = theStack();
      const certificate = certificateObject('stranger', ['www.strange.example'], 'tenant');
      await stack.apply(zoneObject('strange', 'strange.example', { acme: {} }));
      await stack.ready('zdz/strange');
      await stack.apply(certificate);
      await challengeSays(stack, 'tenant', 'DNSZone default/strange takes no ACME challenges from namespace tenant');
      const acme = { namespaces: { from: 'All' }, names: ['www'] };
      await stack.apply(zoneObject('strange', 'strange.example', { acme }));
      await issued(stack, certificate);
      // The grant is for this name only: neither for the zone itself, nor for a sibling or a name below it.
      for (const [name, dnsName] of Object.entries({
        apex: 'strange.example',
        beside: 'other.strange.example',
        below: 'a.www.strange.example',
      })) {
        await stack.apply(certificateObject(name, [dnsName], 'tenant'));
        await challengeSays(
          stack,
          'tenant',
          `DNSZone default/strange takes no ACME challenges for ${dnsName} from namespace tenant`,
        );
        await stack.kubectl('-n', 'tenant', 'delete', 'certificate', name);
      }
    });

    test('a challenge is refused if a wildcard would stop answering for a name, and says what to do instead', async () => {
      const stack = theStack();
      await stack.apply(certificateObject('shadow', ['shop.wild.example']));
      await challengeSays(stack, 'default', '*.wild.example answers for shop.wild.example');
      await challengeSays(stack, 'default', 'ask for a certificate of *.wild.example instead');
      expect(await stack.dig('shop.wild.example', 'A')).toEqual(['shop.wild.example. 3600 IN A 192.0.2.1']);
      await stack.kubectl('delete', 'certificate', 'shadow');
      await issue(stack, certificateObject('wildcard', ['*.wild.example']));
    });
  });
}
