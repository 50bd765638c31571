// A live zone with all types moves under GitOps: import, kubectl apply, all Ready, and not one write at the API.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { fetchRecords, fetchZones, readOwnerPages } from '#client/lists.ts';
import type { RecordChange } from '#contract/batch.ts';
import { getAccount } from '#contract/operations/account.ts';
import { applyBatch } from '#contract/operations/records.ts';
import { createZone, getZone, listZoneChanges, parkZone } from '#contract/operations/zones.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import type { TestStack } from '../../support/stack/stack.ts';

const LONG = Array.from({ length: 5 }, (_, index) => `${index}`.repeat(47)).join('.');
const DIGEST = 'ab'.repeat(32);

type Body = Extract<RecordChange, { action: 'create' }>['record'];
const RECORDS: Body[] = [
  { name: 'www', type: 'A', content: '192.0.2.1' },
  { name: 'www', type: 'A', content: '192.0.2.2', ttl: 120 },
  { name: 'www', type: 'AAAA', content: '2001:DB8::1', ttl: 60 },
  { name: 'flat', type: 'ALIAS', content: 'www.live.example' },
  { name: '@', type: 'CAA', content: '0 issue "ca.example.net"' },
  { name: '*.apps', type: 'CNAME', content: 'WWW.live.example' },
  { name: 'child', type: 'NS', content: 'ns1.example.net' },
  { name: 'child', type: 'NS', content: 'ns2.example.net' },
  { name: 'child', type: 'DS', content: `12345 13 2 ${DIGEST}` },
  { name: '@', type: 'HTTPS', content: '1 . alpn=h2,h3' },
  { name: '@', type: 'MX', content: 'mail.example.net', priority: 5 },
  { name: '@', type: 'MX', content: 'backup.example.net' },
  { name: 'void', type: 'MX', content: '.', priority: 0 },
  { name: '7.2', type: 'PTR', content: 'host.example.net' },
  { name: '_sip._tcp', type: 'SRV', content: '10 5 5060 sip.example.net' },
  { name: '_443._tcp', type: 'TLSA', content: `3 1 1 ${DIGEST}` },
  { name: '@', type: 'TXT', content: 'v=spf1 -all' },
  { name: '_dmarc', type: 'TXT', content: '"v=DMARC1; p=none" "; pct=5"' },
  { name: 'odd', type: 'TXT', content: 'yes: # "no"'.replaceAll('"', '') },
  { name: LONG, type: 'TXT', content: 'long', ttl: 30 },
];

const OBJECT = { apiVersion: 'zonestead.dev/v1alpha1', kind: 'DNSZone' };

let stack: TestStack;

async function importZone(...more: string[]): Promise<string> {
  const { url, keys } = stack.stack.service;
  const env = { PATH: process.env.PATH ?? '', ...COMPILED, ZONESTEAD_URL: url, ZONESTEAD_API_KEY: keys.first.key };
  const args = [inject('program'), 'zones', 'export', '--format', 'manifests', 'live.example', ...more];
  return (await promisify(execFile)(process.execPath, args, { env, timeout: 150_000 })).stdout;
}

/** All that DNS says of the zone, the SOA with its serial included, in one run of dig. */
function answers(): Promise<string[]> {
  const types = RECORDS.map(({ name, type }) => [name, type === 'ALIAS' ? 'A' : type] as const);
  const questions = [...types, ['x.apps', 'A'], ['none', 'A']].flatMap(([name, type]) => [
    name === '@' ? 'live.example' : `${name}.live.example`,
    String(type),
  ]);
  return stack.dig('live.example', 'SOA', ...questions);
}

async function atService() {
  const [zone] = await fetchZones(stack.client, { zoneName: 'live.example' });
  const { changes } = await stack.client.call(listZoneChanges, {
    params: { id: zone?.id ?? '' },
    query: { limit: 100 },
  });
  return { zone, records: await fetchRecords(stack.client, zone?.id ?? '', {}), changes };
}

