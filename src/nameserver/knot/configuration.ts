// The configuration of knotd as data: settings in, items of Knot's configuration database out. Every item has a reason;
// all others have Knot's defaults. Pure.
import type { Denial } from '#dns/dnssec/denial.ts';
import type { KnotTls, TlsSettings } from './certificate.ts';
import { type DiskPlan, diskPlan } from './disk.ts';
import type { KnotFolder } from './folder.ts';
import { isSince } from './version.ts';

export interface ListenAddress {
  address: string;
  port: number;
}

export interface RateLimit {
  /**
   * Answers a second. Knot 3.2 counts those of one flow: a network of clients (/24, /56) and one kind of answer of one
   * zone. Knot 3.4 counts all UDP answers to one address, and lets a network have a multiple of that (/24: 32 times,
   * /56: 3 times).
   */
  perSecond: number;
  /**
   * Each n-th limited answer is truncated instead of dropped, so that a real client repeats over TCP; 0 is never.
   * (Default: 1.)
   */
  slip?: number;
  /** Addresses and networks without a limit. */
  exempt?: readonly string[];
}

export interface KnotSettings {
  /** DNS over TLS; absent: none. */
  tls?: TlsSettings;
  folder: KnotFolder;
  /** The version of knotd; null or absent: the oldest. */
  version?: string | null;
  listen: readonly ListenAddress[];
  /** Answers to NSID (RFC 5001) and to `id.server.` with this name. */
  identity: string;
  /** Threads for queries over UDP. (Default: 2.) */
  udpWorkers?: number;
  /**
   * Threads for queries over TCP, and transfers. A transfer that the other side does not read occupies one for half a
   * second: with 40 of them at once, other queries over TCP waited for 5 s with 4 threads, and for 1 s with 10. Ten
   * take 0.2 MB more. (Default: 10.)
   */
  tcpWorkers?: number;
  /** Threads that load zones and renew signatures. (Default: 2.) */
  backgroundWorkers?: number;
  /** Threads that sign one zone. (Default: 2.) */
  signingThreads?: number;
  /** (Default: 1,000.) Each takes a file descriptor. */
  tcpClients?: number;
  /** The limits of the databases on the disk. (Default: those of a disk of unknown size.) */
  disk?: DiskPlan;
  /** Absent: no limit. */
  rateLimit?: RateLimit | null;
  /** 32 hexadecimal digits. Nodes that share an address need the same. (Default: knotd makes one that it renews.) */
  cookieSecret?: string;
  /**
   * The file of the module that draws by weights. (Default: that in the folder of knotd's modules, if it is there.)
   */
  weightModule?: string;
}

/** One value in Knot's configuration. An item with several values has several of these. */
export interface ConfigItem {
  readonly section: string;
  /** The name of a group, in sections that have several. */
  readonly id?: string;
  /** The item that names the group (see `nameItem`) makes it. */
  readonly item: string;
  readonly value: string;
}

/** The item that holds the name of a group. */
export function nameItem(section: string): string {
  return section === 'log' ? 'target' : section === 'zone' ? 'domain' : 'id';
}

/** The policies of zones that come from the api. Their template has that of NSEC. */
export const POLICIES: Readonly<Record<Denial, string>> = { NSEC: 'zonestead', NSEC3: 'zonestead-nsec3' };
export const TEMPLATE = 'default';
/** Knot's module that draws by weights, and its section. */
export const WEIGHT_MODULE = 'mod-geoip';

/** The first version whose zones can have NSEC3: Knot 3.2 crashes when it replaces the records of 4,000 names. */
export const NSEC3_WORKS = '3.4';

/** Its control socket serves several clients, and its rate limit counts addresses. */
const KNOT_34 = '3.4';

/**
 * Every item that Zonestead sets, outside of `zone`. Groups come before items that refer to them.
 * @param tls the copies of the certificate, for the settings of DNS over TLS; null: without it
 */
