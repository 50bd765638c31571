// Talks to one PowerDNS over its control socket: drop zones from the packet cache, end. Knows nothing of why.
import { tellPowerDns } from './control.ts';

/** Zones a command: at most 64 × 256 octets, far below what PowerDNS reads at once. */
const AT_ONCE = 64;

/**
 * Drops all cached answers at and below each of the zones. A connection costs PowerDNS and us more than a zone, so many go
 * in one command.
 * @param timeoutMs for each command
 * @throws as purge; some zones may have been purged then
 */
export async function purgeZones(socket: string, zones: readonly string[], timeoutMs: number): Promise<void> {
  for (let at = 0; at < zones.length; at += AT_ONCE) await purge(socket, zones.slice(at, at + AT_ONCE), timeoutMs);
}

/** Has PowerDNS end in order. @throws when it does not answer within `timeoutMs` */
export async function endPowerDns(socket: string, timeoutMs: number): Promise<void> {
  await tellPowerDns(socket, 'QUIT', timeoutMs);
}

/**
 * Drops all cached answers at and below the zones, and the cached keys and metadata of all zones (`$` does both in 4.7; a
 * zone that was deleted and made anew has another key). About 1 ms.
 * @param socket path of PowerDNS' control socket
 * @throws when PowerDNS does not answer within `timeoutMs`
 */
async function purge(socket: string, zones: readonly string[], timeoutMs: number): Promise<void> {
  const answer = await tellPowerDns(socket, `PURGE ${zones.map((zone) => `${zone}$`).join(' ')}`, timeoutMs);
  // The number of dropped packets.
  if (/^\d+\s*$/.test(answer)) return;
  const words = answer.trim().slice(0, 200) || 'no answer';
  throw new Error(`PowerDNS did not purge ${zones.join(' ').slice(0, 200)}: ${words}`);
}
