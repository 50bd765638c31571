// The part of a DNSRecord that the cache keeps.
import { expect, it } from 'vitest';
import { createRecordTrim } from '#operator/record/cache.ts';
import type { DNSRecord } from '#resources/dnsrecord.ts';
import { CREATION_ANNOTATION } from '#resources/names.ts';

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
      annotations: { [CREATION_ANNOTATION]: 'seal {}', theirs: 'kept' },
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: { name: 'www', content: '192.0.2.1' },
    ...(status === undefined ? {} : { status }),
  }) as unknown as DNSRecord;

it('has the same content as the object, without managedFields', () => {
  const status = { zoneId: 'zone_1', conditions: [condition('The record is served.')] };
  const { metadata, ...rest } = createRecordTrim()(object(status));
  expect(rest).toMatchObject({ spec: { name: 'www', content: '192.0.2.1' }, status });
  expect(metadata).toEqual({ name: 'www', annotations: { [CREATION_ANNOTATION]: 'seal {}', theirs: 'kept' } });
});

it('keeps the creation annotation as long as the status has no ledger', () => {
  const annotations = (status: object | undefined) => createRecordTrim()(object(status)).metadata.annotations;
  expect(annotations(undefined)).toHaveProperty([CREATION_ANNOTATION]);
  expect(annotations({ conditions: [], records: [] })).toEqual({ theirs: 'kept' });
});
