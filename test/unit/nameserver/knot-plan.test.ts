// Changes of a zone: RRsets and serial; and the configuration of knotd.
import { expect, test } from 'vitest';
import { isLater } from '#dns/serial.ts';
import { configuration } from '#nameserver/knot/configuration.ts';
import { configurationFile } from '#nameserver/knot/configuration-file.ts';
import { mergeConfiguration } from '#nameserver/knot/exported.ts';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { keyId } from '#nameserver/knot/keys.ts';
import { isLoading } from '#nameserver/knot/load.ts';
import { isEqualSoa, laterDnames, nextServedSerial, planSets } from '#nameserver/knot/plan.ts';
import { readSignatureEnd, readSoaItem, SetCollector, unitsOfSet } from '#nameserver/knot/records.ts';
import { parseKnotVersion } from '#nameserver/knot/version.ts';

const set = (name: string, type: string, rdata: string[], ttl = 60) => ({ name, type, ttl, rdata });

test('the RRsets of a change are replaced as a whole where they differ', () => {
  const held = [set('a', 'A', ['192.0.2.1']), set('a', 'TXT', ['"x"']), set('b', 'A', ['192.0.2.1', '192.0.2.2'])];
  expect(planSets(held, held)).toEqual({ remove: [], add: [] });
  const other = set('b', 'A', ['192.0.2.1', '192.0.2.3']);
  expect(planSets(held, [held[0]!, other])).toEqual({ remove: [held[2], held[1]], add: [other] });
});

test('the RRsets of a change are replaced when only the TTL differs', () => {
  const [old, wanted] = [set('a', 'A', ['192.0.2.1']), set('a', 'A', ['192.0.2.1'], 30)];
  expect(planSets([old], [wanted])).toEqual({ remove: [old], add: [wanted] });
});

test('the RRsets of a change wait with a DNAME for the commit that removes the names below it', () => {
  const dname = (name: string) => set(name, 'DNAME', ['a.example.net.']);
  const [below, beside, apex] = [set('a.old', 'A', []), set('older', 'A', []), set('@', 'TXT', [])];
  const plan = { remove: [below, beside, apex], add: [dname('old'), dname('older'), set('old', 'A', [])] };
  expect(laterDnames(plan)).toEqual([dname('old')]);
  expect(laterDnames({ remove: [below], add: [dname('@')] })).toEqual([dname('@')]);
  expect(laterDnames({ remove: [apex], add: [dname('@')] })).toEqual([]);
  expect(laterDnames({ remove: [], add: plan.add })).toEqual([]);
});

test('the serial of a change is the api’s if that is later, otherwise the next one', () => {
  expect(nextServedSerial(null, 7)).toBe(7);
  expect(nextServedSerial(7, 9)).toBe(9);
  expect(nextServedSerial(7, 7)).toBe(8);
  expect(nextServedSerial(9, 7)).toBe(10);
  expect(nextServedSerial(2 ** 32 - 1, 2 ** 32 - 1)).toBe(0);
});

test('the serial of a change is compared by the arithmetic of RFC 1982', () => {
  expect(isLater(1, 2 ** 32 - 1)).toBe(true);
  expect(isLater(2 ** 32 - 1, 1)).toBe(false);
  expect(isLater(5, 5)).toBe(false);
  expect(isLater(2 ** 31, 0)).toBe(false);
});

test('items of the control socket become RRsets with relative names and canonical values', () => {
  const collector = new SetCollector('example.com');
  const items = [
    { owner: 'example.com.', ttl: '60', type: 'SOA', data: 'a. b. 1 2 3 4 5' },
    { owner: 'example.com.', ttl: '60', type: 'MX', data: '10 b.example.' },
    { owner: 'example.com.', ttl: '60', type: 'MX', data: '5 c.example.' },
    { owner: 'example.com.', ttl: '60', type: 'RRSIG', data: 'MX 13 …' },
    { owner: '*.dev.example.com.', ttl: '30', type: 'TYPE65280', data: '\\# 1 00' },
  ];
  expect(items.flatMap((item) => collector.push([item]))).toEqual([set('@', 'MX', ['10 b.example.', '5 c.example.'])]);
  expect(collector.end()).toEqual([set('*.dev', 'TYPE65280', ['\\# 1 00'], 30)]);
  expect(collector.end()).toEqual([]);
});

