// The names of zones for completion. A shell waits for them, so they must come soon or not at all.
import { createClient } from '#client/client.ts';
import type { ClientKey } from '#client/key.ts';
import { fetchZones } from '#client/lists.ts';

const LIMIT_MS = 2_000;

/** The zones that the API key can see. None if the service does not answer in time, or refuses. */
export async function zoneNames(
  config: { ZONESTEAD_URL: string; ZONESTEAD_URL_CA?: string | undefined; ZONESTEAD_API_KEY: ClientKey },
  signal: AbortSignal,
): Promise<string[]> {
  const client = createClient({
    baseUrl: config.ZONESTEAD_URL,
    caFile: config.ZONESTEAD_URL_CA,
    key: config.ZONESTEAD_API_KEY,
    timeoutMs: LIMIT_MS,
  });
  try {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    return (await fetchZones(client, {}, { signal: limit })).map(({ zoneName }) => zoneName);
  } catch {
    return [];
  } finally {
    await client.close();
  }
}
