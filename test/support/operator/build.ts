// Objects as the API server gives them to the operator, for tests of pure functions.
import { API_VERSION } from '#resources/common.ts';
import { type DNSRecord, recordSpec } from '#resources/dnsrecord.ts';
import { type DNSZone, zoneSpec } from '#resources/dnszone.ts';

type Meta = Partial<DNSRecord['metadata']>;

/** An A record www in the DNSZone example; undefined takes a field of the base away, a wrong spec stays as it is. */
export function aRecord(spec: Record<string, unknown> = {}, metadata: Meta = {}): DNSRecord {
  const base = { zoneRef: { name: 'example' }, name: 'www', type: 'A' };
  const given = { ...base, ...('content' in spec || 'values' in spec ? {} : { content: '192.0.2.1' }), ...spec };
  const parsed = recordSpec.safeParse(given);
  return {
    apiVersion: API_VERSION,
    kind: 'DNSRecord',
    metadata: { namespace: 'default', name: 'www', uid: 'uid-www', generation: 1, ...metadata },
    spec: (parsed.success ? parsed.data : given) as DNSRecord['spec'],
  };
}

/** The DNSZone example of example.org. */
export function aZone(spec: Record<string, unknown> = {}, metadata: Meta = {}): DNSZone {
  return {
    apiVersion: API_VERSION,
    kind: 'DNSZone',
    metadata: { namespace: 'default', name: 'example', uid: 'uid-example', generation: 1, ...metadata },
    spec: zoneSpec.parse({ zoneName: 'example.org', ...spec }),
  };
}
