// The configuration of a node's knotd for its secondaries, as data. Pure. The caller applies the difference
// between it and the present one (difference.ts, apply-secondaries.ts).
//
// Decisions, and measurements of Knot 3.2.6 with 10,000 zones:
// - Secondaries that take all zones are in the template that all zones use. A change of the template, of an ACL, a key
//   or a remote costs 4 to 25 ms and loads no zone again.
// - Zones that are listed for a secondary get `notify` and `acl` of their own, which replace those of the template.
//   1,000 zones take 0.2 s in one transaction. One template for each set of secondaries would repeat all settings of
//   signing in each, and `remotes` groups may not be empty.
// - An ACL names addresses and key, so both must match. Every secondary has its own key (checkedSecondaries).
// - A secondary gets a remote for each of its addresses, because Knot notifies only the first
//   address of a remote that answers.
// - `remote-retry-delay`: Knot sends NOTIFY to one secondary after the other, and waits 5 s for a silent one. A single
//   silent secondary delayed all others by these 5 s with each change, and occupied all threads that load and sign
//   zones when some zones changed at once. With the delay, the others had a change after 8 to 12 ms again.
//   `tcp-remote-io-timeout` makes the wait itself shorter; a node has no other use for it, because it never transfers
//   zones from others.
// - `quiet`: the delay is for connections that fail. If a server hangs, the kernel of its machine accepts them, and
//   each NOTIFY waits for those 2 s. So an address that has not answered for some time gets no NOTIFY until it answers
//   again.
// - `retry-max-interval`: Knot repeats a NOTIFY that failed after the retry interval of the SOA, which is made for
//   secondaries that ask. A minute costs the source nothing.
// - NOTIFY is not encrypted, because not every secondary that transfers over TLS answers over it. RFC 9103 section 3
//   does not take the existence of a zone for a secret; TSIG signs it.
// - Catalogs are unsigned zones with a template of their own. mod-queryacl lets only the addresses of the secondary ask
//   for them: an ordinary zone is answered to every client, and this one contains the names of zones.
import { catalogName } from '#dns/secondaries/catalog.ts';
import { type Endpoint, type Secondary, transferAddresses } from '#dns/secondaries/secondary.ts';
import { type ConfigItem, TEMPLATE } from './configuration.ts';

/**
 * - `source`: sends NOTIFY and answers IXFR.
 * - `new-source`: became the source, and secondaries may still have zones of the one before: sends NOTIFY, and
 *   answers each request with the whole zone.
 * - `standby`: sends no NOTIFY. A secondary that cannot reach the source still gets whole zones.
 */
export type SourceRole = 'source' | 'new-source' | 'standby';

export interface TransferWish {
  /** As checkedSecondaries returns them. */
  secondaries: readonly Secondary[];
  /** The names of the zones that knotd has, without final dot and without catalogs. */
  zones: readonly string[];
  role: SourceRole;
  /** Addresses that get no NOTIFY, because they do not answer. */
  quiet?: readonly Endpoint[];
  /** Whether knotd answers over TLS. (Default: false: secondaries that need TLS may transfer nothing.) */
  overTls?: boolean;
}

/** The end of the name of an ACL that needs TLS; no name of a secondary has a dot. */
export const TLS_ACL = '.tls';

const CATALOG_TEMPLATE = 'catalog';

const REMOTE_RETRY_MS = 10_000;
const REMOTE_LIMIT_MS = 2_000;
const NOTIFY_RETRY_SECONDS = 60;

