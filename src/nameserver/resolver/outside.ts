// The api's access to DNS outside of its database: ALIAS targets and delegations through one resolver, and the name
// servers of a zone. api/parts.ts passes it to the api.
import { Resolver } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { Config } from '#config.ts';
import type { Db } from '#store/database.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { createKeySight, type SightKeys } from '../probe/key-sightings.ts';
import { createLiveLook, type LookLive } from '../probe/live.ts';
import { createParentServersLookup } from '../probe/parent.ts';
import { chooseResolvers, parseOverrides, publicAddresses } from '../probe/probe.ts';
import type { OUTSIDE_SETTINGS } from '../settings.ts';
import { type Aliases, createAliases } from './aliases.ts';
import { createDelegationLook, type LookAtDelegation } from './delegation.ts';
import { createResolver } from './resolver.ts';
import { runTargetLookups, type TargetOptions, type TargetTimes } from './targets.ts';

const ADDRESS_MS = 1_500;

interface Outside {
  delegation: { privateTlds: ReadonlySet<string>; look: LookAtDelegation | null };
  live: LookLive;
  /** Looks at the keys of a zone, for a key roll. */
  sightKeys: SightKeys;
  aliases(context: { db: Db; log: Logger; metrics: Metrics }): Aliases;
  /** Looks up the targets of records until the signal aborts. */
  targets(
    context: Pick<TargetOptions, 'db' | 'log' | 'metrics'>,
    times: TargetTimes,
    signal: AbortSignal,
  ): Promise<void>;
}

/** @param now Unix time in ms */
export function createOutside(
  config: Config<(typeof OUTSIDE_SETTINGS)[number]>,
  now: () => number = Date.now,
): Outside {
  const servers = chooseResolvers(config.ZONESTEAD_RESOLVER);
  const resolve = createResolver({ servers });
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const privateTlds = new Set(config.ZONESTEAD_PRIVATE_TLDS);
  const resolver = new Resolver({ timeout: ADDRESS_MS, tries: 1 });
  return {
    delegation: {
      privateTlds,
      look: config.ZONESTEAD_DELEGATION_CHECK ? createDelegationLook(resolve, now) : null,
    },
    live: createLiveLook({
      overrides,
      resolver,
      resolve,
      elapsed: () => performance.now(),
      now: () => new Date(now()),
    }),
    sightKeys: createKeySight({
      overrides,
      resolver,
      parents: createParentServersLookup({
        resolvers: servers,
        overrides,
        mayQuery: publicAddresses(config.ZONESTEAD_PARENT_NETWORKS),
      }),
    }),
    aliases: (context) => createAliases({ ...context, resolve, now }),
    targets: (context, times, signal) => runTargetLookups({ ...context, resolve, now, privateTlds, times }, signal),
  };
}
