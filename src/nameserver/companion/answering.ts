// Checks whether PowerDNS answers and can read its database: the readiness of a name server depends on it.
import type { HostPort } from '#config.ts';
import { ask, NoAnswer } from '../probe/probe.ts';

/** RFC 1035, 4.1.1. */
const SERVFAIL = 2;
const LIMIT_MS = 1_500;

/**
 * Asks for a zone that never exists (RFC 6761, 6.4). PowerDNS has no zone cache, so the answer comes from the database, and
 * it is the same in every installation.
 * @returns null if PowerDNS answers, otherwise what is wrong
 */
export async function answeringProblem({ host, port }: HostPort, signal: AbortSignal): Promise<string | null> {
  try {
    const question = { name: 'ready.invalid', type: 'SOA' } as const;
    const { rcode } = await ask({ address: host, port }, question, { attempts: 1, timeoutMs: LIMIT_MS, signal });
    return rcode === SERVFAIL ? 'PowerDNS cannot read its database' : null;
  } catch (error) {
    if (error instanceof NoAnswer) return 'PowerDNS does not answer';
    throw error;
  }
}
