// The DNS-01 hook of ACME clients: connects the order of the caller (caller.ts), the REST API (challenge.ts) and the
// poll of the name servers (served.ts).
import { Resolver } from 'node:dns/promises';
import type { Clock } from '#base/clock.ts';
import { deadline } from '#base/deadline.ts';
import { sleep } from '#base/wait.ts';
import { createClient } from '#client/client.ts';
import { createDispatcher } from '#client/pace/dispatcher.ts';
import type { Config } from '#config.ts';
import { chooseResolvers, parseOverrides } from '#nameserver/probe/probe.ts';
import { KEY_WAIT_MS, withHint } from '../rest/session.ts';
import { createChallengeAliases } from './aliases.ts';
import type { Order } from './caller.ts';
import { type ChallengeContext, cleanup, presentChallenge } from './challenge.ts';
import { waitForValue } from './served.ts';
import type { ACME_SETTINGS } from './settings.ts';

interface AcmeOptions {
  config: Config<(typeof ACME_SETTINGS)[number]>;
  print(line: string): void;
  clock: Clock;
  /** The time of day. */
  now(): Date;
  /** The name of this machine. */
  host: string;
  random(): number;
}

/**
 * The time limit of one call. The limits of the API count writes per minute, and ACME clients wait longer than this.
 */
const CALL_MS = 10 * 60_000;
const RESOLVE_MS = 2_000;

/** @throws Error with a message for people. The client must not ask the CA to validate after it */
export async function runAcme(order: Order, options: AcmeOptions, signal: AbortSignal): Promise<void> {
  if (order.kind === 'ignore') return;
  const { config, clock, now, host, random, print } = options;
  const client = createClient({
    baseUrl: config.ZONESTEAD_URL,
    caFile: config.ZONESTEAD_URL_CA,
    key: config.ZONESTEAD_API_KEY,
    keyWaitMs: KEY_WAIT_MS,
  });
  const limit = deadline(clock, CALL_MS, signal);
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const resolver = new Resolver({ timeout: RESOLVE_MS, tries: 2 });
  const resolvers = chooseResolvers(config.ZONESTEAD_RESOLVER);
  const context: ChallengeContext = {
    client,
    pace: createDispatcher({ clock, random, onPause: () => print('The API has reached its write limit. Waiting.') }),
    aliases: createChallengeAliases({ overrides, resolver, resolvers }),
    clock,
    now,
    host,
    signal: limit.signal,
  };
  try {
    if (order.kind === 'cleanup') {
      await Promise.all(order.challenges.map((challenge) => cleanup(context, challenge)));
      return;
    }
    const seconds = config.ZONESTEAD_PROPAGATION_SECONDS;
    const limitMs = config.ZONESTEAD_PROPAGATION_TIMEOUT * 1000;
    await Promise.all(
      order.challenges.map(async (challenge) => {
        const placed = await presentChallenge(context, challenge);
        if (seconds !== undefined) return;
        await waitForValue(placed, challenge.value, { client, overrides, resolver, clock, limitMs }, limit.signal);
        print(`${placed.name} is served by every name server of ${placed.zone.zoneName}.`);
      }),
    );
    // The wait follows the last of several values.
    if (seconds !== undefined && !order.more) await sleep(clock, seconds * 1000, limit.signal);
  } catch (error) {
    throw withHint(error, config.ZONESTEAD_URL);
  } finally {
    limit.clear();
    await client.close();
  }
}
