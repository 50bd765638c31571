// The folder of knotd before its start: a new one, one with zones, and one that an interruption left.
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '#config.ts';
import { applyConfiguration } from '#nameserver/knot/apply.ts';
import { applyTransferItems } from '#nameserver/knot/apply-secondaries.ts';
import { configuration } from '#nameserver/knot/configuration.ts';
import { knotControl } from '#nameserver/knot/control.ts';
import { setDamagedAside } from '#nameserver/knot/damaged.ts';
import { knotFolder } from '#nameserver/knot/folder.ts';
import { knotSettings } from '#nameserver/knot/from-config.ts';
import { keyStore } from '#nameserver/knot/keys.ts';
import { prepareKnot } from '#nameserver/knot/prepare.ts';
import { transferItems } from '#nameserver/knot/secondaries.ts';
import { zoneEngine } from '#nameserver/knot/zones.ts';
import { KNOT_SETTINGS } from '#nameserver/settings.ts';
import { allocatePorts } from '../../../../deploy/local/parts/ports.ts';
import { createResolver } from '../../../support/dns/resolver.ts';
import { servedSet } from '../../../support/dns/served-sets.ts';
import { type TestKnot, testKnot } from '../../../support/knot/knot.ts';
import { onlyKey } from '../../../support/knot/only-key.ts';
import { temporaryFolder } from '../../../support/runner/temporary.ts';

const { signal } = new AbortController();
const { knotc, keymgr } = inject('knot');
const run = promisify(execFile);

/** The settings that an environment with these variables gives. */
function settingsOf(folder: string, more: NodeJS.ProcessEnv = {}) {
  return knotSettings(readConfig(KNOT_SETTINGS, { ...environment(folder), ...more }));
}

function environment(folder: string) {
  return { ZONESTEAD_KNOT_FOLDER: folder, ZONESTEAD_NODE_NAME: 'ns1' };
}

describe('the folder of a knotd', () => {
  let knot: TestKnot;
  beforeAll(async () => {
    knot = await testKnot({ rateLimit: { perSecond: 10 } });
  });

  test('the folder of a knotd gets new settings, and keeps zones with contents, keys and journal, and secondaries', async () => {
    const engine = zoneEngine({
      control: knot.control,
      folder: knot.folder,
      keys: keyStore({ keymgr, folder: knot.folder }),
    });
    const dns = createResolver(knot, knot.folder.root);
    // keymgr cannot import one key for two zones at the same moment, and every zone has a key of its own.
    const pem = () =>
      generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    const names = ['kept.example', '_x.other.example'];
    await engine.add(
      names.map((name) => ({ name, keys: onlyKey(pem()) })),
      signal,
    );
    const soa = { mname: 'ns.', rname: 'h.', refresh: 9, retry: 9, expire: 9, minimum: 9, ttl: 9 };
    const sets = [servedSet('@', 'NS', ['ns.example']), servedSet('www', 'A', ['192.0.2.7'])];
    const serial = await engine.change(names[0]!, { names: ['@', 'www'], sets, serial: 7, soa }, signal);
    const key = { name: 'one', algorithm: 'hmac-sha256' as const, secret: 'AAAAAAAAAAAAAAAAAAAAAA==' };
    const addresses = [{ address: '127.0.0.1', port: 9 }];
    const one = { name: 'one', addresses, key, zones: 'all' as const, catalog: true, notify: true };
    const wanted = transferItems({ secondaries: [one], zones: names, role: 'source' });
    expect(await applyTransferItems(knot.control, wanted, signal)).toBeGreaterThan(0);

    await knot.restart('SIGKILL', { identity: 'ns2', udpWorkers: 3 });
    expect(await engine.zones(signal)).toHaveLength(2);
    expect(await applyTransferItems(knot.control, wanted, signal)).toBe(0);
    const { folder, version } = knot;
    const settings = { folder, version, listen: [knot], identity: 'ns2', udpWorkers: 3 };
    expect((await applyConfiguration(knot.control, configuration(settings), signal)).changed).toEqual([]);
    expect(await dns.dig('+nsid', 'kept.example', 'SOA')).toContain('("ns2")');
    // knotd answers before it has loaded its zones.
    const loaded = async () => (await engine.zones(signal)).find(({ name }) => name === names[0])?.serial;
    await expect.poll(loaded, { timeout: 60_000 }).toBe(serial);
    expect(await dns.dig('+dnssec', 'www.kept.example', 'A')).toMatch(/192\.0\.2\.7\n.*RRSIG/);
    // Items for secondaries also stay in a knotd that runs.
    const other = configuration({ ...settings, identity: 'ns3' });
    expect((await applyConfiguration(knot.control, other, signal)).changed).toEqual(['server.identity', 'server.nsid']);
    expect(await applyTransferItems(knot.control, wanted, signal)).toBe(0);
  });

  test('the folder of a knotd is left alone while its knotd runs', async () => {
    const settings = settingsOf(knot.folder.root);
    const prepared = prepareKnot({ knotc, settings, signal, endMs: 0 });
    await expect(prepared).rejects.toThrow('A knotd runs with the folder');
    await knot.control.run('status');
  });
});