test('items of the control socket tell when each signature ends, and no set has one', () => {
  const ends: number[] = [];
  const collector = new SetCollector('example.com', (end) => ends.push(end));
  const signature = 'A 13 2 3600 20261210123456 20261119110456 4711 example.com. AAAA';
  collector.push([{ owner: 'example.com.', ttl: '60', type: 'RRSIG', data: signature }]);
  expect([ends, collector.end()]).toEqual([[Date.UTC(2026, 11, 10, 12, 34, 56) / 1_000], []]);
  expect(readSignatureEnd('A 13 2 3600 1796906096 1795086296 4711 example.com. AAAA')).toBe(1_796_906_096);
  for (const broken of ['', 'A 13 2 3600', 'A 13 2 3600 soon 20261119110456'])
    expect(readSignatureEnd(broken)).toBeNaN();
});

test('items of the control socket hold the SOA', () => {
  const held = readSoaItem([{ type: 'SOA', ttl: '60', data: 'ns. host. 9 10800 3600 604800 30' }]);
  const soa = { mname: 'ns.', rname: 'host.', refresh: 10_800, retry: 3_600, expire: 604_800, minimum: 30, ttl: 60 };
  expect(held).toEqual({ soa, serial: 9 });
  expect(isEqualSoa(soa, { ...soa, mname: 'NS' })).toBe(true);
  expect(isEqualSoa(soa, { ...soa, minimum: 31 })).toBe(false);
  expect(readSoaItem([])).toBeNull();
});

