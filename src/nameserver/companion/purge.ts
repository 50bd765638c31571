// The commands to PowerDNS: drop zones from the packet cache, and exit.
import { commandPowerDns } from './control.ts';

/** Zones per command: at most 64 × 256 octets, far less than PowerDNS reads at once. */
const AT_ONCE = 64;

/**
 * Drops all cached answers at and below each of the zones. A connection costs more than a zone, so one command has many zones.
 * @param timeoutMs for each command
 * @throws as purge; some zones may have been purged by then
 */
export async function purgeZones(socket: string, zones: readonly string[], timeoutMs: number): Promise<void> {
  for (let at = 0; at < zones.length; at += AT_ONCE) await purge(socket, zones.slice(at, at + AT_ONCE), timeoutMs);
}

/** Drops all cached answers, keys and metadata. @throws as purge */
export async function purgeEverything(socket: string, timeoutMs: number): Promise<void> {
  await tellPurge(socket, [], timeoutMs);
}

/** Lets PowerDNS exit after its open questions. @throws when it does not answer within `timeoutMs` */
export async function endPowerDns(socket: string, timeoutMs: number): Promise<void> {
  await commandPowerDns(socket, 'QUIT', timeoutMs);
}

/**
 * Drops all cached answers at and below the zones, and the cached keys and metadata of all zones. `$` does both in 4.7; a zone
 * that was deleted and created again has another key. Takes about 1 ms.
 * @param socket path of PowerDNS' control socket
 * @throws when PowerDNS does not answer within `timeoutMs`
 */
async function purge(socket: string, zones: readonly string[], timeoutMs: number): Promise<void> {
  await tellPurge(
    socket,
    zones.map((zone) => `${zone}$`),
    timeoutMs,
  );
}

async function tellPurge(socket: string, names: readonly string[], timeoutMs: number): Promise<void> {
  const answer = await commandPowerDns(socket, ['PURGE', ...names].join(' '), timeoutMs);
  // PowerDNS answers with the number of dropped packets.
  if (/^\d+\s*$/.test(answer)) return;
  const words = answer.trim().slice(0, 200) || 'no answer';
  throw new Error(`PowerDNS did not purge ${names.join(' ').slice(0, 200) || 'its cache'}: ${words}`);
}
