// `zonestead acme` with the service and the name servers, without an ACME client.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { runAcme } from '#cli/acme/acme.ts';
import { type Order, readOrder } from '#cli/acme/caller.ts';
import { ACME_SETTINGS } from '#cli/acme/settings.ts';
import { readConfig } from '#config.ts';
import { adminMintNodeKey } from '#service/nodes/administration.ts';
import { runCommand } from '../../../deploy/local/parts/commands.ts';
import { openFeed } from '../../support/feed/feed-reader.ts';
import { COMPILED } from '../../support/program/compiled.ts';
import { NAMESERVERS, startTestService, type TestService } from '../../support/service/service.ts';

const service = await startTestService();
const limited = await startTestService({ limits: true });
const { signal } = new AbortController();
const MAIN = inject('program');
const VALUE = '-HDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM';
const value = (seed: string | number) => createHash('sha256').update(String(seed)).digest('base64url');

const settingsOf = ({ url, dns, admin }: TestService, more: Record<string, string> = {}) => ({
  ZONESTEAD_URL: url,
  ZONESTEAD_API_KEY: admin.text,
  ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${dns.address}:${dns.port}`).join(','),
  ZONESTEAD_RESOLVER: `${dns.address}:${dns.port}`,
  ...more,
});
async function acme(order: Order, more: Record<string, string> = {}, of: TestService = service): Promise<string[]> {
  const lines: string[] = [];
  const config = readConfig(ACME_SETTINGS, settingsOf(of, more));
  const now = () => new Date();
  const options = { config, clock: realClock, now, host: 'web-1', random: () => 0 };
  await runAcme(order, { ...options, print: (line) => void lines.push(line) }, signal);
  return lines;
}
const say = (verb: string, name: string, content = VALUE) => readOrder([verb, name, content], {});
const txt = async (name: string, of = service) =>
  (await of.dns.lookup(name, 'TXT')).answers.map((line) => line.split('"')[1]).sort();

test('zonestead acme ends when the name servers have the value, can be repeated, and cleans up by value', async () => {
  const { zoneName } = await service.zone();
  const name = `_acme-challenge.${zoneName}`;
  for (let time = 0; time < 2; time += 1) {
    expect(await acme(say('present', name))).toEqual([`${name} is served by every name server of ${zoneName}.`]);
    expect(await txt(name)).toEqual([VALUE]);
  }
  await acme(say('present', name, value('wildcard')));
  await acme(say('cleanup', name));
  await acme(say('cleanup', name));
  await expect.poll(() => txt(name)).toEqual([value('wildcard')]);
});

test('zonestead acme keeps all of 100 simultaneous values at one name', async () => {
  const { zoneName } = await service.zone();
  const name = `_acme-challenge.many.${zoneName}`;
  const values = Array.from({ length: 100 }, (_, index) => value(index));
  // Every caller has its own client and its own write queue, as separate processes have.
  await Promise.all(values.map((each) => acme(say('present', name, each))));
  expect(await txt(name)).toEqual(values.toSorted());
  await Promise.all(values.map((each) => acme(say('cleanup', name, each))));
  await expect.poll(() => txt(name)).toEqual([]);
}, 300_000);

test('zonestead acme follows a CNAME with a key that cannot see it, and prefers the name itself to a wildcard', async () => {
  const zone = await service.zone();
  const target = await service.zone();
  const key = await service.key({ manageZones: 'none', onlyTypes: ['TXT'] });
  const settings = { ZONESTEAD_API_KEY: key.text };
  await service.record(zone, '_acme-challenge.www', 'CNAME', `one.${target.zoneName}`);
  await service.record(zone, '*', 'CNAME', `two.${target.zoneName}`);
  await service.settled();
  const [delegated, own] = [`_acme-challenge.www.${zone.zoneName}`, `_acme-challenge.${zone.zoneName}`];
  await acme(say('present', delegated), settings);
  expect(await txt(`one.${target.zoneName}`)).toEqual([VALUE]);
  await acme(say('present', own), settings);
  expect(await txt(own)).toEqual([VALUE]);
  await acme(say('cleanup', delegated), settings);
  await acme(say('cleanup', own), settings);
  await expect.poll(() => txt(`one.${target.zoneName}`)).toEqual([]);
  expect(await txt(`two.${target.zoneName}`)).toEqual([]);
});

test('zonestead acme follows the CNAME of a name in the zone of another team', async () => {
  const stranger = await service.key({ team: 'stranger' });
  const theirs = await service.zone('theirs.example', stranger);
  const { zoneName } = await service.zone();
  const body = { name: '_acme-challenge', type: 'CNAME', content: `here.${zoneName}` };
  await service.request('POST', `/zones/${theirs.id}/records`, body, stranger.text);
  // The lookup waits until the name server has the CNAME.
  await service.dns.lookup('_acme-challenge.theirs.example', 'CNAME');
  await acme(say('present', '_acme-challenge.theirs.example'));
  expect(await txt(`here.${zoneName}`)).toEqual([VALUE]);
  await expect(acme(say('present', '_acme-challenge.other.theirs.example'))).rejects.toThrow(
    'No zone that this API key can see contains _acme-challenge.other.theirs.example, and there is no CNAME at that name.',
  );
});

test('zonestead acme waits for the time in Retry-After', async () => {
  const { zoneName } = await limited.zone('paced.example');
  const key = await limited.key({ recordWrites: 1 });
  await limited.sql`
      insert into write_windows (key_id, bucket, times) values (${key.id}, 'records', array[now() - interval '52 seconds'])`;
  const started = performance.now();
  const lines = await acme(say('present', zoneName), { ZONESTEAD_API_KEY: key.text }, limited);
  expect(performance.now() - started).toBeGreaterThan(1_000);
  expect(lines[0]).toContain('write limit');
  expect(await txt(zoneName, limited)).toEqual([VALUE]);
});

test('zonestead acme waits for every living node, and names the one that is behind', async () => {
  const { zoneName } = await service.zone();
  const { text } = await adminMintNodeKey(service.database.url, 'behind', {}, randomBytes, new Date());
  const feed = await openFeed(service.url, text, { node: 'behind' });
  await feed.until(({ kind }) => kind === 'list-end');
  feed.cut();
  const instance = randomUUID();
  const report = (cursor: string) =>
    fetch(`${service.url}/v1/feed/report`, {
      method: 'POST',
      headers: { authorization: `Bearer ${text}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        node: 'behind',
        instance,
        startedAt: '2026-01-01T00:00:00Z',
        version: '0',
        engine: 'none',
        cursor,
        zones: 1,
        failingCount: 0,
        failing: [],
      }),
    });
  await report(feed.cursor);
  try {
    await expect(
      acme(say('present', `_acme-challenge.${zoneName}`), { ZONESTEAD_PROPAGATION_TIMEOUT: '5' }),
    ).rejects.toThrow(/after 5 s: .*node behind has not applied the last change yet/);
  } finally {
    await service.sql`delete from nodes where name = 'behind'`;
  }
  await acme(say('present', `_acme-challenge.${zoneName}`));
});

