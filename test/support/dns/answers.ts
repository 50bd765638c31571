// Expectations for an answer, checked in the plain message and by delv against the key of the zone.
import { expect } from 'vitest';
import { isLater } from '#dns/serial.ts';
import type { Resolver } from './resolver.ts';

/** The answer is authoritative, not empty, and secure. @returns the records, as `www.example 60 A 192.0.2.1` */
export async function expectPositive(dns: Resolver, zone: string, name: string, type: string): Promise<string[]> {
  const { rcode, aa, answers } = await dns.lookup(name, type);
  expect([name, rcode, aa]).toEqual([name, 'NOERROR', true]);
  expect(answers).not.toEqual([]);
  const { state, negative } = await dns.delv(zone, name, type);
  expect([name, state, negative]).toEqual([name, 'secure', null]);
  return answers;
}

/** The answer is authoritative, has the SOA that limits its caching (RFC 2308), and is proven. */
export async function expectNegative(
  dns: Resolver,
  zone: string,
  name: string,
  type: string,
  kind: 'nxdomain' | 'nodata',
): Promise<void> {
  const { rcode, aa, answers, packet } = await dns.lookup(name, type);
  expect([name, rcode, aa, answers]).toEqual([name, kind === 'nxdomain' ? 'NXDOMAIN' : 'NOERROR', true, []]);
  expect(packet.authorities).toMatchObject([{ name: zone, type: 'SOA' }]);
  const { state, negative } = await dns.delv(zone, name, type);
  expect([name, state, negative]).toEqual([name, 'secure', kind]);
}

/**
 * A name server that finds the names of one change in two lines of the feed makes two commits; the second has a later
 * serial.
 */
export function expectServedSerial(served: number, stored: unknown): void {
  const serial = Number(stored);
  expect(served === serial || isLater(served, serial), `served ${served}, stored ${serial}`).toBe(true);
}
