// The configuration of an unmodified knotd (3.2 and later) as a secondary. Pure.
//
// - `block-notify-after-transfer`: without it, knotd plans a NOTIFY of its own one second after each transfer, even if
//   it has no server to notify. A NOTIFY of ours that arrives within this second, in another second of the clock, then
//   waits for that event: Knot's scheduler works in whole seconds and does not wake for an event of the same second. A
//   change in six took up to 0.9 s; now 100 changes in a row take 5 ms at the median, and none waits.
// - `journal-content: all`, `zonefile-load: none`: a restart reads the journal, 100,000 signed records in half a
//   second.
// - A zone without `notify` in its ACL ignores ours, so the ACL allows it to every host with the key.
// - `retry-max-interval`: knotd waits up to half a minute, and later for hours, before it tries the first transfer of a
//   zone again. A server of ours that starts before its sources needs it sooner.
// - Over TLS, Knot knows pins and no authorities. It shows a primary the certificate with which it also answers.
// - `refresh-max-interval`: a NOTIFY that never arrives costs a server of ours no more than this time.
import { MAX_ZONE_MIB, type PrimaryTls, type PrimaryView, type ServerPlace, type Serving } from './primary.ts';

const RETRY_SECONDS = 5;
const REFRESH_SECONDS = 900;

/**
 * A text for `knotd -c`; it needs Knot 3.4 if transfers are over TLS.
 * @param serving for a server of ours; without it, Knot's defaults apply
 * @throws {Error} without pins, if transfers are over TLS
 */
export function knotConfig(
  { primaries, key, zones, catalog, tls }: PrimaryView,
  { listen, folder }: ServerPlace,
  serving?: Serving,
): string {
  const zoneMiB = serving?.disk.zoneMiB ?? MAX_ZONE_MIB;
  const keyLine = (prefix: string) => (key === null ? '' : `\n${prefix}key: ${key.name}`);
  const keySection =
    key === null ? '' : `key:\n  - id: ${key.name}\n    algorithm: ${key.algorithm}\n    secret: "${key.secret}"\n\n`;
  const tlsLines = tls === undefined ? '' : remoteTls(tls);
  const remotes = primaries.map(
    ({ address, port }, at) =>
      `  - id: primary-${at + 1}\n    address: ${address}@${port}${keyLine('    ')}\n${tlsLines}    block-notify-after-transfer: on\n`,
  );
  const senders =
    key === null ? `\n    address: [ ${[...new Set(primaries.map(({ address }) => address))].join(', ')} ]` : '';
  const zoneLines =
    zones === null
      ? `  - domain: ${catalog}\n    template: zonestead\n    catalog-role: interpret\n    catalog-template: member\n`
      : zones.map((zone) => `  - domain: ${zone}\n    template: zonestead\n`).join('');
  const template = (id: string) => `  - id: ${id}
    storage: ${folder}
    master: [ ${primaries.map((_, at) => `primary-${at + 1}`).join(', ')} ]
    acl: notify-of-primaries
    zonefile-load: none
    zonefile-sync: -1
    journal-content: all
    journal-max-usage: ${zoneMiB}M
    zone-max-size: ${zoneMiB}M
    semantic-checks: off
${serving ? `    retry-max-interval: ${RETRY_SECONDS}\n    refresh-max-interval: ${REFRESH_SECONDS}\n` : ''}`;
  const { server, database, modules, defaults } = servingLines(serving, listen);
  const shown = serving?.tls ? null : (tls?.certificate ?? null);
  return `server:
    rundir: ${folder}
    listen: [ ${listen.map(({ address, port }) => `${address}@${port}`).join(', ')} ]
    version: ""
${server}${shown === null ? '' : `    cert-file: ${shown.file}\n    key-file: ${shown.keyFile}\n`}
log:
  - target: stdout
    any: info

database:
    storage: ${folder}
    journal-db-mode: asynchronous
${database}
control:
    listen: ${folder}/knot.sock

${keySection}remote:
${remotes.join('')}
acl:
  - id: notify-of-primaries${senders}${keyLine('    ')}
    action: notify

${modules}template:
${defaults}${template('zonestead')}${zones === null ? template('member') : ''}
zone:
${zoneLines}`;
}

function remoteTls({ pins }: PrimaryTls): string {
  if (pins.length === 0) throw new Error('Knot DNS verifies the pins of your name servers: give them');
  return `    tls: on\n    cert-key: [ ${pins.join(', ')} ]\n`;
}

function servingLines(serving: Serving | undefined, listen: ServerPlace['listen']) {
  if (serving === undefined) return { server: '', database: '', modules: '', defaults: '' };
  const { identity, workers, rateLimit, tls, cookieSecret, disk } = serving;
  const tlsAddresses = [...new Set(listen.map(({ address }) => `${address}@${tls?.port}`))];
  const sizes = { 'journal-db': disk.journalMiB, 'timer-db': disk.timersMiB, 'catalog-db': disk.catalogMiB };
  const limit = rateLimit && { ...rateLimit, list: rateLimit.exempt.join(', ') };
  const whitelist = limit && limit.list !== '' ? `    whitelist: [ ${limit.list} ]\n` : '';
  const rateItems = Object.entries(limit?.items ?? {}).map(([item, value]) => `    ${item}: ${value}\n`);
  return {
    server: `    identity: "${identity}"
    nsid: "${identity}"
    async-start: on
    udp-workers: ${workers}
${tls ? `    listen-tls: [ ${tlsAddresses.join(', ')} ]\n    cert-file: ${tls.certificate}\n    key-file: ${tls.key}\n` : ''}`,
    database: Object.entries(sizes)
      .flatMap(([name, size]) => (size === null ? [] : [`    ${name}-max-size: ${size}M\n`]))
      .join(''),
    modules: `mod-stats:
  - id: default
    query-type: on
    reply-nodata: on

mod-cookies:
  - id: default
    secret: 0x${cookieSecret}

${limit ? `mod-rrl:\n  - id: default\n    rate-limit: ${limit.perSecond}\n    slip: 1\n${rateItems.join('')}${whitelist}\n` : ''}`,
    defaults: `  - id: default
    global-module: [ mod-stats/default, mod-cookies/default${limit ? ', mod-rrl/default' : ''} ]
`,
  };
}
