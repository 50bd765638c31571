/** Compares the answers that the name servers of a zone give for one name at this moment. Pure. */
import type { ChainOfTrust } from './dnssec/chain-of-trust.ts';
import { isLater } from './serial.ts';

export interface LiveAnswer {
  name: string;
  /** `A`, `SOA`, …; `TYPE123` where there is no name. */
  type: string;
  /** Seconds. */
  ttl: number;
  text: string;
}

export interface LiveServer {
  /** Host name. */
  name: string;
  /** Address and port; null when the name has none. */
  address: string | null;
  /** Why there is no answer; null when there is one. */
  problem: string | null;
  /** `NOERROR`, `NXDOMAIN`, …; null without an answer. */
  rcode: string | null;
  /** Whether the server answers with authority (the AA flag). */
  aa: boolean;
  /** The node that answered, if the server tells its name (RFC 5001); otherwise null. */
  node: string | null;
  /** The serial of the zone's SOA; null when the server did not give one. */
  serial: number | null;
  /** How long the answer took. */
  ms: number | null;
  answers: LiveAnswer[];
}

export interface LiveView {
  servers: LiveServer[];
  chain: ChainOfTrust;
}

interface LiveDifference {
  /** The answer is not the one that most servers give (of a tie: the first server's). */
  differs: boolean;
  /** A name server may serve a later serial than the service has: it adds one when it renews signatures. */
  serial: 'current' | 'behind' | 'unknown';
}

/** One entry per server, in the order of `servers`. @param serial the serial that the zone has at the service */
export function compareServers(servers: readonly LiveServer[], serial: number): LiveDifference[] {
  const forms = servers.map(toComparable);
  const counts = new Map<string, number>();
  for (const form of forms) if (form !== null) counts.set(form, (counts.get(form) ?? 0) + 1);
  // The sort is stable: of two answers that are equally frequent, the first server's wins.
  const usual = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  return servers.map((server, index) => ({
    differs: forms[index] !== null && forms[index] !== usual,
    serial: serialAgainst(server.serial, serial),
  }));
}

/** Ignores the order of records, which servers rotate, and the TTL, which the page shows anyway. */
function toComparable({ rcode, aa, answers }: LiveServer): string | null {
  if (rcode === null) return null;
  const records = answers.map(({ name, type, text }) => `${name} ${type} ${text}`).sort();
  return JSON.stringify([rcode, aa, records]);
}

function serialAgainst(servedSerial: number | null, serial: number): LiveDifference['serial'] {
  if (servedSerial === null) return 'unknown';
  return isLater(serial, servedSerial) ? 'behind' : 'current';
}
