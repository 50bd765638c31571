// Decides which of two DNSZones may have a name when the order of the objects and the order of the zones at the service
// differ.
import { describe, expect, test } from 'vitest';
import { claimRefused, type Neighbours } from '#operator/access/claims.ts';
import type { DNSZone } from '#resources/dnszone.ts';
import { aZone } from '../../support/operator/build.ts';

const at = (second: number) => `2026-11-21T10:00:${String(second).padStart(2, '0')}Z`;
const zone = (
  namespace: string,
  zoneName: string,
  second: number,
  status: object = {},
  spec: object = {},
): DNSZone => ({
  ...aZone(
    { zoneName, ...spec },
    { namespace, name: zoneName, uid: `${namespace} ${zoneName}`, creationTimestamp: at(second) },
  ),
  status: { conditions: [], ...status } as unknown as NonNullable<DNSZone['status']>,
});
const THERE = { zoneId: 'zone_1', origin: 'Created' };

function around(...zones: DNSZone[]): Neighbours {
  return {
    named: (name) => zones.filter(({ spec }) => spec.zoneName === name),
    below: (name) => zones.filter(({ spec }) => spec.zoneName.endsWith(`.${name}`)),
  };
}

const reason = (object: DNSZone, ...others: DNSZone[]) =>
  claimRefused(object, object.spec.zoneName, around(object, ...others), () => ({}))?.reason ?? null;

describe('a zone above a zone of another namespace', () => {
  const child = (second: number, status: object) => zone('a', 'shop.example', second, status);

  test.each([
    ['is refused when the lower one exists, although its own object is older', 1, 2, THERE, 'NotPermitted'],
    ['is refused when the lower one exists, and its own object is younger', 3, 2, THERE, 'NotPermitted'],
    ['is refused when neither exists and the lower object is older', 3, 2, {}, 'NotPermitted'],
    ['is accepted when neither exists and its own object is older', 1, 2, {}, null],
  ])('a zone above a zone of another namespace %s', (_case, own, other, status, expected) => {
    expect(reason(zone('b', 'example', own), child(other, status))).toBe(expected);
  });

  test('a zone above a zone of another namespace is always accepted within one namespace', () => {
    expect(reason(zone('a', 'example', 3), child(2, THERE))).toBeNull();
  });
});

describe('a zone that is only observed', () => {
  const watcher = (namespace: string) => zone(namespace, 'shop.example', 1, {}, { managementPolicy: 'Observe' });

  test('a zone that is only observed is refused when another namespace manages it, and not when its own namespace does', () => {
    const managed = zone('a', 'shop.example', 2, THERE);
    expect(reason(watcher('b'), managed)).toBe('Conflict');
    expect(reason(watcher('a'), managed)).toBeNull();
    expect(reason(watcher('b'), zone('a', 'shop.example', 2))).toBeNull();
  });
});
