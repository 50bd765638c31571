// Changes of objects that `kubectl apply` must take or refuse; the integration test feeds them to a real
// kube-apiserver.
import { aRecord } from '../../support/resources/resource-case.ts';

/** A change of an object that exists: only the API server can judge it. */
export interface ChangeCase {
  readonly title: string;
  readonly kind: 'DNSZone' | 'DNSRecord';
  readonly before: Record<string, unknown>;
  readonly after: Record<string, unknown>;
  readonly refused?: RegExp;
}

export const CHANGE_CASES: readonly ChangeCase[] = [
  {
    title: 'another zoneName',
    kind: 'DNSZone',
    before: { zoneName: 'example.org' },
    after: { zoneName: 'example.net' },
    refused: /zoneName is immutable: delete this object/,
  },
  {
    title: 'any other field of a zone',
    kind: 'DNSZone',
    before: { zoneName: 'example.org' },
    after: { zoneName: 'example.org', owner: 'org:t1', defaultTtl: 60, parked: true, deletionPolicy: 'Retain' },
  },
  {
    title: 'another zoneRef',
    kind: 'DNSRecord',
    before: aRecord,
    after: { ...aRecord, zoneRef: { name: 'other' } },
    refused: /zoneRef is immutable/,
  },
  {
    title: 'another namespace of the zone',
    kind: 'DNSRecord',
    before: aRecord,
    after: { ...aRecord, zoneRef: { name: 'example', namespace: 'dns' } },
    refused: /zoneRef is immutable/,
  },
  {
    title: 'another name',
    kind: 'DNSRecord',
    before: aRecord,
    after: { ...aRecord, name: 'web' },
    refused: /name is immutable/,
  },
  {
    title: 'another type',
    kind: 'DNSRecord',
    before: aRecord,
    after: { ...aRecord, type: 'AAAA', content: '2001:db8::1' },
    refused: /type is immutable/,
  },
  {
    title: 'values instead of content, and another ttl',
    kind: 'DNSRecord',
    before: aRecord,
    after: { zoneRef: aRecord.zoneRef, name: 'www', type: 'A', ttl: 60, values: [{ content: '192.0.2.9' }] },
  },
];
