// Addresses of checks as requests name them.
import { isIP } from 'node:net';
import { parseRdata } from '#dns/types/index.ts';
import { refusal } from '../refusal.ts';

/** The address as records have it. @throws Refusal bad_request */
export function canonicalAddress(address: string): string {
  const family = isIP(address);
  const parsed = family === 0 ? null : parseRdata(family === 4 ? 'A' : 'AAAA', address, null);
  if (!parsed?.ok) throw refusal('wrong-address', { address });
  return parsed.value.rdata;
}
