/**
 * What the name servers of a zone answer for one name at this moment, side by side. Pure: how they were asked is not known
 * here, nor what they should answer.
 */
import type { ChainOfTrust } from './chain-of-trust.ts';

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
  /** Whether it speaks with authority. */
  aa: boolean;
  /** Of the zone's SOA; null when it was not told. */
  serial: number | null;
  /** How long the answer took. */
  ms: number | null;
  answers: LiveAnswer[];
}

export interface LiveView {
  servers: LiveServer[];
  chain: ChainOfTrust;
}

export interface LiveDifference {
  /** The answer is not the one that most servers give (of a tie: the first server's). */
  differs: boolean;
  /** The serial is not that of the zone now. */
  serial: 'same' | 'behind' | 'ahead' | 'unknown';
}

/** One entry a server, in their order. @param serial of the zone at the service */
export function compareServers(servers: readonly LiveServer[], serial: number): LiveDifference[] {
  const forms = servers.map(formOf);
  const counts = new Map<string, number>();
  for (const form of forms) if (form !== null) counts.set(form, (counts.get(form) ?? 0) + 1);
  // Of two equally frequent ones the first to be inserted wins, as the sort is stable.
  const usual = [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
  return servers.map((server, index) => ({
    differs: forms[index] !== null && forms[index] !== usual,
    serial: serialAgainst(server.serial, serial),
  }));
}

/** Order and time to live left aside: servers rotate the first, and the second is in the table for everybody to see. */
function formOf({ rcode, aa, answers }: LiveServer): string | null {
  if (rcode === null) return null;
  const records = answers.map(({ name, type, text }) => `${name} ${type} ${text}`).sort();
  return JSON.stringify([rcode, aa, records]);
}

/** RFC 1982. */
function serialAgainst(served: number | null, serial: number): LiveDifference['serial'] {
  if (served === null) return 'unknown';
  if (served === serial) return 'same';
  return (serial - served) >>> 0 < 2 ** 31 ? 'behind' : 'ahead';
}
