// The zone that an import writes: one that exists, or one that it creates, and deletes again if nothing was written to
// it.
import { formatError } from '#base/error-text.ts';
import { ApiError } from '#client/errors.ts';
import * as zoneApi from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import type { KeyImport } from '#dns/dnssec/imported-key.ts';
import { DEFAULT_TTL } from '#dns/record.ts';
import type { Session } from '../rest/session.ts';
import { newZoneOwner } from '../zones/create.ts';
import { type Pace, sendInTurn } from './pace.ts';

interface TargetOptions {
  /** (Default: the team or the person of the API key.) */
  owner?: string | undefined;
  /** The DNSSEC key that the zone brings along. Secret. */
  key?: KeyImport | undefined;
}

export async function createTargetZone(
  session: Session & Pace,
  zoneName: string,
  { owner, key }: TargetOptions,
): Promise<Zone> {
  const { client, signal } = session;
  const properties = { zoneName, defaultTtl: DEFAULT_TTL, ...(key === undefined ? {} : { key }) };
  const body = { ...properties, owner: owner ?? (await newZoneOwner(client, signal)) };
  return sendInTurn(
    session,
    () => `${zoneName} is not created yet`,
    () => client.call(zoneApi.createZone, { body }, { signal }),
  );
}

/**
 * After a refusal of the first change, deletes the zone that this import created.
 * @returns a sentence about the zone for people; empty if it is deleted
 */
export async function removeCreated(
  { client, signal }: Session,
  { id, zoneName }: Zone,
  error: unknown,
): Promise<string> {
  const refusal = error instanceof Error && error.cause instanceof ApiError ? error.cause : error;
  // Without an answer, the records may be there. The same command finds out.
  if (!(refusal instanceof ApiError)) return ` The zone ${zoneName} is created; run the command again for its records.`;
  try {
    await client.call(zoneApi.deleteZone, { params: { id } }, { signal });
    return '';
  } catch (failure) {
    const reason = formatError(failure);
    return ` The zone ${zoneName} is created, and is not deleted again: ${reason}`;
  }
}
