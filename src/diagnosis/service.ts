// The parts of an installation as a client sees them: the name servers over UDP and TCP, the REST service, and the key
// if there is one. It changes nothing.

import { lookup } from 'node:dns/promises';
import { formatError } from '#base/error-text.ts';
import { createClient } from '#client/client.ts';
import type { ClientKey } from '#client/key.ts';
import { readServiceVersion } from '#client/version.ts';
import { getAccount } from '#contract/operations/account.ts';
import { RCODE } from '#dns/wire/rcodes.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { type Finding, fail, ok, type Subject } from './finding.ts';
import { withLimit } from './limit.ts';
import { rankFindings } from './rank.ts';
import { PORT_QUESTION } from './server-checks.ts';

const LIMIT_MS = 10_000;

interface ServiceAddress {
  readonly ZONESTEAD_URL: string;
  readonly ZONESTEAD_URL_CA?: string | undefined;
  readonly ZONESTEAD_API_KEY?: ClientKey;
}

interface Check {
  readonly subject: Subject;
  readonly title: string;
  /** The next step if the check fails. */
  readonly next: string;
  /**
   * @returns the answer
   * @throws Error with the problem
   */
  readonly read: (signal: AbortSignal) => Promise<string>;
}

/**
 * @param service null: only the name servers are checked
 * @param dns host:port of the name servers
 */
export async function diagnoseService(
  service: ServiceAddress | null,
  dns: string,
  caller: AbortSignal,
): Promise<Finding[]> {
  const checks = [...nameServerChecks(dns), ...(service === null ? [] : serviceChecks(service))];
  const findings: Finding[] = [];
  for (const { subject, title, next, read } of checks) {
    try {
      findings.push(ok(subject, `${title}: ${await withLimit(LIMIT_MS, caller, read)}`));
    } catch (error) {
      caller.throwIfAborted();
      findings.push(fail(subject, `${title}: ${formatError(error)}`, next));
    }
  }
  return rankFindings(findings);
}

function nameServerChecks(dns: string): Check[] {
  return (['udp', 'tcp'] as const).map((transport) => ({
    subject: 'name-server',
    title: `name servers over ${transport.toUpperCase()}`,
    next: PORT_QUESTION,
    read: async (signal) => {
      const [, host = '', port = '53'] = /^(.*?)(?::(\d+))?$/.exec(dns) ?? [];
      const { address } = await lookup(host.replace(/^\[|\]$/g, ''));
      const question = { name: 'check.invalid', type: 'SOA' } as const;
      const { rcode } = await ask({ address, port: Number(port) }, question, { transport, signal });
      if (rcode === RCODE.SERVFAIL) throw new Error(`${address} cannot read its database (SERVFAIL)`);
      return `${address} answers`;
    },
  }));
}

function serviceChecks(service: ServiceAddress): Check[] {
  const { ZONESTEAD_URL: url, ZONESTEAD_URL_CA: caFile, ZONESTEAD_API_KEY: key } = service;
  const version: Check = {
    subject: 'service',
    title: 'REST service',
    next: `Is ZONESTEAD_URL (${url}) right?`,
    read: async (signal) => `${url} is version ${await readServiceVersion(url, caFile, signal)}`,
  };
  if (key === undefined) return [version];
  const account: Check = {
    subject: 'service',
    title: "operator's API key or token",
    next: `Is ZONESTEAD_API_KEY valid at ${url}?`,
    read: async (signal) => {
      const client = createClient({ baseUrl: url, caFile, key });
      try {
        const { team } = await client.call(getAccount, {}, { signal });
        return team === undefined ? 'is a person' : `is of team ${team.name}`;
      } finally {
        await client.close();
      }
    },
  };
  return [version, account];
}
