// The two records of a canary: its value, and the challenge that it presents for a moment. Both belong to one owner, so
// a process that starts again finds the records of the one before it, and there is never more than one of each. The
// challenge has a lease: after a crash, the service removes it.
import type { Client } from '#client/client.ts';
import { applyRecords } from '#contract/operations/owners.ts';
import type { RecordSet } from '#contract/owners.ts';

export interface CanaryRecords {
  /** Writes the value in place of the one before. @throws ApiError, ApiUnavailable; the signal's reason */
  writeValue(zoneId: string, content: string, signal: AbortSignal): Promise<void>;
  /** @throws as writeValue */
  presentChallenge(zoneId: string, content: string, signal: AbortSignal): Promise<void>;
  /** @throws as writeValue */
  removeChallenge(zoneId: string, signal: AbortSignal): Promise<void>;
  /** Removes everything of this canary. @throws as writeValue */
  removeAll(zoneId: string, signal: AbortSignal): Promise<void>;
}

/** The shortest that the service takes. Only resolvers that people ask by hand keep it. */
const TTL = 30;
const TYPE = 'TXT';
const LIMIT_MS = 5_000;
const LEASE_MS = 10 * 60_000;

/** The name of a canary's challenge, relative to its zone. */
export function challengeName(name: string): string {
  return `_acme-challenge.${name}`;
}

/**
 * @param name the canary's own, a label
 * @param date for the lease of a challenge
 */
export function createRecords(client: Pick<Client, 'call'>, name: string, date: () => Date): CanaryRecords {
  const owner = `canary:${name}`;
  const apply = async (zoneId: string, set: Omit<RecordSet, 'owner'>, signal: AbortSignal) => {
    const body = { atomic: true, sets: [{ owner, ...set }] };
    await client.call(applyRecords, { params: { id: zoneId }, body }, { signal, timeoutMs: LIMIT_MS });
  };
  const challenge = { name: challengeName(name), type: TYPE } as const;
  return {
    writeValue: (zoneId, content, signal) =>
      apply(zoneId, { name, type: TYPE, ttl: TTL, values: [{ content }] }, signal),
    presentChallenge: (zoneId, content, signal) => {
      const expires = new Date(date().getTime() + LEASE_MS).toISOString();
      return apply(zoneId, { ...challenge, ttl: TTL, expires, values: [{ content }] }, signal);
    },
    removeChallenge: (zoneId, signal) => apply(zoneId, { ...challenge, values: [] }, signal),
    removeAll: (zoneId, signal) => apply(zoneId, { release: true }, signal),
  };
}
