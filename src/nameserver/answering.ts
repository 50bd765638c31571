// Whether the PowerDNS beside the companion answers, and its database with it: what a name server's readiness is about. It must
// not know what is served.
import type { HostPort } from '../config.ts';
import { ask, NoAnswer } from './probe.ts';

/** RFC 1035, 4.1.1. */
const SERVFAIL = 2;
const LIMIT_MS = 1_500;

/**
 * Asks for a zone that nobody has (RFC 6761, 6.4): the answer comes from the database, as there is no zone cache, and is
 * the same for every installation.
 * @returns null when it answers, else what is wrong
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