const allowExisting = (value: string | null) =>
  stack.kube.patch('namespace/default', { metadata: { labels: { 'zonestead.dev/existing-zones': value } } });

export function takesOverLiveZones(theStack: () => TestStack): void {
  describe('an import of a live zone', () => {
    beforeAll(() => {
      stack = theStack();
    });
    afterAll(async () => {
      await stack.removeAll('default');
      await allowExisting(null);
    });

    test('a zone with other settings stays as it is until the object has the same', async () => {
      const owner = `org:${(await stack.client.call(getAccount, {})).team?.id}`;
      const { id } = await stack.client.call(createZone, {
        body: { zoneName: 'parked.example', owner, defaultTtl: 600 },
      });
      await stack.client.call(parkZone, { params: { id } });
      await allowExisting('allow');
      const spec = { zoneName: 'parked.example', adopt: 'IfIdentical', defaultTtl: 60 };
      await stack.apply({ ...OBJECT, metadata: { name: 'parked', namespace: 'default' }, spec });
      await expect
        .poll(async () => (await stack.condition('zdz/parked', 'Ready'))?.message)
        .toContain('Set defaultTtl: 600 and parked: true in the spec.');
      expect(await stack.client.call(getZone, { params: { id } })).toMatchObject({ state: 'parked', defaultTtl: 600 });
      await stack.kube.patch('zdz/parked', { spec: { defaultTtl: 600, parked: true } });
      await stack.ready('zdz/parked');
      expect((await stack.kube.get<DNSZone>('zdz/parked')).status).toMatchObject({ origin: 'Adopted', zoneId: id });
      expect(await stack.client.call(getZone, { params: { id } })).toMatchObject({ state: 'parked', defaultTtl: 600 });
      await allowExisting(null);
    });

    test('a live zone with all 13 types is taken over as it is', async () => {
      const account = await stack.client.call(getAccount, {});
      const zone = await stack.client.call(createZone, {
        body: {
          zoneName: 'live.example',
          owner: `org:${account.team?.id}`,
          defaultTtl: 600,
        },
      });
      const changes = RECORDS.map((record) => ({ action: 'create' as const, record }));
      await stack.client.call(applyBatch, { params: { id: zone.id }, body: { changes } });
      await expect.poll(() => stack.dig('flat.live.example', 'A')).toHaveLength(2);
      const before = { dns: await answers(), service: await atService() };
      expect(before.service.records).toHaveLength(RECORDS.length);

      const yaml = await importZone();
      expect(await importZone()).toBe(yaml);
      expect(yaml.match(/^kind: /gm)).toHaveLength(1 + 18);
      await allowExisting('allow');
      await stack.applyText('default', yaml);
      const objects = await stack.kube.list('zdr', 'default');
      await stack.ready('zdz/live.example', ...objects.map(({ metadata }) => `zdr/${metadata.name}`));

      expect(await atService()).toEqual(before.service);
      expect(await answers()).toEqual(before.dns);
      expect((await stack.kube.get<DNSZone>('zdz/live.example')).status?.origin).toBe('Adopted');
      const owned: string[] = [];
      for await (const page of readOwnerPages(stack.client, before.service.zone?.id ?? '', { prefix: 'k8s:' }))
        owned.push(...page.flatMap(({ records }) => records.map(({ id }) => id)));
      expect(owned.sort()).toEqual(before.service.records.map(({ id }) => id).sort());
    });

    test('after an import, DNS follows the edits of the objects', async () => {
      await stack.kube.patch('zdr/www.live.example-aaaa', { spec: { content: '2001:db8::2' } });
      await expect
        .poll(() => stack.dig('www.live.example', 'AAAA'))
        .toEqual(['www.live.example. 60 IN AAAA 2001:db8::2']);
      expect((await atService()).records).toHaveLength(RECORDS.length);
    });
  });
}
