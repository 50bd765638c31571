// The configuration of an unmodified NSD (4.6, without catalog zones) as a secondary. Pure.
//
// - NSD 4.6 needs each zone in its configuration: the list changes when a zone comes or goes, and
//   `nsd-control reconfig` takes it over without a restart.
// - `database: ""` keeps zones in memory and in zone files: the file nsd.db grows and is not needed.
// - NSD loads changes at most once a second (`xfrd-reload-timeout: 1`): a change is answered after one to two seconds
//   if another came just before.
// - With `tls-auth`, NSD verifies the name and the chain of the certificate, and asks for changes at once instead of
//   asking for the SOA first.
import { MAX_ZONE_MIB, type PrimaryTls, type PrimaryView, type ServerPlace } from './primary.ts';

/**
 * A text for `nsd -c`.
 * @throws {Error} without a list of zones, or without the name in the certificates if transfers are over TLS
 */
export function nsdConfig({ primaries, key, zones, tls }: PrimaryView, { listen, folder }: ServerPlace): string {
  if (zones === null) throw new Error('NSD 4.6 cannot follow a catalog zone: give the zones by name');
  const keyName = key === null ? 'NOKEY' : key.name;
  const keySection =
    key === null ? '' : `key:\n  name: ${key.name}\n  algorithm: ${key.algorithm}\n  secret: "${key.secret}"\n\n`;
  const senders = [...new Set(primaries.map(({ address }) => address))];
  const pattern = [
    ...primaries.map(
      ({ address, port }) => `  request-xfr: ${address}@${port} ${keyName}${tls === undefined ? '' : ` ${TLS}`}\n`,
    ),
    ...senders.map((address) => `  allow-notify: ${address} ${keyName}\n`),
  ].join('');
  return `server:
${listen.map(({ address, port }) => `  ip-address: ${address}@${port}\n`).join('')}  zonesdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  xfrdfile: "${folder}/xfrd.state"
  xfrdir: "${folder}"
  pidfile: "${folder}/nsd.pid"
  database: ""
  xfrd-reload-timeout: 1
  hide-version: yes
  verbosity: 1
${tls?.authorities ? `  tls-cert-bundle: "${tls.authorities}"\n` : ''}
remote-control:
  control-enable: yes
  control-interface: "${folder}/nsd.sock"

${keySection}${tls === undefined ? '' : tlsSection(tls)}pattern:
  name: zonestead
  zonefile: "${folder}/%s.zone"
  size-limit-xfr: ${MAX_ZONE_MIB * 1024 * 1024}
${pattern}
${zones.map((zone) => `zone:\n  name: ${zone}\n  include-pattern: zonestead\n`).join('')}`;
}

const TLS = 'nodes';

function tlsSection({ hostName, certificate }: PrimaryTls): string {
  if (hostName === null) throw new Error('NSD verifies the name in the certificates of your name servers: give it');
  const files =
    certificate === null ? '' : `  client-cert: "${certificate.file}"\n  client-key: "${certificate.keyFile}"\n`;
  return `tls-auth:\n  name: ${TLS}\n  auth-domain-name: ${hostName}\n${files}\n`;
}
