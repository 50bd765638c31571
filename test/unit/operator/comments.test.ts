// The annotation zonestead.dev/comment: it travels with the values of a record, and with the settings of a zone.
import { expect, test } from 'vitest';
import { updateZone } from '#contract/operations/zones.ts';
import { NAMESPACE } from '#kube/objects/namespaces.ts';
import { COMMENT, EXISTING_ZONES } from '#resources/names.ts';
import { Bench, DNS_RECORD, DNS_ZONE } from '../../support/operator/bench.ts';

const ZONE = 'default/example';
const WWW = 'default/www';
const spec = { zoneRef: { name: 'example' }, name: 'www', type: 'A', content: '192.0.2.1' };

async function bench(comments: { zone?: string; record?: string }): Promise<Bench> {
  const on = new Bench();
  const annotated = (comment?: string) => (comment === undefined ? {} : { annotations: { [COMMENT]: comment } });
  on.cluster.create(DNS_ZONE, { name: 'example', ...annotated(comments.zone) }, { zoneName: 'example.org' });
  on.cluster.create(DNS_RECORD, { name: 'www', ...annotated(comments.record) }, spec);
  await on.settle();
  on.faults.calls.length = 0;
  return on;
}

const zoneOf = (on: Bench) => [...on.service.zones.values()][0];
const commentOf = (on: Bench) => [...(zoneOf(on)?.records.values() ?? [])].map(({ comment }) => comment ?? null);
const writes = (on: Bench) =>
  on.faults.calls.filter((call) => / (apply|change|create|patch|update|replace)/.test(call));

test('the annotation of a DNSRecord is sent with the values, and a change of it alone is one request and no write in the cluster', async () => {
  const on = await bench({ record: ' the web server ' });
  expect(commentOf(on)).toEqual(['the web server']);
  on.cluster.annotate(DNS_RECORD, WWW, { [COMMENT]: 'another' });
  const { resourceVersion } = on.cluster.record(WWW)?.metadata ?? {};
  await on.settle();
  expect(commentOf(on)).toEqual(['another']);
  expect(on.cluster.record(WWW)?.metadata.resourceVersion).toBe(resourceVersion);
  on.cluster.annotate(DNS_RECORD, WWW, {});
  await on.settle();
  expect(commentOf(on)).toEqual([null]);
});

test('the annotation of a DNSRecord is known after a restart, so that the first run sends nothing', async () => {
  const on = await bench({ record: 'web' });
  on.restart();
  await on.round();
  expect(writes(on)).toEqual([]);
  on.restart();
  on.cluster.annotate(DNS_RECORD, WWW, { [COMMENT]: 'changed meanwhile' });
  await on.round();
  expect(commentOf(on)).toEqual(['changed meanwhile']);
});

test('the annotation of a DNSRecord that is too long is told in the conditions, and the records stay as they are', async () => {
  const on = await bench({ record: 'web' });
  on.cluster.annotate(DNS_RECORD, WWW, { [COMMENT]: 'x'.repeat(501) });
  await on.settle();
  const accepted = on.cluster.record(WWW)?.status?.conditions.find(({ type }) => type === 'Accepted');
  expect(accepted).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  expect(accepted?.message).toMatch(/annotations\[zonestead\.dev\/comment\].* 501 characters; write at most 500/);
  expect(on.service.lines()).toEqual(['example.org www A 192.0.2.1 3600']);
  expect(commentOf(on)).toEqual(['web']);
});

test('the annotation of a DNSZone is in the request that creates the zone, and each change of it is one more', async () => {
  const on = await bench({ zone: 'the shop' });
  expect(zoneOf(on)?.zone.comment).toBe('the shop');
  expect(on.cluster.zone(ZONE)?.status?.conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
  on.cluster.annotate(DNS_ZONE, ZONE, { [COMMENT]: 'the team' });
  await on.settle();
  expect(zoneOf(on)?.zone.comment).toBe('the team');
  expect(on.faults.calls.filter((call) => call.includes(' change '))).toHaveLength(1);
  const note = expect.stringMatching(/; its comment was changed$/);
  expect(on.events).toContainEqual(expect.objectContaining({ key: ZONE, reason: 'Updated', note }));
  on.cluster.annotate(DNS_ZONE, ZONE, {});
  await on.settle();
  expect(zoneOf(on)?.zone).not.toHaveProperty('comment');
});

test('the annotation of a DNSZone is that of an adopted zone, which without it keeps the comment that it has', async () => {
  const on = new Bench();
  on.cluster.create(NAMESPACE, { namespace: '', name: 'default', labels: { [EXISTING_ZONES]: 'allow' } }, {});
  on.service.seedZone('example.org');
  await on.service.client.call(updateZone, {
    params: { id: zoneOf(on)?.zone.id ?? '' },
    body: { comment: 'of before' },
  });
  on.cluster.create(DNS_ZONE, { name: 'example' }, { zoneName: 'example.org', adopt: 'IfIdentical' });
  await on.settle();
  expect(on.cluster.zone(ZONE)?.status?.origin).toBe('Adopted');
  expect(zoneOf(on)?.zone.comment).toBe('of before');
  on.cluster.annotate(DNS_ZONE, ZONE, { [COMMENT]: 'the shop' });
  await on.settle();
  expect(zoneOf(on)?.zone.comment).toBe('the shop');
});

test('the annotation of a DNSZone that has a line break is told in the conditions', async () => {
  const on = await bench({ zone: 'two\nlines' });
  const accepted = on.cluster.zone(ZONE)?.status?.conditions.find(({ type }) => type === 'Accepted');
  expect(accepted).toMatchObject({ status: 'False', reason: 'InvalidSpec' });
  expect(accepted?.message).toContain('U+000A');
});