test('knot-conf --start becomes knotd, also after a kill that left socket and PID file', async () => {
  const stateDir = await temporaryFolder('knot-conf');
  const { knot: port } = await allocatePorts([{ name: 'knot', dns: true }], { stateDir });
  const folder = knotFolder(join(stateDir, 'knot'));
  const { knotd } = inject('knot');
  const env = {
    ...{
      ZONESTEAD_KNOT_FOLDER: folder.root,
      ZONESTEAD_NODE_NAME: 'ns1',
      ZONESTEAD_KNOTC: knotc,
      ZONESTEAD_KNOTD: knotd,
    },
    ...{ ZONESTEAD_KNOT_LISTEN: '127.0.0.1', ZONESTEAD_KNOT_PORT: String(port) },
  };
  const control = knotControl({ socket: folder.socket });
  onTestFinished(() => control.close());
  for (const end of ['SIGKILL', 'SIGTERM'] as const) {
    if (end === 'SIGTERM') writeFileSync(join(folder.confdb, 'data.mdb'), 'x'.repeat(100));
    const child = spawn(process.execPath, [inject('program'), 'knot-conf', '--start'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = text(child.stdout);
    const ended = once(child, 'exit');
    onTestFinished(() => void child.kill('SIGKILL'));
    await vi.waitFor(() => control.run('status'), { timeout: 60_000 });
    expect(await readFile(folder.pidFile, 'utf8')).toBe(`${child.pid}`);
    // Every thread would keep memory of its own.
    expect((await readFile(`/proc/${child.pid}/environ`, 'utf8')).split('\0')).toContain('MALLOC_ARENA_MAX=4');
    child.kill(end);
    expect(await ended).toEqual(end === 'SIGTERM' ? [0, null] : [null, end]);
    if (end === 'SIGTERM')
      expect(await lines).toMatch(/^The configuration database .*confdb\/data\.mdb is damaged: it ends/);
  }
});

test('a new folder gets mode 700 and a database from the environment, without left files', async () => {
  const root = join(await temporaryFolder('knot-conf'), 'knot');
  mkdirSync(root);
  for (const left of ['knot.pid', 'knot.conf']) writeFileSync(join(root, left), '1');
  const settings = settingsOf(root, {
    ...{ ZONESTEAD_KNOT_LISTEN: '127.0.0.1,::1', ZONESTEAD_KNOT_PORT: '5399', ZONESTEAD_KNOT_WORKERS: '4' },
    ...{ ZONESTEAD_KNOT_RATE_LIMIT: '50', ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: '10.0.0.0/8,192.0.2.1' },
    ZONESTEAD_KNOT_COOKIE_SECRET: '00112233445566778899aabbccddeeff',
  });
  expect(await prepareKnot({ knotc, settings, signal })).toBe('made');
  expect(statSync(root).mode & 0o777).toBe(0o700);
  expect(readdirSync(root).sort()).toEqual(['confdb', 'storage']);
  const exported = async () => {
    await run(knotc, ['-C', settings.folder.confdb, 'conf-export', join(root, 'out')]);
    return readFile(join(root, 'out'), 'utf8');
  };
  const first = await exported();
  for (const line of [
    ...['listen: [ "127.0.0.1@5399", "::1@5399" ]', 'udp-workers: "4"', 'identity: "ns1"', 'rate-limit: "50"'],
    ...['whitelist: [ "10.0.0.0/8", "192.0.2.1/32" ]', 'slip: "1"', 'secret: "0x00112233445566778899AABBCCDDEEFF"'],
  ]) {
    expect(first).toContain(`    ${line}\n`);
  }
  expect(await prepareKnot({ knotc, settings, signal })).toBe('updated');
  expect(await exported()).toBe(first);
  const open = settingsOf(root, { ZONESTEAD_KNOT_RATE_LIMIT: '0' });
  expect(await prepareKnot({ knotc, settings: open, signal })).toBe('updated');
  expect(await exported()).not.toContain('mod-rrl');
  // Without a secret, the former one stays: the node derives it from its key, which knot-conf does not have.
  expect(await exported()).toContain('secret: "0x00112233445566778899AABBCCDDEEFF"');
  expect(knotSettings(readConfig(KNOT_SETTINGS, environment(root)), 'yn_a_11').cookieSecret).toMatch(/^[0-9a-f]{32}$/);
});

test('a new folder is completed when the database is still empty', async () => {
  const root = join(await temporaryFolder('knot-conf'), 'knot');
  const settings = settingsOf(root);
  mkdirSync(root);
  writeFileSync(join(root, 'wrong'), 'server:\n    unknown: 1\n');
  await run(knotc, ['-C', settings.folder.confdb, 'conf-import', join(root, 'wrong')]).catch(() => {});
  expect(readdirSync(settings.folder.confdb)).toContain('data.mdb');
  expect(await prepareKnot({ knotc, settings, signal })).toBe('updated');
  const { stdout } = await run(knotc, ['-C', settings.folder.confdb, 'conf-check']);
  expect(stdout).toContain('valid');
});

test.each([
  ['no database', 'x'.repeat(10_000), 'page 0 is not the beginning of an LMDB file'],
  ['a database that only knotc finds unreadable', '', 'knotc conf-export failed'],
])('a new folder gets a new configuration in the place of %s, which is kept', async (_, contents, cause) => {
  const root = join(await temporaryFolder('knot-conf'), 'knot');
  const settings = settingsOf(root);
  mkdirSync(settings.folder.confdb, { recursive: true });
  writeFileSync(join(settings.folder.confdb, 'data.mdb'), contents);
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  expect(await prepareKnot({ knotc, settings, signal, warn })).toBe('made');
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain(cause);
  expect(readFileSync(join(settings.folder.confdb, 'data.mdb.damaged'), 'utf8')).toBe(contents);
  expect(await prepareKnot({ knotc, settings, signal, warn })).toBe('updated');
  expect(warnings).toHaveLength(1);
});

test('a new folder keeps a database that may not be written, and the error says what to do', async () => {
  const root = join(await temporaryFolder('knot-conf'), 'knot');
  const settings = settingsOf(root);
  await prepareKnot({ knotc, settings, signal });
  for (const part of [root, settings.folder.confdb]) chmodSync(part, 0o755);
  const file = join(settings.folder.confdb, 'data.mdb');
  chmodSync(file, 0o444);
  const asUser = process.getuid?.() === 0 ? 65_534 : null;
  try {
    if (asUser !== null) process.seteuid?.(asUser);
    await expect(setDamagedAside(settings.folder, () => {})).rejects.toThrow(
      `${file} cannot be opened for reading and writing (EACCES). Give the file to the user that runs knotd`,
    );
  } finally {
    if (asUser !== null) process.seteuid?.(0);
  }
  expect(readdirSync(settings.folder.confdb)).not.toContain('data.mdb.damaged');
  expect(await prepareKnot({ knotc, settings, signal })).toBe('updated');
});
