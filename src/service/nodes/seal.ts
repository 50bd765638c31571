// The seal of the values that name servers keep for a database that is restored to an earlier time. The secret is in
// the database and in its backups, and no node has it. So a node can withhold what it was given, and cannot invent a
// zone, an owner, a key or a revocation. Pure.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Denial } from '#dns/dnssec/denial.ts';
import type { KeyState } from '#dns/dnssec/key-states.ts';
import type { PublicKey } from '#dns/dnssec/signing-key.ts';
import type { Ending } from '#store/endings.ts';
import type { ZoneState } from '#store/zones.ts';

/** The part of a zone that its name server does not serve, and that a restored database needs. */
export interface ZoneOrigin {
  /** The id of the team or person that owns the zone; the other one is null. */
  team: string | null;
  user: string | null;
  state: ZoneState;
  /** In seconds. */
  defaultTtl: number;
  denial: Denial;
  /** In the order of their creation. */
  keys: readonly SealedKey[];
}

/** A DNSSEC key of a zone; `publicKey` is that of the DNSKEY record. */
export interface SealedKey extends PublicKey {
  state: KeyState;
}

/** `zoneOrigin` of the contract. */
export type SealedOrigin = ZoneOrigin & { seal: string };

export interface SealedZone {
  id: string;
  name: string;
  origin: ZoneOrigin;
}

export function sealZone(secret: Uint8Array, { id, name, origin }: SealedZone): string {
  const { team, user, state, defaultTtl, denial, keys } = origin;
  const keyValues = keys.flatMap((key) => [key.publicKey, key.algorithm, key.state]);
  return seal(secret, ['zone', id, name, team, user, state, defaultTtl, denial, ...keyValues]);
}

/** Whether this database, or the one that it is a backup of, sealed the zone with these keys and this owner. */
export function isSealedZone(secret: Uint8Array, zone: SealedZone, sealText: string): boolean {
  return isSame(sealZone(secret, zone), sealText);
}

/** `ending` of the contract. */
export type SealedEnding = Ending & { seal: string };

export function sealEnding(secret: Uint8Array, { action, subject, team, at }: Ending): string {
  return seal(secret, ['ending', action, subject, team, at]);
}

export function isSealedEnding(secret: Uint8Array, { seal: sealText, ...ending }: SealedEnding): boolean {
  return isSame(sealEnding(secret, ending), sealText);
}

/** The values in JSON, so that no two lists of values have one text. */
function seal(secret: Uint8Array, values: readonly (string | number | null)[]): string {
  return createHmac('sha256', secret).update(JSON.stringify(values)).digest('base64url');
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
