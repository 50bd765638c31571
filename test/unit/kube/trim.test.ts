// The part of an object with conditions that the cache keeps.
import { expect, test } from 'vitest';
import { createConditionTrim } from '#kube/cache/trim.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';

const condition = (message: string) => ({
  type: 'Ready',
  status: 'True',
  reason: 'Ready',
  message,
  observedGeneration: 3,
  lastTransitionTime: '2026-11-21T12:00:00Z',
});
const object = (status: object | undefined) =>
  ({
    apiVersion: 'zonestead.dev/v1alpha1',
    kind: 'DNSRecord',
    metadata: {
      name: 'www',
      annotations: { theirs: 'kept' },
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: { name: 'www', content: '192.0.2.1' },
    ...(status === undefined ? {} : { status }),
  }) as unknown as DNSRecord;

test('the cache keeps equal lists of conditions, and equal texts, once for all objects', () => {
  const trim = createConditionTrim();
  const [one, two, other] = ['same', 'same', 'other'].map((message) =>
    trim(object({ conditions: [condition(message)] })),
  );
  expect(two?.status?.conditions).toBe(one?.status?.conditions);
  expect(other?.status?.conditions).toEqual([condition('other')]);
});

test('the kept part has the same content as the object, without managedFields', () => {
  const status = { zoneId: 'zone_1', conditions: [condition('The record is served.')] };
  const { metadata, ...rest } = createConditionTrim()(object(status));
  expect(rest).toMatchObject({ spec: { name: 'www', content: '192.0.2.1' }, status });
  expect(metadata).toEqual({ name: 'www', annotations: { theirs: 'kept' } });
});
