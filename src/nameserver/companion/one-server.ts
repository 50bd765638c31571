// Detects a database address that distributes connections over several PostgreSQL servers. PowerDNS holds several connections
// and the companion one. Behind a load balancer they read different servers, the companion purges too early or for nothing,
// and PowerDNS caches an old answer again.
//
//   checking ──8 connections to one server──▶ one server ◀──10 minutes without the other──▶ several servers
//   checking ──an address alternates────────────────────────────────────────────────────▶ several servers
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerIdentity } from '#store/server-identity.ts';

/** New connections before the first verdict: a random choice between two servers stays undetected in 1 of 100 starts. */
export const FIRST_LOOKS = 8;
const SOON_MS = 20;
const LATER_MS = 5_000;
const RETRY_MS = 1_000;
/** Ten minutes of checks: after that time a corrected address counts as correct. */
const KEPT = 120;

/**
 * The servers between which an address alternates; empty if all connections reached one server, or if one server replaced
 * another. A failover moves from one server to the next permanently; only a load balancer returns to an earlier one.
 * @param seen in the order of the connections
 */
export function alternating(seen: readonly ServerIdentity[]): ServerIdentity[] {
  const left = new Set<string>();
  let before: string | undefined;
  for (const { started } of seen) {
    if (started !== before && left.has(started)) return distinct(seen);
    if (before !== undefined) left.add(before);
    before = started;
  }
  return [];
}

function distinct(seen: readonly ServerIdentity[]): ServerIdentity[] {
  return [...new Map(seen.map((each) => [each.started, each])).values()];
}

interface OneServer {
  /** Null if all connections reach one server. Otherwise a sentence: not known yet, or the servers and what to do. */
  problem(): string | null;
  /** The number of servers between which the address alternates; 1 if it does not. */
  count(): number;
  /** Checks until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** @param look asks the server over a new connection; it may throw while the database is unavailable */
export function watchOneServer(look: () => Promise<ServerIdentity>): OneServer {
  let seen: ServerIdentity[] = [];
  let looks = 0;
  return {
    problem() {
      const servers = alternating(seen);
      if (servers.length > 0) return problemOf(servers);
      return looks < FIRST_LOOKS ? 'not yet known whether the database address leads to one server' : null;
    },
    count: () => Math.max(1, alternating(seen).length),
    async run(signal) {
      while (!signal.aborted) {
        let wait = RETRY_MS;
        try {
          seen = [...seen, await look()].slice(-KEPT);
          looks += 1;
          wait = looks < FIRST_LOOKS ? SOON_MS : LATER_MS;
        } catch {
          // The companion logs why the database is unavailable.
        }
        await sleep(wait, undefined, { signal }).catch(() => undefined);
      }
    },
  };
}

function problemOf(servers: readonly ServerIdentity[]): string {
  const addresses = [...new Set(servers.map(({ address }) => address))].sort();
  const which = addresses.length > 1 ? addresses.join(', ') : `${servers.length} at ${addresses.join('')}`;
  return (
    `the database address leads to several PostgreSQL servers in turn (${which}); PowerDNS and the companion must read ` +
    'the same server: use the address of the primary, or of one replica'
  );
}
