// What the cache keeps of a DNSRecord.
import { expect, it } from 'vitest';
import { BIRTH } from '../../../src/operator/names.ts';
import { createRecordTrim } from '../../../src/operator/record-cache.ts';
import type { DNSRecord } from '../../../src/operator/resources/dnsrecord.ts';

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
      annotations: { [BIRTH]: 'seal {}', theirs: 'kept' },
      managedFields: [{ manager: 'kubectl' }],
    },
    spec: { name: 'www', content: '192.0.2.1' },
    ...(status === undefined ? {} : { status }),
  }) as unknown as DNSRecord;

it('says the same as the object, without managedFields', () => {
  const status = { zoneId: 'zone_1', conditions: [condition('The record is served.')] };
  const { metadata, ...rest } = createRecordTrim()(object(status));
  expect(rest).toMatchObject({ spec: { name: 'www', content: '192.0.2.1' }, status });
  expect(metadata).toEqual({ name: 'www', annotations: { [BIRTH]: 'seal {}', theirs: 'kept' } });
});

it('keeps the word of a beginning for as long as there is no ledger', () => {
  const annotations = (status: object | undefined) => createRecordTrim()(object(status)).metadata.annotations;
  expect(annotations(undefined)).toHaveProperty([BIRTH]);
  expect(annotations({ conditions: [], records: [] })).toEqual({ theirs: 'kept' });
});
