// The DNSRecords that Kubernetes lost, made of the sets that the service has of them.
import { expect, test } from 'vitest';
import { planOwnedManifests } from '#cli/owners/manifests.ts';
import { type CheckDefinition, checkBody } from '#contract/checks.ts';
import type { OwnedSet } from '#contract/owners.ts';
import type { DnsRecord } from '#contract/record.ts';

const CHECK = `k8s-${'0'.repeat(8)}`;
const definition: CheckDefinition = checkBody.parse({ type: 'http', path: '/healthz', expect: [200, '3xx'] });

function planSet(records: readonly Partial<DnsRecord>[], check: CheckDefinition) {
  const set = {
    ...{ owner: 'k8s:prod/default/www', name: 'www', type: 'A', ttl: null, comment: null, expires: null },
    ...{ share: false, retain: false, drift: 'Enforce', whenClusterLost: 'Keep' },
    records: records.map((record) => ({ priority: null, ...record })),
  } as unknown as OwnedSet;
  const definitions = new Map([[CHECK, check]]);
  return planOwnedManifests([set], 'prod', { namespace: 'default', name: 'example' }, definitions);
}

function specOf(records: readonly Partial<DnsRecord>[]) {
  const { objects, leftOut } = planSet(records, definition);
  expect(leftOut).toEqual([]);
  return objects[0]?.spec;
}

test('a lost DNSRecord gets its tiers and the definition of its own check back', () => {
  const spec = specOf([
    { content: '192.0.2.1', check: CHECK, whenAllFail: 'ServeNone' },
    { content: '192.0.2.2', check: CHECK, whenAllFail: 'ServeNone', tier: 1 },
  ]);
  expect(spec).toMatchObject({
    values: [{ content: '192.0.2.1' }, { content: '192.0.2.2', tier: 1 }],
    whenAllFail: 'ServeNone',
    healthCheck: { type: 'http', path: '/healthz', expect: ['200', '3xx'], interval: 10 },
  });
});

test('a lost DNSRecord that followed a Service is omitted, because only its operator knew the Service', () => {
  const { objects, leftOut } = planSet([{ content: '192.0.2.1', check: CHECK }], checkBody.parse({ type: 'signal' }));
  expect(objects).toEqual([]);
  expect(leftOut).toEqual([expect.stringMatching(/^k8s:prod\/default\/www: .* spec\.healthFrom$/)]);
});

test('a lost DNSRecord refers to the same check of the team', () => {
  expect(specOf([{ content: '192.0.2.1', check: 'web' }])).toMatchObject({
    content: '192.0.2.1',
    healthCheck: { checkRef: 'web' },
  });
  expect(specOf([{ content: '192.0.2.1', tier: 1 }])).toMatchObject({ values: [{ content: '192.0.2.1', tier: 1 }] });
});