test('items of the control socket carry values in the generic form, and long ones in three sections', () => {
  expect([...unitsOfSet('example.com', set('a', 'A', ['192.0.2.1']))]).toEqual([
    { zone: 'example.com.', owner: 'a', ttl: '60', type: 'A', data: '\\# 4 c0000201' },
  ]);
  const long = Array.from({ length: 200 }, () => `"${'x'.repeat(255)}"`).join(' ');
  const [unit] = [...unitsOfSet('example.com', set('a', 'TXT', [long]))];
  const line = `${unit?.ttl} ${unit?.type} ${unit?.data}`;
  expect(line).toMatch(/^60 TXT \\# 51200 (([0-9a-f]{2})+ ?)+$/);
  expect(line.split(' ').slice(4).join('')).toHaveLength(2 * 51_200);
});

const settings = {
  folder: knotFolder('/var/lib/zonestead/knot'),
  listen: [{ address: '::', port: 53 }],
  identity: 'ns1',
};
const text = (more = {}) => configurationFile(configuration({ ...settings, ...more }));

test('the configuration of knotd keeps zones in the journal, and signs them with the imported key', () => {
  expect(text()).toContain('template:\n  - id: "default"\n');
  for (const line of [
    'zonefile-load: "none"',
    'journal-content: "all"',
    'dnssec-policy: "zonestead"',
    'manual: "on"',
  ]) {
    expect(text()).toContain(`    ${line}\n`);
  }
});

test('the configuration of knotd hides the version and names the server', () => {
  expect(text()).toContain('    version: ""\n');
  expect(text({ identity: 'a"b' })).toContain('    nsid: "a\\"b"\n');
});

test('the configuration of knotd listens at each address', () => {
  const listen = [...settings.listen, { address: '192.0.2.1', port: 5_353 }];
  expect(text({ listen })).toContain('    listen: [ "::@53", "192.0.2.1@5353" ]\n');
});

test('the configuration of knotd limits answers when that is asked for', () => {
  expect(text()).not.toContain('mod-rrl');
  const limited = text({ rateLimit: { perSecond: 50, exempt: ['10.0.0.0/8'] } });
  expect(limited).toContain(
    'mod-rrl:\n  - id: "default"\n    rate-limit: "50"\n    slip: "1"\n    whitelist: "10.0.0.0/8"\n',
  );
  expect(limited).toContain('"mod-rrl/default"');
});

test('the configuration of knotd has items of Knot 3.4 only for that version', () => {
  const limit = { rateLimit: { perSecond: 50 } };
  for (const version of ['3.4.6', '3.5.0', '4.0']) {
    expect(text({ ...limit, version })).toContain('    instant-limit: "50"\n    time-rate-limit: "0"\n');
    // Longer than any limit of a command in control.ts.
    expect(text({ version })).toContain('    timeout: "660"\n');
  }
  for (const version of ['3.2.6', '3.3.10', null]) {
    expect(text({ ...limit, version })).not.toContain('instant-limit');
    expect(text({ version })).toContain('    timeout: "5"\n');
  }
});

test('a zone that knotd loads, or is about to load, is loading in the words of each version', () => {
  const state = (data: string) => [
    { type: 'serial', data: '-' },
    { type: 'load', data },
  ];
  for (const words of ['running', 'pending', 'running(+2s)', 'pending(0)']) expect(isLoading(state(words))).toBe(true);
  for (const words of ['-', 'not scheduled', '+3h', 'frozen(+1s)']) expect(isLoading(state(words))).toBe(false);
});

test('the version of Knot is read from the words of its programs and of knotd', () => {
  for (const words of ['knotd (Knot DNS), version 3.2.6\n', 'Version: 3.2.6', '3.2.6']) {
    expect(parseKnotVersion(words)).toBe('3.2.6');
  }
  expect(parseKnotVersion('knotc, Knot DNS 3.4.6\n')).toBe('3.4.6');
  expect(parseKnotVersion('another program')).toBeNull();
});

test('the configuration of knotd replaces its items in an exported one, and keeps zones and everything for secondaries', () => {
  const secondary = [
    '    remote-retry-delay: "10000"',
    'remote:\n  - id: "one-1"\n    address: [ "192.0.2.1@53", "2001:db8::1@53" ]\n    key: "one."',
    'zone:\n  - domain: "a.example."\n  - domain: "b.example."\n    notify: "one-1"',
    'mod-queryacl:\n  - id: "one"\n    address: "192.0.2.1"',
  ];
  const [retry, remote, zones, module] = secondary;
  const before = text({ rateLimit: { perSecond: 50 } })
    .replace('server:\n', `# Configuration export\n\nserver:\n${retry}\n`)
    .replace('policy:\n', `${remote}\n\npolicy:\n`)
    .replace('template:\n', `${module}\ntemplate:\n`)
    .replace('    zonefile-load', '    notify: "one-1"\n    zonefile-load');
  const items = configuration({ ...settings, identity: 'ns2' });
  const merged = mergeConfiguration(`${before}${zones}\n`, items);
  for (const part of [...secondary, '    notify: "one-1"\n', '    nsid: "ns2"']) expect(merged).toContain(part);
  for (const gone of ['ns1', 'mod-rrl']) expect(merged).not.toContain(gone);
  const order = ['server:', 'remote:', 'policy:', 'mod-queryacl:', 'template:', 'zone:'];
  expect(order.map((name) => merged.indexOf(`${name}\n`))).toEqual(
    order.map((name) => merged.indexOf(`${name}\n`)).toSorted((a, b) => a - b),
  );
  expect(mergeConfiguration(merged, items)).toBe(merged);
});

test('the configuration of knotd closes an ACL for transfers over TLS if this knotd does not know them, or lost it', () => {
  const acl = (id: string, lines: string) => `acl:\n  - id: "${id}"\n    address: "192.0.2.1"\n${lines}`;
  const tlsLines = '    protocol: "tls"\n    cert-key: "cGlu"\n';
  const own = { section: 'server', item: 'listen-tls', value: '::@8853' };
  expect(mergeConfiguration(acl('eu.tls', tlsLines), [own])).toContain(acl('eu.tls', tlsLines));
  const closed = acl('eu.tls', '    deny: on\n');
  expect(mergeConfiguration(acl('eu.tls', tlsLines), [])).toBe(closed);
  expect(mergeConfiguration(acl('eu.tls', ''), [])).toBe(closed);
  // The way back, before the node has set the ACL again.
  expect(mergeConfiguration(closed, [own])).toContain(closed);
  expect(mergeConfiguration(acl('eu', ''), [])).toBe(acl('eu', ''));
});

test('the configuration of knotd loses the modules of weights, which another version may lack', () => {
  const zone = 'zone:\n  - domain: "w.example."\n    notify: "eu"\n';
  const weights = 'mod-geoip:\n  - id: "abc"\n    config-file: "/absent"\n';
  const own = { section: 'module', id: 'mod-geoip', item: 'file', value: '/new.so' };
  const before = `module:\n  - id: "mod-geoip"\n    file: "/old.so"\n${weights}${zone}    module: "mod-geoip/abc"\n`;
  expect(mergeConfiguration(before, [])).toBe(zone);
  const merged = mergeConfiguration(before, [{ ...own, item: 'id', value: 'mod-geoip' }, own]);
  expect(merged).toBe(`module:\n  - id: "mod-geoip"\n    file: "/new.so"\n${zone}`);
});

test('the configuration of knotd is not made from a text that is not an export', () => {
  expect(() => mergeConfiguration('server\n', [])).toThrow('unknown line: server');
  expect(() => mergeConfiguration('    listen: "::"\nserver: x\n', [])).toThrow('unknown line: server: x');
});

test('the configuration of knotd needs a folder with a path that is short enough for a socket', () => {
  expect(() => knotFolder(`/${'x'.repeat(110)}`)).toThrow('too long for a Unix socket');
});

const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgAAAAAAAAAAAAAAAA
-----END PRIVATE KEY-----`;

test('the name of a key is that of its public half, and other text has none', () => {
  expect(() => keyId(key)).toThrow();
  expect(() => keyId('')).toThrow();
});
