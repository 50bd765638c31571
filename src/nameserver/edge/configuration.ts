// The configuration of an edge: a knotd of ours without private keys, which follows the catalog of the nodes behind it
// and answers the public. Pure.
import { createHmac } from 'node:crypto';
import type { Config } from '#config.ts';
import { catalogName } from '#dns/secondaries/catalog.ts';
import { knotConfig } from '#dns/secondaries/knot-config.ts';
import { checkedSecondary, defaultTsigName, type Endpoint } from '#dns/secondaries/secondary.ts';
import { type KnotTls, tlsFault } from '../knot/certificate.ts';
import { rateItemsOfVersion } from '../knot/configuration.ts';
import { diskPlan } from '../knot/disk.ts';
import type { EDGE_SETTINGS } from '../settings.ts';

export type EdgeSettings = Config<(typeof EDGE_SETTINGS)[number]>;

const COOKIE_DIGITS = 32;

/**
 * A text for `knotd -c`.
 * @param primaries the nodes, the usual source of transfers first
 * @param version that of knotd; null: the oldest
 * @param tls the copies of the certificate for DNS over TLS; null: without it
 * @throws Error if the name of the secondary or its TSIG key has a wrong form, or if knotd is too old for TLS
 */
export function edgeConfiguration(
  settings: EdgeSettings,
  primaries: readonly Endpoint[],
  version: string | null,
  tls: KnotTls | null = null,
): string {
  const { ZONESTEAD_EDGE_SECONDARY: name, ZONESTEAD_KNOT_PORT: port, ZONESTEAD_KNOT_RATE_LIMIT: perSecond } = settings;
  const pins = settings.ZONESTEAD_EDGE_PRIMARY_PINS;
  if (pins.length > 0) requireTransfersOverTls(version);
  const secret = settings.ZONESTEAD_EDGE_TSIG_SECRET.trim();
  const { key, addresses } = checkedSecondary({
    name,
    addresses: primaries,
    key: {
      name: settings.ZONESTEAD_EDGE_TSIG_NAME ?? defaultTsigName(name),
      algorithm: settings.ZONESTEAD_EDGE_TSIG_ALGORITHM,
      secret,
    },
    zones: 'all',
    catalog: true,
    notify: true,
  });
  return knotConfig(
    {
      primaries: addresses,
      key,
      zones: null,
      catalog: catalogName(name),
      tls: pins.length === 0 ? undefined : { hostName: null, authorities: null, pins, certificate: null },
    },
    {
      listen: settings.ZONESTEAD_KNOT_LISTEN.map((address) => ({ address, port })),
      folder: settings.ZONESTEAD_KNOT_FOLDER,
    },
    {
      identity: settings.ZONESTEAD_NODE_NAME,
      workers: settings.ZONESTEAD_KNOT_WORKERS,
      rateLimit:
        perSecond === 0
          ? null
          : {
              perSecond,
              exempt: settings.ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT,
              items: rateItemsOfVersion(version, perSecond),
            },
      tls,
      // All edges with one key share an address.
      cookieSecret:
        settings.ZONESTEAD_KNOT_COOKIE_SECRET ??
        createHmac('sha256', secret).update('dns cookies').digest('hex').slice(0, COOKIE_DIGITS),
      disk: diskPlan(settings.ZONESTEAD_KNOT_DISK),
    },
  );
}

function requireTransfersOverTls(version: string | null): void {
  // An edge without a certificate makes one for each run of knotd, and a node that asks for pins refuses it.
  const fault = tlsFault(version, true);
  if (fault === null) return;
  throw new Error(
    `${fault}: remove ZONESTEAD_EDGE_PRIMARY_PINS and name the ports without TLS in ZONESTEAD_EDGE_PRIMARIES, or install Knot DNS of Debian 13 or later`,
  );
}