test('zonestead acme fails with the name of the server that does not have the value', async () => {
  const { zoneName } = await service.zone();
  const at = `${service.dns.address}:${service.dns.port}`;
  const [first, second] = NAMESERVERS;
  const wrong = {
    ZONESTEAD_NAMESERVER_ADDRESSES: `${first}=${at},${second}=127.0.0.1:1`,
    ZONESTEAD_PROPAGATION_TIMEOUT: '5',
  };
  // On a busy machine, the other one may be late as well.
  await expect(acme(say('present', zoneName), wrong)).rejects.toThrow(
    new RegExp(
      `not every name server answers with it after 5 s: .*${second} \\(127\\.0\\.0\\.1\\) does not answer over UDP`,
    ),
  );
  // With a fixed wait, no name server is queried.
  expect(await acme(say('present', zoneName), { ...wrong, ZONESTEAD_PROPAGATION_SECONDS: '0' })).toEqual([]);
});

describe('as a program', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'zonestead-acme-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('as a program, zonestead acme reads its settings only from a file of mode 600, and passes on hyphens', async () => {
    const { zoneName } = await service.zone();
    const file = join(dir, 'credentials');
    const run = (...words: string[]) =>
      runCommand({
        command: process.execPath,
        args: [MAIN, 'acme', '--credentials', file, ...words],
        env: { PATH: process.env.PATH, ...COMPILED },
        timeoutMs: 60_000,
        signal,
      });
    const text = Object.entries(settingsOf(service)).map(([name, content]) => `${name}=${content}\n`);
    await writeFile(file, text.join(''), { mode: 0o644 });
    const refused = await run('present', zoneName, VALUE);
    expect(refused.code).toBe(1);
    expect(refused.tail).toContain(`chmod 600 ${file}`);
    await rm(file);
    await writeFile(file, text.join(''), { mode: 0o600 });
    expect((await run('present', zoneName, '--help')).tail).not.toContain('Usage');
    const done = await run('present', zoneName, VALUE);
    expect(done.tail).toBe(`${zoneName} is served by every name server of ${zoneName}.`);
    expect(await txt(zoneName)).toEqual(['--help', VALUE].sort());
  });
});
