// What the api process needs of the world outside of its database: ALIAS targets and delegations, both from one resolver.
// Handed to the api by main.ts, which must not know each other's rooms.
import { Resolver } from 'node:dns/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Db } from '../store/database.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { type Aliases, createAliases } from './aliases.ts';
import { createDelegationLook, type LookAtDelegation } from './delegation.ts';
import { createLiveLook, type LookLive } from './live.ts';
import { parseOverrides, resolversOf } from './probe.ts';
import { createResolver } from './resolver.ts';

export const OUTSIDE_SETTINGS = [
  'ZONESTEAD_RESOLVER',
  'ZONESTEAD_DELEGATION_CHECK',
  'ZONESTEAD_PRIVATE_TLDS',
  'ZONESTEAD_NAMESERVER_ADDRESSES',
] as const;

const ADDRESS_MS = 1_500;

export interface Outside {
  delegation: { privateTlds: ReadonlySet<string>; look: LookAtDelegation | null };
  live: LookLive;
  aliases(context: { db: Db; log: Logger; metrics: Metrics }): Aliases;
}

export function createOutside(config: Config<(typeof OUTSIDE_SETTINGS)[number]>): Outside {
  const servers = resolversOf(config.ZONESTEAD_RESOLVER);
  const resolve = createResolver({ servers });
  const overrides = parseOverrides(config.ZONESTEAD_NAMESERVER_ADDRESSES);
  const resolver = new Resolver({ timeout: ADDRESS_MS, tries: 1 });
  return {
    delegation: {
      privateTlds: new Set(config.ZONESTEAD_PRIVATE_TLDS),
      look: config.ZONESTEAD_DELEGATION_CHECK ? createDelegationLook(resolve, Date.now) : null,
    },
    live: createLiveLook({
      overrides,
      resolver,
      resolve,
      elapsed: () => performance.now(),
      now: () => new Date(),
    }),
    aliases: (context) => createAliases({ ...context, resolve, now: Date.now }),
  };
}
