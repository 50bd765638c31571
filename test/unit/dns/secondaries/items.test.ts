// The part of knotd's configuration that concerns secondaries, and the commands that bring it about.
import { expect, test } from 'vitest';
import type { Secondary } from '#dns/secondaries/secondary.ts';
import type { ConfigItem } from '#nameserver/knot/configuration.ts';
import { diffConfig, transactions, zonesToNotify } from '#nameserver/knot/difference.ts';
import { isOwned, transferItems } from '#nameserver/knot/secondaries.ts';

const SECRET = Buffer.alloc(32, 's').toString('base64');
const secondary = (name: string, change: Partial<Secondary> = {}): Secondary => ({
  name,
  addresses: [{ address: '192.0.2.1', port: 5300 }],
  key: { name: `${name}.key.test`, algorithm: 'hmac-sha256', secret: SECRET },
  zones: 'all',
  catalog: true,
  notify: true,
  ...change,
});
const ALL = secondary('all');
const LISTED = secondary('some', { zones: ['a.test', 'gone.test'], catalog: false });
const items = (
  secondaries: Secondary[],
  role: 'source' | 'new-source' | 'standby' = 'source',
  zones = ['a.test', 'b.test'],
) => transferItems({ secondaries, zones, role });
const values = (all: readonly ConfigItem[], section: string, id: string | undefined, item: string) =>
  all.filter((one) => one.section === section && one.id === id && one.item === item).map(({ value }) => value);

test('the configuration of a source allows transfers to the addresses of a secondary with its key only', () => {
  const found = items([secondary('all', { transfersFrom: ['198.51.100.1', '192.0.2.1'] })]);
  expect(found.filter(({ section }) => section === 'acl')).toEqual([
    { section: 'acl', id: 'all', item: 'id', value: 'all' },
    { section: 'acl', id: 'all', item: 'address', value: '192.0.2.1' },
    { section: 'acl', id: 'all', item: 'address', value: '198.51.100.1' },
    { section: 'acl', id: 'all', item: 'key', value: 'all.key.test.' },
    { section: 'acl', id: 'all', item: 'action', value: 'transfer' },
  ]);
});

test('the configuration of a source notifies each address of a secondary, with its key', () => {
  const addresses = [
    { address: '192.0.2.1', port: 53 },
    { address: '2001:db8::1', port: 53 },
  ];
  const found = items([secondary('all', { addresses })]);
  expect(values(found, 'template', 'default', 'notify')).toEqual(['all-1', 'all-2']);
  expect(values(found, 'remote', 'all-2', 'address')).toEqual(['2001:db8::1@53']);
  expect(values(found, 'remote', 'all-2', 'key')).toEqual(['all.key.test.']);
});

test('the configuration of a source notifies no address that does not answer', () => {
  const [first, second] = [
    { address: '192.0.2.1', port: 53 },
    { address: '192.0.2.1', port: 54 },
  ];
  const listed = { ...LISTED, addresses: [first] };
  const wish = { secondaries: [secondary('all', { addresses: [first, second] }), listed], zones: ['a.test'] };
  const found = transferItems({ ...wish, role: 'source', quiet: [{ ...first }] });
  expect(values(found, 'template', 'default', 'notify')).toEqual(['all-2']);
  expect(values(found, 'zone', 'a.test.', 'notify')).toEqual(['all-2']);
  expect(values(found, 'zone', 'a.test.', 'acl')).toEqual(['all', 'some']);
});

test('the configuration of a source gives a listed zone both those who get all zones and those who list it, and no other zone', () => {
  const found = items([ALL, LISTED]);
  expect(values(found, 'zone', 'a.test.', 'acl')).toEqual(['all', 'some']);
  expect(values(found, 'zone', 'a.test.', 'notify')).toEqual(['all-1', 'some-1']);
  expect(found.filter(({ id }) => id === 'b.test.' || id === 'gone.test.')).toEqual([]);
  expect(values(found, 'template', 'default', 'acl')).toEqual(['all']);
});

test('the configuration of a source hides a catalog from every host but its secondary', () => {
  const found = items([ALL, LISTED]);
  expect(values(found, 'zone', 'all.catalog.zonestead.invalid.', 'module')).toEqual(['mod-queryacl/all']);
  expect(values(found, 'zone', 'all.catalog.zonestead.invalid.', 'acl')).toEqual(['all']);
  expect(values(found, 'mod-queryacl', 'all', 'address')).toEqual(['192.0.2.1']);
  expect(found.filter(({ id = '' }) => id.startsWith('some.catalog'))).toEqual([]);
});

