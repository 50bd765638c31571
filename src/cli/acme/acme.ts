// `zonestead acme`: the DNS-01 hook of ACME clients. Wiring: caller, credentials, API, name servers. Who calls stands in
// caller.ts, what is written in challenge.ts.
import { Resolver } from 'node:dns/promises';
import { createClient } from '../../client/client.ts';
import { type Clock, timeLimit } from '../../client/clock.ts';
import { createDispatcher } from '../../client/dispatcher.ts';
import type { Config } from '../../config.ts';
import { parseOverrides, resolversOf } from '../../nameserver/probe.ts';
import { withHint } from '../session.ts';
import { createAliases } from './aliases.ts';
import type { Order } from './caller.ts';
import { cleanup, type Desk, present, wait } from './challenge.ts';
import { untilServed } from './served.ts';

export const ACME_SETTINGS = [
  'ZONESTEAD_URL',
  'ZONESTEAD_API_KEY',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_PROPAGATION_SECONDS',
  'ZONESTEAD_PROPAGATION_TIMEOUT',
] as const;

export interface AcmeOptions {
  config: Config<(typeof ACME_SETTINGS)[number]>;
  print(line: string): void;
  clock: Clock;
  random(): number;
}

/** Of a whole call: a window of the API's limits is a minute, and clients wait longer than this. */
const CALL_MS = 10 * 60_000;
const RESOLVE_MS = 2_000;

/** @throws Error for people, after which the client must not ask the CA to look */
export async function runAcme(order: Order, options: AcmeOptions, signal: AbortSignal): Promise<void> {
  if (order.kind === 'ignore') return;
  const { config, clock, random, print } = options;
  const client = createClient({ baseUrl: config.ZONESTEAD_URL, key: config.ZONESTEAD_API_KEY });
  const limit = timeLimit(clock, CALL_MS, signal);
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 });
  const resolvers = resolversOf(config.ZONESTEAD_RESOLVER);
  const desk: Desk = {
    client,
    pace: createDispatcher({ clock, random, onPause: () => print('The API asks for patience; waiting.') }),
    aliases: createAliases({ overrides, resolver, resolvers }),
    clock,
    signal: limit.signal,
  };
  try {
    if (order.kind === 'cleanup') {
      await Promise.all(order.challenges.map((challenge) => cleanup(desk, challenge)));
      return;
    }
    const seconds = config.ZONESTEAD_PROPAGATION_SECONDS;
    const limitMs = config.ZONESTEAD_PROPAGATION_TIMEOUT * 1000;
    await Promise.all(
      order.challenges.map(async (challenge) => {
        const placed = await present(desk, challenge);
        if (seconds !== undefined) return;
        await untilServed(placed, challenge.value, { overrides, resolver, clock, limitMs }, limit.signal);
        print(`${placed.name} is answered by every name server of ${placed.zone.zoneName}.`);
      }),
    );
    // Once, behind the last of several values.
    if (seconds !== undefined && !order.more) await wait(clock, seconds * 1000, limit.signal);
  } catch (error) {
    throw withHint(error, config.ZONESTEAD_URL);
  } finally {
    limit.clear();
    await client.close();
  }
}
