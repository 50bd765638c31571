// The settings of knotd from the environment, the same for `zonestead knot-conf` and for the node. Pure.
import { createHmac } from 'node:crypto';
import type { Config } from '#config.ts';
import type { KNOT_SETTINGS } from '../settings.ts';
import type { TlsSettings } from './certificate.ts';
import type { KnotSettings } from './configuration.ts';
import { diskPlan } from './disk.ts';
import { knotFolder } from './folder.ts';

const SECRET_DIGITS = 32;

/**
 * @param nodeKey all nodes behind one address have the same, so without another secret it gives them the same cookies
 * @throws Error if only one of certificate and key for DNS over TLS is set, or its port is that of DNS; as knotFolder
 */
export function knotSettings(config: Config<(typeof KNOT_SETTINGS)[number]>, nodeKey?: string): KnotSettings {
  const { ZONESTEAD_KNOT_PORT: port, ZONESTEAD_KNOT_RATE_LIMIT: perSecond } = config;
  const tls = readTlsSettings(config);
  const cookieSecret =
    config.ZONESTEAD_KNOT_COOKIE_SECRET ?? (nodeKey === undefined ? undefined : deriveCookieSecret(nodeKey));
  return {
    folder: knotFolder(config.ZONESTEAD_KNOT_FOLDER),
    listen: config.ZONESTEAD_KNOT_LISTEN.map((address) => ({ address, port })),
    identity: config.ZONESTEAD_NODE_NAME,
    disk: diskPlan(config.ZONESTEAD_KNOT_DISK),
    udpWorkers: config.ZONESTEAD_KNOT_WORKERS,
    rateLimit: perSecond === 0 ? null : { perSecond, exempt: config.ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT },
    ...(tls === null ? {} : { tls }),
    ...(cookieSecret === undefined ? {} : { cookieSecret }),
  };
}

/** Null: no DNS over TLS. @throws Error if only one of certificate and key is set, or the port is that of DNS */
export function readTlsSettings(config: Config<(typeof KNOT_SETTINGS)[number]>): TlsSettings | null {
  const { ZONESTEAD_KNOT_TLS_CERT_FILE: certificateFile, ZONESTEAD_KNOT_TLS_KEY_FILE: keyFile } = config;
  const { ZONESTEAD_KNOT_PORT: dnsPort, ZONESTEAD_KNOT_TLS_PORT: port } = config;
  if (certificateFile === undefined && keyFile === undefined) return null;
  if (certificateFile === undefined || keyFile === undefined) {
    const [one, other] = ['ZONESTEAD_KNOT_TLS_CERT_FILE', 'ZONESTEAD_KNOT_TLS_KEY_FILE'];
    const [present, missing] = certificateFile === undefined ? [other, one] : [one, other];
    throw new Error(`${present} is set and ${missing} is not: DNS over TLS needs the certificate and its private key`);
  }
  if (port === dnsPort)
    throw new Error(
      `ZONESTEAD_KNOT_TLS_PORT and ZONESTEAD_KNOT_PORT are both ${port}: DNS over TLS needs a port of its own`,
    );
  return { port, certificateFile, keyFile };
}

function deriveCookieSecret(nodeKey: string): string {
  const secret = nodeKey.slice(nodeKey.lastIndexOf('_') + 1);
  return createHmac('sha256', secret).update('dns cookies').digest('hex').slice(0, SECRET_DIGITS);
}