test('the configuration of a source has no key for a secondary that is allowed by address alone, and no NOTIFY for one that wants none', () => {
  const found = items([secondary('all', { key: null, notify: false })]);
  expect(found.filter(({ section, item }) => section === 'key' || item === 'key')).toEqual([]);
  expect(found.filter(({ item }) => item === 'notify')).toEqual([]);
  expect(values(found, 'acl', 'all', 'address')).toEqual(['192.0.2.1']);
});

test('the configuration of a source sends no NOTIFY and answers no IXFR on a node that is not the source; a new source answers no IXFR yet', () => {
  const standby = items([ALL, LISTED], 'standby');
  expect(standby.filter(({ item }) => item === 'notify')).toEqual([]);
  expect(values(standby, 'template', 'default', 'acl')).toEqual(['all']);
  for (const template of ['default', 'catalog']) {
    expect(values(standby, 'template', template, 'provide-ixfr')).toEqual(['off']);
    expect(values(items([ALL], 'new-source'), 'template', template, 'provide-ixfr')).toEqual(['off']);
    expect(values(items([ALL], 'source'), 'template', template, 'provide-ixfr')).toEqual(['on']);
  }
  expect(values(items([ALL], 'new-source'), 'template', 'default', 'notify')).toEqual(['all-1']);
});

test('the configuration of a source contains only items that it owns', () => {
  for (const item of items([ALL, LISTED])) {
    expect(isOwned(item, item.id?.endsWith('.invalid.') ?? false), JSON.stringify(item)).toBe(true);
  }
  expect(isOwned({ section: 'template', id: 'default', item: 'dnssec-signing' }, false)).toBe(false);
  expect(isOwned({ section: 'zone', id: 'a.test.', item: 'domain' }, false)).toBe(false);
  expect(isOwned({ section: 'server', item: 'listen' }, false)).toBe(false);
});

test('the difference of two configurations is empty if they are equal, in any order', () => {
  expect(diffConfig(items([ALL, LISTED]).reverse(), items([ALL, LISTED]))).toEqual([]);
});

test('the difference of two configurations sets everything that is new, groups by their name first', () => {
  const [first, , ...rest] = diffConfig([], items([ALL]));
  expect(first).toEqual({
    command: 'conf-set',
    args: { section: 'server', item: 'remote-retry-delay', data: '10000' },
  });
  expect(rest[0]).toEqual({ command: 'conf-set', args: { section: 'key', item: 'id', data: 'all.key.test.' } });
  expect(rest[1]?.args).toEqual({ section: 'key', id: 'all.key.test.', item: 'algorithm', data: 'hmac-sha256' });
});

test('the difference of two configurations replaces a single value, and adds and removes one of several', () => {
  const moved = {
    ...ALL,
    addresses: [{ address: '192.0.2.9', port: 53 }],
    key: { ...ALL.key!, secret: `${SECRET}` },
  };
  const other = { ...moved, key: { ...moved.key, secret: Buffer.alloc(32, 't').toString('base64') } };
  const commands = diffConfig(items([ALL]), items([other]));
  const shown = commands.map(
    ({ command, args }) => `${command} ${args.section}[${args.id}].${args.item} ${args.data ?? ''}`,
  );
  expect(shown).toEqual([
    `conf-set key[all.key.test.].secret ${other.key.secret}`,
    'conf-set remote[all-1].address 192.0.2.9@53',
    'conf-set acl[all].address 192.0.2.9',
    'conf-set mod-queryacl[all].address 192.0.2.9',
    'conf-unset remote[all-1].address 192.0.2.1@5300',
    'conf-unset acl[all].address 192.0.2.1',
    'conf-unset mod-queryacl[all].address 192.0.2.1',
  ]);
});

test('the difference of two configurations removes the groups of a secondary that is gone as a whole, and its catalog', () => {
  const commands = diffConfig(items([ALL, LISTED]), items([LISTED]));
  const groups = commands.filter(({ args }) => args.item === undefined).map(({ args }) => `${args.section} ${args.id}`);
  expect(groups.sort()).toEqual([
    'acl all',
    'key all.key.test.',
    'mod-queryacl all',
    'remote all-1',
    'zone all.catalog.zonestead.invalid.',
  ]);
  const others = commands
    .filter(({ args }) => args.item !== undefined)
    .map(({ args }) => `${args.id} ${args.item} ${args.data}`);
  expect(others.sort()).toEqual(['a.test. acl all', 'a.test. notify all-1', 'default acl all', 'default notify all-1']);
});

