// The settings of knotd from the environment, the same for `zonestead knot-conf` and for the node. Pure.
import type { Config } from '#config.ts';
import type { KNOT_SETTINGS } from '../settings.ts';
import type { KnotSettings } from './configuration.ts';
import { knotFolder } from './folder.ts';

/** @throws as knotFolder */
export function knotSettings(config: Config<(typeof KNOT_SETTINGS)[number]>): KnotSettings {
  const { ZONESTEAD_KNOT_PORT: port, ZONESTEAD_KNOT_RATE_LIMIT: perSecond } = config;
  const { ZONESTEAD_KNOT_COOKIE_SECRET: cookieSecret } = config;
  return {
    folder: knotFolder(config.ZONESTEAD_KNOT_FOLDER),
    listen: config.ZONESTEAD_KNOT_LISTEN.split(',').map((address) => ({ address, port })),
    identity: config.ZONESTEAD_NODE_NAME,
    udpWorkers: config.ZONESTEAD_KNOT_WORKERS,
    rateLimit: perSecond === 0 ? null : { perSecond, exempt: config.ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT },
    ...(cookieSecret === undefined ? {} : { cookieSecret }),
  };
}
