// The version of the service, which it tells without a key.
import { request } from 'undici';
import { createAgent } from './authorities.ts';

/**
 * @param caFile as in ClientOptions
 * @throws Error if the service does not answer, or answers with an error
 */
export async function readServiceVersion(
  url: string,
  caFile: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const dispatcher = createAgent(caFile);
  try {
    const { statusCode, body } = await request(new URL('/v1/dns/openapi.json', url), { dispatcher, signal });
    if (statusCode !== 200) throw new Error(`${url} answers ${statusCode}`);
    const { info } = (await body.json()) as { info: { version: string } };
    return info.version;
  } finally {
    await dispatcher.destroy();
  }
}