test('the difference of two configurations is applied in portions: new groups first, then zones, and the removal of groups at the end', () => {
  const zones = Array.from({ length: 450 }, (_, at) => `z${at}.test`);
  const listed = secondary('some', { zones, catalog: false });
  const isReference = ({ args }: { args: { section?: string } }) => args.section === 'zone';
  const sizes = (commands: ReturnType<typeof diffConfig>) =>
    transactions(commands, isReference).map((all) => `${all[0]?.command} ${all[0]?.args.section} ${all.length}`);
  const none = items([], 'source', zones);
  const some = items([listed], 'source', zones);
  expect(sizes(diffConfig(none, some))).toEqual([
    'conf-set key 10',
    ...Array.from({ length: 4 }, () => 'conf-set zone 200'),
    'conf-set zone 100',
  ]);
  expect(sizes(diffConfig(some, none))).toEqual([
    ...Array.from({ length: 4 }, () => 'conf-unset zone 200'),
    'conf-unset zone 100',
    'conf-unset key 3',
  ]);
  expect(transactions([], isReference)).toEqual([]);
});

test('the difference of two configurations notifies the secondaries of zones that got a new one', () => {
  expect(zonesToNotify(diffConfig(items([ALL]), items([ALL, LISTED])))).toEqual(['a.test.']);
  expect(zonesToNotify(diffConfig(items([]), items([ALL])))).toBe('all');
  expect(zonesToNotify(diffConfig(items([ALL, LISTED]), items([ALL])))).toEqual([]);
});

const PIN = Buffer.alloc(32, 'p').toString('base64');
const ENCRYPTED = secondary('all', { requireTls: true, pins: [PIN] });
const aclOf = (found: readonly ConfigItem[], id: string) =>
  found.filter((one) => one.section === 'acl' && one.id === id).map(({ item, value }) => `${item} ${value}`);

test('the configuration of a source allows a secondary that requires TLS nothing without it, nor without its certificate', () => {
  const found = transferItems({ secondaries: [ENCRYPTED, LISTED], zones: ['a.test'], role: 'source', overTls: true });
  expect(aclOf(found, 'all.tls')).toEqual([
    'id all.tls',
    'address 192.0.2.1',
    'key all.key.test.',
    'action transfer',
    'protocol tls',
    `cert-key ${PIN}`,
  ]);
  expect(aclOf(found, 'all')).toEqual([]);
  expect(values(found, 'template', 'default', 'acl')).toEqual(['all.tls']);
  expect(values(found, 'zone', 'a.test.', 'acl')).toEqual(['all.tls', 'some']);
  expect(values(found, 'zone', 'all.catalog.zonestead.invalid.', 'acl')).toEqual(['all.tls']);
  expect(aclOf(found, 'some').join()).not.toMatch(/protocol|cert-key/);
});

test('the configuration of a source that does not answer over TLS allows a secondary that requires it nothing', () => {
  const found = items([ENCRYPTED, LISTED]);
  expect(found.filter(({ section, value }) => section === 'acl' && value.startsWith('all'))).toEqual([]);
  expect(values(found, 'template', 'default', 'acl')).toEqual([]);
  expect(values(found, 'zone', 'a.test.', 'acl')).toEqual(['some']);
  expect(values(found, 'zone', 'a.test.', 'notify')).toEqual(['some-1']);
  expect(values(found, 'zone', 'all.catalog.zonestead.invalid.', 'acl')).toEqual([]);
});

test('the difference of two configurations adds and removes one of several pins', () => {
  const other = Buffer.alloc(32, 'q').toString('base64');
  const of = (pins: string[]) =>
    transferItems({ secondaries: [{ ...ENCRYPTED, pins }], zones: [], role: 'source', overTls: true });
  const shown = diffConfig(of([PIN]), of([other])).map(({ command, args }) => `${command} ${args.item} ${args.data}`);
  expect(shown).toEqual([`conf-set cert-key ${other}`, `conf-unset cert-key ${PIN}`]);
});
