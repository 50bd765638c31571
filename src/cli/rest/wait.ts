// The wait of --wait: until every name server of a zone answers with a change. It asks over DNS, as a resolver would.
import { Resolver } from 'node:dns/promises';
import { formatHostPort } from '#base/address.ts';
import { type Clock, realClock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import { getZone } from '#contract/operations/zones.ts';
import type { Zone } from '#contract/zone.ts';
import { parseOverrides, resolveServers, zoneServed } from '#nameserver/probe/probe.ts';
import type { Session } from './session.ts';
import { DEFAULT_LIMIT_S, type WaitOptions } from './wait-options.ts';

/** A node has a change after 10 to 100 ms. */
const ROUND_MS = 250;
const RESOLVE_MS = 2_000;
/** The name servers that an error lists. */
const MAX_SHOWN = 5;

/**
 * Waits if the options ask for it. A name server has the change if its serial is that of the zone or a later one.
 * @param addresses ZONESTEAD_NAMESERVER_ADDRESSES
 * @throws Error that names the name servers without the change after the limit; the reason of the signal
 */
export async function waitUntilServed(
  { client, signal, warn }: Pick<Session, 'client' | 'signal' | 'warn'>,
  zoneId: string,
  { options: { wait = false, waitLimit = DEFAULT_LIMIT_S }, addresses }: { options: WaitOptions; addresses: string },
  clock: Clock = realClock,
): Promise<void> {
  if (!wait) return;
  const zone = await client.call(getZone, { params: { id: zoneId } }, { signal });
  const limit = deadline(clock, waitLimit * 1000, signal);
  let open = zone.nameservers.map((name) => `${name} was not asked`);
  try {
    for (;;) {
      open = await readProblems(zone, addresses, limit.signal);
      if (open.length === 0) return warn(`every name server of ${zone.zoneName} answers with serial ${zone.serial}`);
      await sleep(clock, ROUND_MS, limit.signal);
    }
  } catch (error) {
    if (!limit.expired()) throw error;
    const more = open.length > MAX_SHOWN ? `; and ${open.length - MAX_SHOWN} more` : '';
    throw new Error(
      `the change is stored, but after ${waitLimit} s not every name server answers with it: ${open.slice(0, MAX_SHOWN).join('; ')}${more}. "zonestead zones status ${zone.zoneName}" shows them`,
    );
  } finally {
    limit.clear();
  }
}

/** A text for each name server without the change, such as "ns1.example.net (192.0.2.53:53) does not answer over UDP". */
async function readProblems(
  { zoneName, serial, nameservers }: Zone,
  addresses: string,
  signal: AbortSignal,
): Promise<string[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 1 });
  const resolving = { overrides: parseOverrides(addresses), resolver, signal };
  const { servers, unresolved } = await resolveServers(nameservers, resolving);
  const verdicts = await zoneServed({ zone: zoneName, minSerial: serial }, servers, { attempts: 1, signal });
  return [
    ...verdicts.flatMap(({ server: { name, address, port }, problem }) =>
      problem === null ? [] : [`${name} (${formatHostPort(address, port)}) ${problem}`],
    ),
    ...unresolved.map(({ name, problem }) => `${name} ${problem}`),
  ];
}
