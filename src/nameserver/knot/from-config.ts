// The settings of knotd from the environment, the same for `zonestead knot-conf` and for the node. Pure.
import { createHmac } from 'node:crypto';
import type { Config } from '#config.ts';
import type { KNOT_SETTINGS } from '../settings.ts';
import type { KnotSettings } from './configuration.ts';
import { diskPlan } from './disk.ts';
import { knotFolder } from './folder.ts';

const SECRET_DIGITS = 32;

/**
 * @param nodeKey all nodes behind one address have the same, so without another secret it gives them the same cookies
 * @throws as knotFolder
 */
export function knotSettings(config: Config<(typeof KNOT_SETTINGS)[number]>, nodeKey?: string): KnotSettings {
  const { ZONESTEAD_KNOT_PORT: port, ZONESTEAD_KNOT_RATE_LIMIT: perSecond } = config;
  const cookieSecret =
    config.ZONESTEAD_KNOT_COOKIE_SECRET ?? (nodeKey === undefined ? undefined : deriveCookieSecret(nodeKey));
  return {
    folder: knotFolder(config.ZONESTEAD_KNOT_FOLDER),
    listen: config.ZONESTEAD_KNOT_LISTEN.split(',').map((address) => ({ address, port })),
    identity: config.ZONESTEAD_NODE_NAME,
    disk: diskPlan(config.ZONESTEAD_KNOT_DISK),
    udpWorkers: config.ZONESTEAD_KNOT_WORKERS,
    rateLimit: perSecond === 0 ? null : { perSecond, exempt: config.ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT },
    ...(cookieSecret === undefined ? {} : { cookieSecret }),
  };
}

function deriveCookieSecret(nodeKey: string): string {
  const secret = nodeKey.slice(nodeKey.lastIndexOf('_') + 1);
  return createHmac('sha256', secret).update('dns cookies').digest('hex').slice(0, SECRET_DIGITS);
}
