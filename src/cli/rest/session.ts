// One command over the REST API: opens and closes the client, and adds to errors how to fix them.
import type { Client } from '#client/client.ts';
import { ApiError, ApiUnavailable } from '#client/errors.ts';
import { type ClientKey, KeyUnreadable } from '#client/key.ts';
import { fetchZones } from '#client/lists.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import type { Output, OutputOption } from '../output.ts';

export interface Session extends Output {
  client: Client;
  /** Prints a line on standard error. */
  warn(line: string): void;
  signal: AbortSignal;
  /** With --wait: waits until the name servers answer with the changes of a zone so far. Absent: the command has no --wait. */
  served?(zoneId: string): Promise<void>;
}

/** The service reads the keys of the issuer of a token at most once a minute. */
export const KEY_WAIT_MS = 65_000;

interface SessionConfig {
  ZONESTEAD_URL: string;
  ZONESTEAD_URL_CA?: string | undefined;
  ZONESTEAD_API_KEY: ClientKey;
  /** The context of the login that these are from; null or absent: the environment. */
  context?: string | null;
}

/** @throws Error with a message for people */
export async function withSession(
  config: SessionConfig,
  options: OutputOption,
  { print, warn, signal }: Pick<Session, 'print' | 'warn' | 'signal'>,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  // The client loads a package that help and completion need not wait for.
  const { createClient } = await import('#client/client.ts');
  const client = createClient({
    baseUrl: config.ZONESTEAD_URL,
    caFile: config.ZONESTEAD_URL_CA,
    key: config.ZONESTEAD_API_KEY,
    keyWaitMs: KEY_WAIT_MS,
  });
  try {
    await work({ client, format: options.output, print, warn, signal });
  } catch (error) {
    throw withHint(error, config.ZONESTEAD_URL, config.context);
  } finally {
    await client.close();
  }
}

/** The zone of this name or id. @throws Error if the API key cannot see it */
export async function zoneOf({ client, signal }: Session, nameOrId: string): Promise<Zone> {
  if (/^zone_[0-9a-f]+$/.test(nameOrId)) return client.call(getZone, { params: { id: nameOrId } }, { signal });
  const zone = (await fetchZones(client, { zoneName: nameOrId }, { signal }))[0];
  if (zone) return zone;
  throw new Error(`no zone ${nameOrId} that this API key can see; "zonestead zones list" lists the zones`);
}

/**
 * The error with a hint for people after the message of the service. Pure.
 * @param context the name of the login that the address and the key are from; null: settings
 */
export function withHint(error: unknown, url: string, context: string | null = null): unknown {
  if (error instanceof KeyUnreadable) return error;
  if (error instanceof ApiUnavailable)
    return new Error(
      context === null
        ? `${error.message}. Is ZONESTEAD_URL (${url}) right?`
        : `${error.message}. The context ${context} has the address ${url}; "zonestead contexts list" lists others.`,
    );
  if (!(error instanceof ApiError)) return error;
  const said = `${error.message} (${error.status} ${error.code})`;
  if (error.status === 401 && error.retryAfterMs === null)
    return new Error(
      context === null
        ? `${said} ZONESTEAD_API_KEY is not valid at ${url}.`
        : `${said} The login of the context ${context} has ended: its key expired or was revoked. Log in again with "zonestead login ${url} --context ${context}".`,
    );
  if (error.retryAfterMs !== null) return new Error(`${said} Try again in ${Math.ceil(error.retryAfterMs / 1000)} s.`);
  return new Error(said);
}
