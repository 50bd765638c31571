// The main job on real parts: kubectl → kube-apiserver → operator → REST API → Postgres → Knot → dig and delv.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fetchZones } from '#client/lists.ts';
import { createRecord } from '#contract/operations/records.ts';
import { visit } from '../../support/console/visit.ts';
import { recordObject, type TestStack, zoneObject } from '../../support/stack/stack.ts';

let stack: TestStack;

export function servesTheWholeChain(theStack: () => TestStack): void {
  describe('the whole chain', () => {
    beforeAll(() => {
      stack = theStack();
    });
    afterAll(() => stack.removeAll('default'));

    test('a zone with records of every kind of answer becomes Ready after one kubectl apply', async () => {
      const words = await stack.applyByKubectl(
        zoneObject('site', 'site.example', { defaultTtl: 120 }),
        recordObject('www', 'site', { name: 'www', type: 'A', content: '192.0.2.1' }),
        recordObject('www6', 'site', { name: 'www', type: 'AAAA', content: '2001:db8::1' }),
        recordObject('shop', 'site', { name: 'shop', type: 'CNAME', content: 'www.site.example' }),
        recordObject('mail', 'site', { name: '@', type: 'MX', content: 'mail.site.example', priority: 5 }),
        recordObject('texts', 'site', {
          name: 'txt',
          type: 'TXT',
          values: [{ content: 'one' }, { content: '"two \\"2\\""' }],
        }),
        recordObject('third', 'site', { name: 'txt', type: 'TXT', content: 'three' }),
        recordObject('apps', 'site', { name: '*.apps', type: 'A', content: '192.0.2.9', ttl: 60 }),
      );
      expect(words).toContain('dnszone.zonestead.dev/site created');
      await stack.ready(
        'zdz/site',
        'zdr/www',
        'zdr/www6',
        'zdr/shop',
        'zdr/mail',
        'zdr/texts',
        'zdr/third',
        'zdr/apps',
      );
    });

    test('a zone with records of every kind of answer is answered over UDP and over TCP', async () => {
      for (const transport of ['+notcp', '+tcp']) {
        expect(await stack.dig('www.site.example', 'A', transport)).toEqual(['www.site.example. 120 IN A 192.0.2.1']);
        expect(await stack.dig('www.site.example', 'AAAA', transport)).toEqual([
          'www.site.example. 120 IN AAAA 2001:db8::1',
        ]);
        expect(await stack.dig('site.example', 'MX', transport)).toEqual([
          'site.example. 120 IN MX 5 mail.site.example.',
        ]);
        expect(await stack.dig('txt.site.example', 'TXT', transport)).toEqual([
          'txt.site.example. 120 IN TXT "one"',
          'txt.site.example. 120 IN TXT "three"',
          'txt.site.example. 120 IN TXT "two \\"2\\""',
        ]);
        expect(await stack.dig('x.y.apps.site.example', 'A', transport)).toEqual([
          'x.y.apps.site.example. 60 IN A 192.0.2.9',
        ]);
      }
    });

    test.each([
      ['www.site.example', 'A', '; fully validated'],
      ['shop.site.example', 'A', '; fully validated'],
      ['txt.site.example', 'TXT', '; fully validated'],
      ['any.apps.site.example', 'A', '; fully validated'],
      ['nope.site.example', 'A', '; negative response, fully validated'],
      ['www.site.example', 'MX', '; negative response, fully validated'],
      ['apps.site.example', 'A', '; negative response, fully validated'],
      ['any.apps.site.example', 'TXT', '; negative response, fully validated'],
    ])(
      'a zone with records of every kind of answer validates with the DS that the API gives: %s %s',
      async (name, type, verdict) => {
        expect(await stack.delv('site.example', name, type)).toBe(verdict);
      },
    );

    test('a zone with records of every kind of answer says in the console which objects it belongs to, and what the operator did', async () => {
      const { service } = stack.stack;
      const browser = visit(service);
      await browser.signIn(service.personKey);
      const words = async (path: string) =>
        (await browser.get(path)).text.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
      expect(await words('/console/zones')).toMatch(/ site\.example active .* managed by DNSZone default\/site /);
      const [zone] = await fetchZones(stack.client, { zoneName: 'site.example' });
      const records = await words(`/console/zones/${zone?.id}`);
      for (const name of ['www', 'www6', 'shop', 'mail', 'texts', 'third', 'apps']) {
        expect(records).toMatch(new RegExp(`managed by DNSRecord default/${name} `));
      }
      expect(await words(`/console/zones/${zone?.id}/history`)).toContain('zonestead-operator');
      const live = () => words(`/console/zones/${zone?.id}/live?name=www&type=A`);
      await expect.poll(live).toMatch(/NOERROR 120 A 192\.0\.2\.1 .*RRSIG of the answer ✓ valid/);
    });

    test('a zone with records of every kind of answer shows useful columns, events and help', async () => {
      const table = await stack.kubectl('get', 'zdz,zdr');
      expect(table).toMatch(/NAME\s+ZONE\s+STATE\s+READY\s+REASON\s+KEY-TAG\s+AGE/);
      expect(table).toMatch(/site\s+site\.example\s+active\s+True\s+Ready\s+\d+/);
      expect(table).toMatch(/mail\s+site\s+@\s+MX\s+5 mail\.site\.example\s+True\s+Ready/);
      // Events are sent at a limited rate.
      await expect
        .poll(() => stack.kubectl('get', 'events'))
        .toMatch(/Normal\s+Ready\s+dnsrecord\/www\s+The record is served/);
      expect(await stack.kubectl('explain', 'dnsrecord.spec')).toMatch(/The name relative to the zone/);
    });

    test('a zone with records of every kind of answer serves an edited value and an edited ttl', async () => {
      await stack.kubectl('patch', 'zdr', 'www', '--type=merge', '-p', '{"spec":{"content":"192.0.2.2","ttl":30}}');
      await stack.ready('zdr/www');
      await expect.poll(() => stack.dig('www.site.example', 'A')).toEqual(['www.site.example. 30 IN A 192.0.2.2']);
    });

    test('a zone with records of every kind of answer follows the default ttl of the zone, and parks', async () => {
      await stack.kube.patch('zdz/site', { spec: { defaultTtl: 300 } });
      await expect
        .poll(() => stack.dig('www.site.example', 'AAAA'))
        .toEqual(['www.site.example. 300 IN AAAA 2001:db8::1']);
      await stack.kube.patch('zdz/site', { spec: { parked: true } });
      await expect.poll(() => stack.rcode('www.site.example', 'A')).toBe('NXDOMAIN');
      await expect.poll(async () => (await stack.condition('zdr/www', 'Ready'))?.reason).toBe('ZoneParked');
      await stack.kube.patch('zdz/site', { spec: { parked: false } });
      await stack.ready('zdr/www');
      expect(await stack.rcode('www.site.example', 'A')).toBe('NOERROR');
    });

    test('a zone with records of every kind of answer is gone after kubectl delete, at the API and in DNS', async () => {
      await stack.kubectl('delete', 'zdr', 'third', 'texts');
      await expect.poll(() => stack.rcode('txt.site.example', 'TXT')).toBe('NXDOMAIN');
      await stack.kubectl('delete', 'zdz/site', 'zdr/www', 'zdr/www6', 'zdr/shop', 'zdr/mail', 'zdr/apps');
      expect(await fetchZones(stack.client, { zoneName: 'site.example' })).toEqual([]);
      await expect.poll(() => stack.rcode('www.site.example', 'A')).toBe('REFUSED');
    });

    test('mistakes of users are refused at apply, with a form that would be accepted', async () => {
      const { ok, words } = await stack.apply(
        recordObject('bad', 'none', { name: 'www', type: 'A', content: '300.1.1.1' }),
      );
      expect(ok).toBe(false);
      expect(words).toMatch(/spec\.content.*must be an IPv4 address such as 192\.0\.2\.10/);
    });

    test('mistakes of users that only the zone can show carry a condition with the words of the API, and heal without an edit', async () => {
      await stack.apply(
        zoneObject('heal', 'heal.example'),
        recordObject('address', 'heal', { name: 'www', type: 'A', content: '192.0.2.1' }),
      );
      await stack.ready('zdr/address');
      await stack.apply(recordObject('alias', 'heal', { name: 'www', type: 'CNAME', content: 'other.example.net' }));
      await expect.poll(async () => (await stack.condition('zdr/alias', 'Ready'))?.reason).toBe('Conflict');
      expect((await stack.condition('zdr/alias', 'Ready'))?.message).toMatch(
        /^spec\.type: www has an A record, and a CNAME cannot share.* DNSRecord default\/address has A records of this name\.$/,
      );
      expect(await stack.dig('www.heal.example', 'A')).toHaveLength(1);
      await stack.remove('default', 'zdr/address');
      await stack.ready('zdr/alias');
    });

    test('a record before its zone waits, and is served when the zone comes', async () => {
      await stack.apply(recordObject('early', 'late', { name: 'www', type: 'A', content: '192.0.2.1' }));
      await expect.poll(async () => (await stack.condition('zdr/early', 'Accepted'))?.reason).toBe('ZoneNotReady');
      await stack.apply(zoneObject('late', 'late.example'));
      await stack.ready('zdr/early');
      expect(await stack.dig('www.late.example', 'A')).toEqual(['www.late.example. 3600 IN A 192.0.2.1']);
    });

    test('a zone with records without an owner here is not deleted', async () => {
      const [zone] = await fetchZones(stack.client, { zoneName: 'late.example' });
      await stack.client.call(createRecord, {
        params: { id: zone?.id ?? '' },
        body: { name: 'foreign', type: 'A', content: '192.0.2.50' },
      });
      await stack.kube.remove('zdz/late');
      await expect.poll(async () => (await stack.condition('zdz/late', 'Ready'))?.reason).toBe('DeletionBlocked');
      expect((await stack.condition('zdz/late', 'Ready'))?.message).toMatch(/no DNSRecord owns: .*foreign A/);
      await stack.kubectl('annotate', 'zdz', 'late', 'zonestead.dev/force-delete=true');
      await stack.remove('default', 'zdz/late');
      expect(await fetchZones(stack.client, { zoneName: 'late.example' })).toEqual([]);
    });

    test('a zone that is deleted and applied again has the same DS, and its answers stay valid', async () => {
      const zone = zoneObject('again', 'again.example') as { metadata: object };
      const www = recordObject('again', 'again', { name: 'www', type: 'A', content: '192.0.2.1' });
      const ds = async () => {
        await stack.ready('zdz/again', 'zdr/again');
        return stack.kubectl('get', 'zdz', 'again', '-o', 'jsonpath={.status.ds[0].record}');
      };
      await stack.applyByKubectl(zone, www);
      const before = await ds();
      expect(before).toMatch(/^again\.example\. IN DS \d+ 13 2 /);
      await stack.kubectl('delete', 'zdz/again', 'zdr/again');
      await stack.applyByKubectl(zone, www);
      expect(await ds()).toBe(before);
      expect(await stack.delv('again.example', 'www.again.example', 'A')).toBe('; fully validated');
      expect((await stack.condition('zdz/again', 'Programmed'))?.message).toMatch(/key \d+ of the deleted zone/);
      expect(await stack.events()).toContainEqual(
        expect.stringMatching(/^Normal Created dnszone\/again: .*of the deleted/),
      );
      await stack.kubectl('delete', 'zdz/again', 'zdr/again');
      await stack.applyByKubectl(
        { ...zone, metadata: { ...zone.metadata, annotations: { 'zonestead.dev/new-key': 'true' } } },
        www,
      );
      expect(await ds()).not.toBe(before);
      await expect
        .poll(() => stack.events())
        .toContainEqual(expect.stringMatching(/^Warning KeyChanged dnszone\/again: /));
    });
  });
}
