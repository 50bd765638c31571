// Zones of a real knotd: contents, changes, keys, and crashes.
import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSigningKey } from '#dns/dnssec/signing-key.ts';
import { keyId } from '#nameserver/knot/keys.ts';
import { ask } from '#nameserver/probe/probe.ts';
import { expectNegative, expectPositive } from '../../../support/dns/answers.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { NS, newKey, ordered, SOA, testKnotZones } from '../../../support/knot/knot-zones.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';

const { signal } = new AbortController();
const { knot, engine, put, zoneWith, contents, answered, serialOf } = await testKnotZones();
const dns = createResolver({ address: knot.address, port: knot.port }, knot.folder.root);

test('the engine says its version', async () => {
  expect(await engine.version()).toMatch(/^Knot DNS 3\.\d+\.\d+( \(without weights( and NSEC3)?\))?$/);
});

test('a zone is answered with signatures that validate: positive, negative, wildcard and delegation', async () => {
  const ds = servedSet('sub', 'DS', [`1 13 2 ${'ab'.repeat(32)}`]);
  const delegation = servedSet('sub', 'NS', ['ns.sub.example.org']);
  const sets = [servedSet('www', 'A', ['192.0.2.1']), servedSet('*.dev', 'TXT', ['any']), delegation, ds];
  const { name } = await zoneWith(sets);
  expect(await expectPositive(dns, name, `www.${name}`, 'A')).toEqual([`www.${name} 300 A 192.0.2.1`]);
  await expectPositive(dns, name, `a.b.dev.${name}`, 'TXT');
  await expectPositive(dns, name, `sub.${name}`, 'DS');
  await expectPositive(dns, name, name, 'SOA');
  await expectPositive(dns, name, name, 'CDS');
  await expectNegative(dns, name, `none.${name}`, 'A', 'nxdomain');
  await expectNegative(dns, name, `www.${name}`, 'AAAA', 'nodata');
});

test('a zone that is read tells when its signatures end: three weeks after they are made', async () => {
  const { name } = await zoneWith([servedSet('www', 'A', ['192.0.2.1'])]);
  const ends: number[] = [];
  for await (const _page of engine.read(name, signal, (end) => ends.push(end)));
  // At least SOA, NS, DNSKEY, A, CDS, CDNSKEY and the NSECs.
  expect(ends.length).toBeGreaterThan(6);
  const days = (Math.min(...ends) - Date.now() / 1_000) / 86_400;
  expect(days).toBeGreaterThan(20.9);
  expect(days).toBeLessThanOrEqual(21);
});

test('a zone has the key that was given', async () => {
  const { name, key } = await zoneWith([]);
  const { answers } = await ask(dns, { name, type: 'DNSKEY' }, { signal });
  const keys = answers.map(({ rdata }) => Buffer.from(rdata.subarray(4)).toString('base64'));
  expect(keys).toEqual([readSigningKey(key)?.publicKey]);
});

test('a zone is not there before it is added, and after it is removed', async () => {
  const { name } = await zoneWith([servedSet('www', 'A', ['192.0.2.1'])]);
  const files = () => readdirSync(join(knot.folder.storage, 'keys', 'keys')).length;
  const before = files();
  await engine.remove([name, 'absent.example'], signal);
  expect((await engine.zones(signal)).map((zone) => zone.name)).not.toContain(name);
  expect((await dns.lookup(`www.${name}`, 'A')).rcode).toBe('REFUSED');
  expect(files()).toBe(before - 1);
  // Nothing of it comes back.
  await engine.add([{ name, keys: onlyKey(newKey()) }], signal);
  expect(await serialOf(name)).toBeNull();
  await put(name, [NS], { soa: SOA, serial: 1 });
  expect(await serialOf(name)).toBe(1);
  expect(await contents(name)).toEqual([NS]);
  expect((await ask(dns, { name, type: 'DNSKEY' }, { signal })).answers).toHaveLength(1);
});

test('a zone has no key file that others may read, nor one that was only needed for the import', async () => {
  // A predecessor was killed while it imported a key.
  writeFileSync(join(knot.folder.root, 'import-left.pem'), newKey());
  await zoneWith([]);
  const files = readdirSync(knot.folder.root);
  expect(files.filter((file) => file.endsWith('.pem'))).toEqual([]);
  expect(statSync(knot.folder.root).mode & 0o077).toBe(0);
});

test('a zone is added together with many others', async () => {
  const many = Array.from({ length: 30 }, (_, index) => ({ name: `many${index}.example`, keys: onlyKey(newKey()) }));
  await engine.add(many, signal);
  await Promise.all(
    many.map(({ name }) => put(name, [NS, servedSet('a', 'A', ['192.0.2.1'])], { soa: SOA, serial: 5 })),
  );
  const held = new Map((await engine.zones(signal)).map(({ name, serial }) => [name, serial]));
  expect(many.map(({ name }) => held.get(name))).toEqual(many.map(() => 5));
  await expectPositive(dns, 'many29.example', 'a.many29.example', 'A');
  await engine.remove(
    many.map(({ name }) => name),
    signal,
  );
  expect((await engine.zones(signal)).filter(({ name }) => name.startsWith('many'))).toEqual([]);
});