export function configuration(settings: KnotSettings, tls: KnotTls | null = null): ConfigItem[] {
  const { folder, listen, identity, rateLimit, disk = diskPlan(undefined), version = null } = settings;
  const items: ConfigItem[] = [];
  const add = (
    section: string,
    id: string | undefined,
    values: Record<string, string | number | readonly string[]>,
  ) => {
    if (id !== undefined) items.push({ section, id, item: nameItem(section), value: id });
    for (const [item, value] of Object.entries(values)) {
      for (const one of typeof value === 'object' ? value : [String(value)]) {
        items.push(id === undefined ? { section, item, value: one } : { section, id, item, value: one });
      }
    }
  };
  if (settings.weightModule !== undefined) add('module', WEIGHT_MODULE, { file: settings.weightModule });
  add('server', undefined, {
    rundir: folder.root,
    pidfile: folder.pidFile,
    listen: listen.map(({ address, port }) => `${address}@${port}`),
    ...(tls === null
      ? {}
      : {
          'listen-tls': [...new Set(listen.map(({ address }) => `${address}@${tls.port}`))],
          'cert-file': tls.certificate,
          'key-file': tls.key,
        }),
    identity,
    nsid: identity,
    // An attacker looks for versions with known faults.
    version: '',
    // Zones that are loaded answer while a large one is verified, which takes half a minute for 100,000 records.
    'async-start': 'on',
    'udp-workers': settings.udpWorkers ?? 2,
    'tcp-workers': settings.tcpWorkers ?? 10,
    'background-workers': settings.backgroundWorkers ?? 2,
    'tcp-max-clients': settings.tcpClients ?? 1_000,
  });
  // Knot closes a connection of which it has heard nothing for this time; Knot 3.2 serves no other meanwhile. For Knot
  // 3.4 it is also the time for which a command waits for another one, and after which it is not executed, with an
  // empty answer: longer than any limit of a command (control.ts), so that none of ours believes that answer.
  add('control', undefined, { listen: folder.socket, timeout: isSince(version, KNOT_34) ? 660 : 5 });
  // Each command is a line at `info`, and each name without records that is looked for is one at `error`.
  add('log', 'stdout', { server: 'info', zone: 'warning', control: 'critical' });
  add('database', undefined, {
    storage: folder.storage,
    // A commit survives the end of the process. Commits that a crash of the machine loses are read from the api again.
    'journal-db-mode': 'asynchronous',
    'journal-db-max-size': `${disk.journalMiB}M`,
    ...(disk.keysMiB === null ? {} : { 'kasp-db-max-size': `${disk.keysMiB}M` }),
    ...(disk.timersMiB === null ? {} : { 'timer-db-max-size': `${disk.timersMiB}M` }),
  });
  add('mod-stats', 'default', { 'query-type': 'on', 'reply-nodata': 'on' });
  add('mod-cookies', 'default', settings.cookieSecret === undefined ? {} : { secret: `0x${settings.cookieSecret}` });
  if (rateLimit) {
    add('mod-rrl', 'default', {
      'rate-limit': rateLimit.perSecond,
      slip: rateLimit.slip ?? 1,
      whitelist: rateLimit.exempt ?? [],
      ...rateItemsOfVersion(version, rateLimit.perSecond),
    });
  }
  const policy = {
    // The api has made the key, and every node signs with it.
    manual: 'on',
    'single-type-signing': 'on',
    algorithm: 'ecdsap256sha256',
    'cds-cdnskey-publish': 'always',
    // Signatures stay valid while a secondary without connection serves the zone: two weeks are longer than its expiry.
    'rrsig-lifetime': '21d',
    'rrsig-refresh': '14d',
    'signing-threads': settings.signingThreads ?? 2,
  };
  add('policy', POLICIES.NSEC, policy);
  // RFC 9276 section 3.1: a salt and iterations cost much, and hide nothing. An older version has the policy without
  // NSEC3, so that a zone keeps its choice for a later one.
  const nsec3 = { nsec3: 'on', 'nsec3-iterations': 0, 'nsec3-salt-length': 0, 'nsec3-opt-out': 'off' };
  add('policy', POLICIES.NSEC3, { ...policy, ...(isSince(version, NSEC3_WORKS) ? nsec3 : {}) });
  add('template', TEMPLATE, {
    storage: folder.storage,
    'zonefile-load': 'none',
    'zonefile-sync': '-1',
    'journal-content': 'all',
    'journal-max-usage': `${disk.zoneMiB}M`,
    'serial-policy': 'unixtime',
    'dnssec-signing': 'on',
    'dnssec-policy': POLICIES.NSEC,
    'semantic-checks': 'on',
    'global-module': ['mod-stats/default', 'mod-cookies/default', ...(rateLimit ? ['mod-rrl/default'] : [])],
  });
  return items;
}

/**
 * Items of mod-rrl that Knot 3.2 does not have. A client that was quiet may use up its second at once, as with Knot
 * 3.2; the default is 125 answers. Without the other item, Knot 3.4 also closes connections over TCP of a client that
 * takes more than 5 ms of processor time a second, as each transfer of a zone does.
 */
export function rateItemsOfVersion(version: string | null, perSecond: number): Record<string, number> {
  return isSince(version, KNOT_34) ? { 'instant-limit': perSecond, 'time-rate-limit': 0 } : {};
}