/** Every item of the sections and items that `isOwned` names. Groups come before items that refer to them. */
export function transferItems(wish: TransferWish): ConfigItem[] {
  const { secondaries, zones, role, quiet = [], overTls = false } = wish;
  const items: ConfigItem[] = [
    { section: 'server', item: 'remote-retry-delay', value: String(REMOTE_RETRY_MS) },
    { section: 'server', item: 'tcp-remote-io-timeout', value: String(REMOTE_LIMIT_MS) },
  ];
  const put = (section: string, id: string, item: string, values: string | readonly string[]) => {
    for (const value of [values].flat()) items.push({ section, id, item, value });
  };
  const notifies = role !== 'standby';

  for (const { key } of secondaries) {
    if (key === null) continue;
    put('key', `${key.name}.`, 'id', `${key.name}.`);
    put('key', `${key.name}.`, 'algorithm', key.algorithm);
    put('key', `${key.name}.`, 'secret', key.secret);
  }
  for (const secondary of secondaries) {
    const { key, addresses } = secondary;
    addresses.forEach(({ address, port }, at) => {
      const id = remoteId(secondary, at);
      put('remote', id, 'id', id);
      put('remote', id, 'address', `${address}@${port}`);
      if (key !== null) put('remote', id, 'key', `${key.name}.`);
    });
  }
  const mayTransfer = ({ requireTls }: Secondary) => overTls || !requireTls;
  const acls = (all: readonly Secondary[]) => all.filter(mayTransfer).map(aclId);
  for (const secondary of secondaries.filter(mayTransfer)) {
    const { key, requireTls = false, pins = [] } = secondary;
    const id = aclId(secondary);
    put('acl', id, 'id', id);
    put('acl', id, 'address', transferAddresses(secondary));
    if (key !== null) put('acl', id, 'key', `${key.name}.`);
    put('acl', id, 'action', 'transfer');
    if (requireTls) put('acl', id, 'protocol', 'tls');
    put('acl', id, 'cert-key', pins);
  }
  const catalogs = secondaries.filter(({ catalog }) => catalog);
  for (const secondary of catalogs) {
    put('mod-queryacl', secondary.name, 'id', secondary.name);
    put('mod-queryacl', secondary.name, 'address', transferAddresses(secondary));
  }

  const answers = ({ address, port }: Endpoint) =>
    !quiet.some((other) => other.address === address && other.port === port);
  const remotes = (one: Secondary) =>
    one.addresses.flatMap((endpoint, at) => (answers(endpoint) ? [remoteId(one, at)] : []));
  const notify = (all: readonly Secondary[]) =>
    notifies ? all.filter((one) => one.notify && mayTransfer(one)).flatMap(remotes) : [];
  const everywhere = secondaries.filter((one) => one.zones === 'all');
  for (const template of [TEMPLATE, CATALOG_TEMPLATE]) {
    if (template === CATALOG_TEMPLATE) {
      put('template', template, 'id', template);
      put('template', template, 'zonefile-load', 'none');
      put('template', template, 'zonefile-sync', '-1');
      put('template', template, 'journal-content', 'all');
    }
    put('template', template, 'retry-max-interval', String(NOTIFY_RETRY_SECONDS));
    put('template', template, 'provide-ixfr', role === 'source' ? 'on' : 'off');
  }
  put('template', TEMPLATE, 'notify', notify(everywhere));
  put('template', TEMPLATE, 'acl', acls(everywhere));

  for (const [zone, zoneSecondaries] of listedByZone(secondaries, zones)) {
    put('zone', `${zone}.`, 'notify', notify([...everywhere, ...zoneSecondaries]));
    put('zone', `${zone}.`, 'acl', acls([...everywhere, ...zoneSecondaries]));
  }
  for (const secondary of catalogs) {
    const id = `${catalogName(secondary.name)}.`;
    put('zone', id, 'domain', id);
    put('zone', id, 'template', CATALOG_TEMPLATE);
    put('zone', id, 'module', `mod-queryacl/${secondary.name}`);
    put('zone', id, 'notify', notify([secondary]));
    put('zone', id, 'acl', acls([secondary]));
  }
  return items;
}

/**
 * Whether an item of knotd's configuration is one that transferItems decides. All others belong to configuration.ts and
 * to the node, who adds and removes zones.
 */
export function isOwned({ section, id = '', item }: Omit<ConfigItem, 'value'>, isCatalog: boolean): boolean {
  if (['key', 'remote', 'acl', 'mod-queryacl'].includes(section)) return true;
  if (section === 'server') return item === 'remote-retry-delay' || item === 'tcp-remote-io-timeout';
  if (section === 'template') {
    return (
      id === CATALOG_TEMPLATE ||
      (id === TEMPLATE && ['notify', 'acl', 'retry-max-interval', 'provide-ixfr'].includes(item))
    );
  }
  return section === 'zone' && (isCatalog || item === 'notify' || item === 'acl');
}

function remoteId({ name }: Secondary, at: number): string {
  return `${name}-${at + 1}`;
}

/** Knot 3.2 does not know the items for TLS, and must not take such an ACL for one without TLS (exported.ts). */
function aclId({ name, requireTls }: Secondary): string {
  return requireTls ? `${name}${TLS_ACL}` : name;
}

function listedByZone(secondaries: readonly Secondary[], zones: readonly string[]): Map<string, Secondary[]> {
  const existingZones = new Set(zones);
  const byZone = new Map<string, Secondary[]>();
  for (const secondary of secondaries) {
    if (secondary.zones === 'all') continue;
    for (const zone of new Set(secondary.zones)) {
      if (existingZones.has(zone)) byZone.set(zone, [...(byZone.get(zone) ?? []), secondary]);
    }
  }
  return byZone;
}
