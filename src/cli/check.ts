// `zonestead check`: a client's view of an installation, which `helm test` runs. It changes nothing.
import { lookup } from 'node:dns/promises';
import type { ClientKey } from '#client/key.ts';
import { getAccount } from '#contract/operations/account.ts';
import { ask } from '#nameserver/probe/probe.ts';

const LIMIT_MS = 10_000;
/** RFC 1035, 4.1.1. */
const SERVFAIL = 2;

interface CheckConfig {
  ZONESTEAD_URL: string;
  ZONESTEAD_URL_CA?: string | undefined;
  ZONESTEAD_API_KEY?: ClientKey;
}

/**
 * Prints one line for each check. @param config null: only the name servers are checked @param dns host:port of the
 * name servers @returns whether all checks passed
 */
export async function runCheck(
  config: CheckConfig | null,
  dns: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const checks: [string, () => Promise<string>][] = [
    ['name servers over UDP', () => nameServer(dns, 'udp', signal)],
    ['name servers over TCP', () => nameServer(dns, 'tcp', signal)],
  ];
  if (config !== null) checks.push(['REST service', () => service(config, signal)]);
  const key = config?.ZONESTEAD_API_KEY;
  if (config !== null && key !== undefined)
    checks.push(["operator's API key or token", () => account(config, key, signal)]);
  let well = true;
  for (const [what, check] of checks) {
    try {
      print(`ok      ${what}: ${await check()}`);
    } catch (error) {
      signal.throwIfAborted();
      well = false;
      print(`FAILED  ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return well;
}

async function nameServer(dns: string, transport: 'udp' | 'tcp', signal: AbortSignal): Promise<string> {
  const [, host = '', port = '53'] = /^(.*?)(?::(\d+))?$/.exec(dns) ?? [];
  const { address } = await lookup(host.replace(/^\[|\]$/g, ''));
  const question = { name: 'check.invalid', type: 'SOA' } as const;
  const { rcode } = await ask({ address, port: Number(port) }, question, { transport, signal });
  if (rcode === SERVFAIL) throw new Error(`${address} cannot read its database (SERVFAIL)`);
  return `${address} answers`;
}

async function service(
  { ZONESTEAD_URL: url, ZONESTEAD_URL_CA: caFile }: CheckConfig,
  signal: AbortSignal,
): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
  const { readServiceVersion } = await import('#client/version.ts');
  return `${url} is version ${await readServiceVersion(url, caFile, limit)}`;
}

async function account(
  { ZONESTEAD_URL: url, ZONESTEAD_URL_CA: caFile }: CheckConfig,
  key: ClientKey,
  signal: AbortSignal,
): Promise<string> {
  const { createClient } = await import('#client/client.ts');
  const client = createClient({ baseUrl: url, caFile, key });
  try {
    const { team } = await client.call(getAccount, {}, { signal });
    return team === undefined ? 'is a person' : `is of team ${team.name}`;
  } finally {
    await client.close();
  }
}