test('another key replaces the one that the zone has, and the same one changes nothing', async () => {
  const { name, key } = await zoneWith([servedSet('www', 'A', ['192.0.2.1'])]);
  const before = await serialOf(name);
  await engine.add([{ name, keys: onlyKey(key) }], signal);
  expect(await serialOf(name)).toBe(before);
  const other = newKey();
  await engine.add([{ name, keys: onlyKey(other) }], signal);
  const served = async () => {
    const { answers } = await ask(dns, { name, type: 'DNSKEY' }, { signal });
    return answers.map(({ rdata }) => Buffer.from(rdata.subarray(4)).toString('base64'));
  };
  await expect.poll(served).toEqual([readSigningKey(other)?.publicKey]);
  await expect.poll(async () => (await dns.delv(name, `www.${name}`, 'A')).state).toBe('secure');
  await engine.finishKeys(name, onlyKey(other), signal);
  const old = `${keyId(key)}.pem`;
  expect(readdirSync(join(knot.folder.storage, 'keys', 'keys'))).not.toContain(old);
});

test('another key replaces the key of a zone without contents', async () => {
  const [name, first, second] = ['early.example', newKey(), newKey()];
  await engine.add([{ name, keys: onlyKey(first) }], signal);
  await engine.add([{ name, keys: onlyKey(second) }], signal);
  await put(name, [NS], { soa: SOA });
  const { answers } = await ask(dns, { name, type: 'DNSKEY' }, { signal });
  expect(answers.map(({ rdata }) => Buffer.from(rdata.subarray(4)).toString('base64'))).toEqual([
    readSigningKey(second)?.publicKey,
  ]);
});

test('another key is refused if it is not one, and the error does not quote it', async () => {
  const wrong = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }) as string;
  await expect(engine.add([{ name: 'wrong.example', keys: onlyKey(wrong) }], signal)).rejects.toThrow(
    'must be one of DNSSEC in PEM (PKCS#8)',
  );
  expect((await engine.zones(signal)).map(({ name }) => name)).not.toContain('wrong.example');
});

test('a change gives its names exactly its RRsets, and leaves the others', async () => {
  const [a, b] = [servedSet('a', 'A', ['192.0.2.1', '192.0.2.2']), servedSet('b', 'TXT', ['stays'])];
  const { name } = await zoneWith([a, b, servedSet('a', 'TXT', ['goes']), servedSet('c', 'A', ['192.0.2.9'])]);
  const changed = servedSet('a', 'A', ['192.0.2.2', '192.0.2.3'], 60);
  await engine.change(name, { names: ['a', 'c', 'never'], sets: [changed], serial: 101 }, signal);
  expect(ordered(await contents(name))).toEqual(ordered([NS, changed, b]));
  expect(await answered(name, changed)).toEqual(changed.rdata);
  await expectNegative(dns, name, `c.${name}`, 'A', 'nxdomain');
});

test('a change that changes nothing has no commit', async () => {
  const www = servedSet('www', 'A', ['192.0.2.1']);
  const { name } = await zoneWith([www], 100);
  expect(await put(name, [www], { serial: 100 })).toBe(100);
  expect(await put(name, [www], { serial: 90, soa: SOA })).toBe(100);
  expect(await serialOf(name)).toBe(100);
});

test('a change has the api’s serial, or a later one than before', async () => {
  const www = servedSet('www', 'A', ['192.0.2.1']);
  const { name } = await zoneWith([www], 100);
  expect(await put(name, [www], { serial: 105 })).toBe(105);
  expect(await put(name, [servedSet('www', 'A', ['192.0.2.2'])], { serial: 105 })).toBe(106);
  expect(await put(name, [servedSet('www', 'A', ['192.0.2.3'])], { serial: 90 })).toBe(107);
  expect(await put(name, [servedSet('www', 'A', ['192.0.2.4'])], { serial: 108 })).toBe(108);
  expect(await serialOf(name)).toBe(108);
  await expectPositive(dns, name, name, 'SOA');
});

test('a change may concern the SOA alone', async () => {
  const { name } = await zoneWith([], 100);
  expect(await put(name, [NS], { serial: 100, soa: { ...SOA, mname: 'other.example.net.', ttl: 120 } })).toBe(101);
  const { records } = await dns.delv(name, name, 'SOA');
  expect(records.join()).toContain(' 120 IN SOA other.example.net. hostmaster.example.net. 101 10800 3600 604800 60');
});

test('a change that Knot refuses leaves the zone as it was, and the next one succeeds', async () => {
  const www = servedSet('www', 'A', ['192.0.2.1']);
  const { name } = await zoneWith([www], 100);
  const alias = servedSet('www', 'CNAME', ['a.example']);
  await expect(put(name, [www, alias, servedSet('new', 'A', ['192.0.2.7'])], { serial: 101 })).rejects.toMatchObject({
    failure: 'refused',
    reason: 'semantic check',
    message: `Knot refused zone-commit of ${name}.: semantic check`,
  });
  expect(ordered(await contents(name))).toEqual(ordered([NS, www]));
  expect(await serialOf(name)).toBe(100);
  expect(await put(name, [alias], { serial: 101 })).toBe(101);
  expect(await answered(name, alias)).toEqual(alias.rdata);
});

