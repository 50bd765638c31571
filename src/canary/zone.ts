// The zone of the canary as the REST service knows it: its id, its name servers and its DS records. The canary keeps
// the last answer while the service is down, because it still queries then.

import type { Client } from '#client/client.ts';
import { listZones } from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { rdataHex } from '#dns/dnssec/delegation.ts';
import { Misconfigured } from './refusals.ts';

export interface CanaryZone {
  readonly id: string;
  /** Without final dot. */
  readonly name: string;
  readonly nameservers: readonly string[];
  /** RDATA. */
  readonly ds: readonly Uint8Array[];
}

const LIMIT_MS = 5_000;

/**
 * @throws Misconfigured if the key sees no such zone, or if it has no DS records
 * @throws ApiError, ApiUnavailable; the signal's reason
 */
export async function readZone(client: Pick<Client, 'call'>, name: string, signal: AbortSignal): Promise<CanaryZone> {
  const list = await client.call(listZones, { query: { zoneName: name } }, { signal, timeoutMs: LIMIT_MS });
  const [zone] = 'zones' in list ? list.zones : [list];
  if (zone === undefined) {
    throw new Misconfigured(
      `The key of the canary sees no zone ${name}. Create it (zonestead zones create ${name}), and give the key the right to write its records (--grant <id of the zone>=write)`,
    );
  }
  return toCanaryZone(zone);
}

/** @throws Misconfigured without DS records: every answer would count as bogus */
function toCanaryZone({ id, zoneName, nameservers, ds }: Zone): CanaryZone {
  const contents = ds.map((each) => `${each.keyTag} ${each.algorithm} ${each.digestType} ${each.digest}`);
  const rdatas = rdataHex('DS', contents).map((hex) => Uint8Array.from(Buffer.from(hex, 'hex')));
  if (rdatas.length === 0) {
    throw new Misconfigured(`The service tells no DS record of ${zoneName}, so the canary cannot validate answers`);
  }
  return { id, name: zoneName, nameservers, ds: rdatas };
}
