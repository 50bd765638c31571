// Health checks on the command line: the commands of the pages as a reader types them, with real web servers and a real
// name server, and the options of records.
import { expect, test, vi } from 'vitest';
import { scenario } from '../../support/docs/scenario.ts';
import { complaint } from '../../support/docs/shown.ts';
import { startWebServers } from '../../support/http/web-servers.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { startTestService } from '../../support/service/service.ts';

const service = await startTestService({
  settings: { ZONESTEAD_CHECK_NETWORKS: '127.0.0.0/8', ZONESTEAD_CHECK_PORTS: '1-65535' },
});
const admin = await service.key();
vi.stubEnv('ZONESTEAD_URL', service.url);
vi.stubEnv('ZONESTEAD_API_KEY', admin.text);
vi.stubEnv('NO_COLOR', '1');

const json = async (...words: string[]) => JSON.parse((await zonestead(...words, '-o', 'json')).out);
const DEFINITION = ['--type', 'tcp', '--port', '25'];

/** The words of a command of a page. */
const split = (text: string) => [...text.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

test('a reader fails over between two regions, and takes an address out for maintenance', async () => {
  await service.zone('shop.example', admin);
  const { port, servers } = await startWebServers(2);
  const [first, second] = servers;
  const real = (text: string) =>
    text
      .replaceAll('203.0.113.10', first?.address ?? '')
      .replaceAll('198.51.100.10', second?.address ?? '')
      .replaceAll('8080', String(port));
  const answers = async () =>
    (await service.dns.lookup('www.shop.example', 'A')).answers.map((line) => line.split(' ').at(-1));
  const run = async (text: string) => (await zonestead(...split(real(text)).slice(1))).out;
  for (const { text, shown, page } of await scenario('checks')) {
    const isList = text.startsWith('zonestead records list');
    if (text.startsWith('zonestead checks list')) {
      expect(await run(text)).toMatch(/^CHECK .*\nshop /);
      continue;
    }
    // Lists are compared by their parts: the addresses of the page have another order than those here.
    if (isList) {
      await first?.stop();
      await expect.poll(answers).toEqual([second?.address]);
    }
    const lines = shown.map(real);
    // The first probe follows within a second.
    if (text.startsWith('zonestead checks show') && page.endsWith('fail-over.md'))
      await expect.poll(() => run(text)).toMatch(/(127\.\S+ +Healthy .*\n){2}/);
    else if (isList) expect(await run(text)).toMatch(/shop, failing +127\./);
    else if (text.startsWith('zonestead checks show'))
      expect(await run(text)).toMatch(/Unhealthy until \S+ +\S+: kernel update/);
    else expect(complaint(lines, await run(text), new Map())).toBeUndefined();
    if (isList) {
      await first?.start();
      await expect.poll(answers).toEqual([first?.address]);
    }
    if (text.startsWith('zonestead checks pin')) expect(await answers()).toEqual([second?.address]);
    if (text.startsWith('zonestead checks unpin')) expect(await answers()).toEqual([first?.address]);
  }
});

test('a dry run changes nothing, and a refusal names the option and what would be accepted', async () => {
  const set = (...words: string[]) => zonestead('checks', 'set', ...words);
  const dry = await set('dry', ...DEFINITION, '--dry-run');
  expect(dry.out).toContain('would create the check dry\nprobe: tcp port 25\n');
  expect((await zonestead('checks', 'list')).out).not.toContain('dry');
  expect((await set('dry', ...DEFINITION)).code).toBe(0);
  const again = await set('dry', '--type', 'tcp', '--port', '26', '--interval', '1m30s', '--dry-run');
  expect(again.out).toContain('would replace the definition of the check dry\n- probe: tcp port 25\n');
  expect(again.out).toContain('+ rhythm: every 90 s;');
  for (const [words, message] of [
    [['--type', 'tcp'], '--port is required for a check of the type tcp'],
    [['--type', 'http', '--retry-interval', '0.1'], '--retry-interval must be a number of seconds from 0.5 to 60'],
    [['--type', 'https', '--expect', 'ok'], '--expect must be a list of 1 to 20 statuses'],
  ] as const)
    expect([words, (await set('dry', ...words)).err]).toEqual([words, expect.stringContaining(message)]);
  expect((await zonestead('checks', 'show', 'no-such')).err).toContain(
    'the check no-such does not exist: the existing checks are dry',
  );
  expect((await zonestead('checks', 'delete', 'dry', '--dry-run')).out).toBe('would delete the check dry\n');
  expect((await json('checks', 'show', 'dry')).definition).toMatchObject({ port: 25 });
  expect((await zonestead('checks', 'delete', 'dry')).out).toBe('deleted the check dry\n');
  expect((await zonestead('checks', 'delete', 'dry')).err).toContain('the check dry does not exist');
});

test('an option about the health of a record leaves the other parts as they are', async () => {
  const zone = await service.zone('health.example', admin);
  await zonestead('checks', 'set', 'one', ...DEFINITION);
  await zonestead('checks', 'set', 'two', ...DEFINITION);
  const rows = async () =>
    (await json('records', 'list', zone.zoneName, '--name', 'www')).records.sort((a: Row, b: Row) =>
      a.content < b.content ? -1 : 1,
    );
  interface Row {
    id: string;
    content: string;
  }
  const set = (...words: string[]) => zonestead('records', 'set', zone.zoneName, 'www', 'A', ...words);
  await set('127.9.0.1', '127.9.0.2', '--check', 'one', '--tier', '3', '--when-all-fail', 'ServeNone');
  const all = { check: 'one', tier: 3, whenAllFail: 'ServeNone' };
  expect(await rows()).toMatchObject([all, all]);
  const [{ id }] = await rows();
  const update = (...words: string[]) => zonestead('records', 'update', zone.zoneName, id, ...words);
  const preview = await update('--check', 'two', '--dry-run');
  expect(preview.out).toBe('~ www A 127.9.0.1: one, tier 3, ServeNone -> two, tier 3, ServeNone\n');
  await update('--check', 'two');
  await update('--ttl', '60');
  expect(await rows()).toMatchObject([{ ...all, check: 'two', ttl: 60 }, all]);
  await update('--tier', '0');
  expect((await rows())[0]).not.toHaveProperty('tier');
  expect((await rows())[0]).toMatchObject({ check: 'two', whenAllFail: 'ServeNone' });
  await update('--check', '', '--when-all-fail', 'ServeAll');
  expect((await rows())[0]).not.toHaveProperty('check');
  // A new value gets the parts that the others share, and a value that stays keeps its own.
  expect((await set('127.9.0.1', '127.9.0.2', '--check', 'two')).out).toContain('~ www A 127.9.0.2: one, tier 3');
  await set('127.9.0.1', '127.9.0.2', '127.9.0.3');
  expect(await rows()).toMatchObject([{ check: 'two' }, { check: 'two', tier: 3 }, { check: 'two' }]);
  expect((await rows())[2]).not.toHaveProperty('tier');
  const wrong = await zonestead('records', 'create', zone.zoneName, 'x', 'MX', '10 mail.example', '--check', 'one');
  expect(wrong.err).toContain('A MX record has no check');
  expect((await zonestead('checks', 'delete', 'two')).err).toContain('3 records name the check two');
});

test('a pin needs a reason and an end, and names an address that the check has', async () => {
  const zone = await service.zone('pin.example', admin);
  await zonestead('checks', 'set', 'pin', ...DEFINITION);
  await service.record(zone, 'www', 'A', '127.9.9.1', { check: 'pin' });
  const pin = (...words: string[]) => zonestead('checks', 'pin', 'pin', ...words);
  const why = ['--reason', 'work', '--for', '30m'];
  for (const [words, message] of [
    [['127.9.9.1', 'unhealthy', '--reason', 'work', '--for', '5s'], 'from 60 to 2592000 (30 days)'],
    [['127.9.9.2', 'unhealthy', ...why], 'no record with the check pin has the address 127.9.9.2'],
    [['127.9.9.2', 'unhealthy', ...why, '--dry-run'], 'no record with the check pin has the address 127.9.9.2'],
    [['www', 'unhealthy', ...why], 'www is not an address'],
  ] as const)
    expect([words, (await pin(...words)).err]).toEqual([words, expect.stringContaining(message)]);
  expect((await pin('127.9.9.1', 'unhealthy', ...why, '--dry-run')).out).toContain('would pin 127.9.9.1 as Unhealthy');
  expect((await json('checks', 'show', 'pin')).targets).toMatchObject([{ pin: null }]);
  await pin('127.9.9.1', 'unhealthy', ...why);
  expect((await json('checks', 'show', 'pin')).targets).toMatchObject([{ down: true, pin: { reason: 'work' } }]);
  expect((await zonestead('checks', 'unpin', 'pin', '127.9.9.1')).code).toBe(0);
  expect((await json('checks', 'show', 'pin')).targets).toMatchObject([{ pin: null }]);
});