test('a change fails with Knot’s text if the zone is not there', async () => {
  await expect(put('absent.example', [NS], { soa: SOA })).rejects.toMatchObject({ reason: 'no such zone found' });
});

test('a change needs a SOA for the first contents', async () => {
  await engine.add([{ name: 'bare.example', keys: onlyKey(newKey()) }], signal);
  await expect(put('bare.example', [NS])).rejects.toThrow('has no contents yet, so its first change needs a SOA');
  expect(await put('bare.example', [NS], { soa: SOA, serial: 3 })).toBe(3);
});

test('a change with a value that is none fails before Knot sees it, and leaves no transaction', async () => {
  const { name } = await zoneWith([], 100);
  const wrong = { name: 'x', type: 'A', ttl: 60, rdata: ['192.0.2.256'] };
  await expect(put(name, [wrong])).rejects.toThrow('192.0.2.256 is not a value of type A');
  await expect(knot.control.run('zone-get', { zone: `${name}.` })).rejects.toMatchObject({
    reason: 'no active transaction',
  });
  expect(await put(name, [servedSet('x', 'A', ['192.0.2.1'])])).toBe(101);
});

test('a change aborts the transaction that a predecessor left open', async () => {
  const { name } = await zoneWith([], 100);
  await knot.control.run('zone-begin', { zone: `${name}.` });
  await knot.control.run('zone-set', { zone: `${name}.`, owner: 'left', ttl: '60', type: 'A', data: '192.0.2.1' });
  await put(name, [servedSet('x', 'A', ['192.0.2.1'])]);
  expect((await contents(name)).map((set) => set.name)).toEqual(['@', 'x']);
});

test('a change waits for an earlier one of the same zone', async () => {
  const { name } = await zoneWith([], 100);
  const changes = Array.from({ length: 20 }, (_, index) => put(name, [servedSet(`n${index}`, 'A', ['192.0.2.1'])]));
  expect(await Promise.all(changes)).toEqual(Array.from({ length: 20 }, (_, index) => 101 + index));
  expect(await contents(name)).toHaveLength(21);
});

test('a change that is stopped is not made, and the next one is', async () => {
  const { name } = await zoneWith([], 100);
  const sets = Array.from({ length: 3_000 }, (_, index) => servedSet(`n${index}`, 'A', ['192.0.2.1']));
  const stop = new AbortController();
  const stopped = engine.change(name, { names: [], sets, serial: 101 }, stop.signal);
  setImmediate(() => stop.abort(new Error('stopped')));
  await expect(stopped).rejects.toThrow('stopped');
  expect(await put(name, [servedSet('x', 'A', ['192.0.2.1'])], { serial: 102 })).toBe(102);
  expect((await contents(name)).map((set) => set.name)).toEqual(['@', 'x']);
});

test('knotd that was killed serves the same again', async () => {
  const sets = [servedSet('www', 'A', ['192.0.2.1']), servedSet('txt', 'TXT', ['x'])];
  const { name } = await zoneWith(sets, 100);
  await put(name, [servedSet('www', 'A', ['192.0.2.2'])], { serial: 101 });
  await knot.restart('SIGKILL');
  await expect.poll(() => serialOf(name)).toBe(101);
  expect(ordered(await contents(name))).toEqual(ordered([NS, servedSet('www', 'A', ['192.0.2.2']), sets[1]!]));
  await expectPositive(dns, name, `www.${name}`, 'A');
  expect(await put(name, [servedSet('www', 'A', ['192.0.2.3'])], { serial: 90 })).toBe(102);
});

test('knotd starts although another process has the id of its PID file', async () => {
  await knot.part.stop();
  writeFileSync(knot.folder.pidFile, `${process.pid}\n`);
  await knot.restart('SIGTERM');
  expect(readFileSync(knot.folder.pidFile, 'utf8').trim()).toBe(String(knot.part.pid));
});

test('knotd shows foreign edits, and a change removes them', async () => {
  const www = servedSet('www', 'A', ['192.0.2.1']);
  const { name } = await zoneWith([www], 100);
  const at = { zone: `${name}.` };
  await knot.control.session(async ({ run }) => {
    await run('zone-begin', at);
    await run('zone-set', { ...at, owner: 'www', ttl: '60', type: 'TYPE65280', data: '\\# 1 ff' });
    await run('zone-set', { ...at, owner: 'a\\.b', ttl: '60', type: 'LOC', data: '0 0 0 N 0 0 0 E 0m' });
    await run('zone-commit', at);
  });
  const seen = (await contents(name)).map((set) => `${set.name} ${set.type}`);
  expect(seen.sort()).toEqual(['@ NS', 'a\\.b LOC', 'www A', 'www TYPE65280']);
  await engine.change(name, { names: ['www', 'a\\.b'], sets: [www], serial: 100 }, signal);
  expect(ordered(await contents(name))).toEqual(ordered([NS, www]));
});
