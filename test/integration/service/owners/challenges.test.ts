// The owners and leases of challenge values that httpreq, acme-dns and `zonestead acme` add at one name. The test moves
// the clock of the api.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { realClock } from '#base/clock.ts';
import { runAcme } from '#cli/acme/acme.ts';
import { readOrder } from '#cli/acme/caller.ts';
import { ACME_SETTINGS } from '#cli/acme/settings.ts';
import { readConfig } from '#config.ts';
import type { OwnedSet } from '#contract/owners.ts';
import { COMPILED } from '../../../support/program/compiled.ts';
import type { TestKey } from '../../../support/service/keys.ts';
import { NAMESERVERS, startTestService } from '../../../support/service/service.ts';

// Each hook waits for the name servers, and one of them is a program of its own.
vi.setConfig({ testTimeout: 300_000 });

const MINUTE_MS = 60_000;
const MAIN = inject('program');
/** How far the api is ahead of the machine. */
let aheadMs = 0;
const now = () => new Date(Date.now() + aheadMs);
const service = await startTestService({ time: now });
const { request, dns, admin } = service;
const second = await service.key();
const VALUE = '-HDhK3oGRvkiefQnx7OOczTY5Tic_xZ6HcMOc_gmtoM';
const value = (seed: string | number) => createHash('sha256').update(String(seed)).digest('base64url');

const post = async (path: string, body: unknown, headers: Record<string, string>) => {
  const answer = await fetch(`${service.url}/acme${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, string> };
};
const httpreq = (verb: 'present' | 'cleanup', fqdn: string, text: string, key = admin) =>
  post(`/httpreq/${verb}`, { fqdn, value: text }, { authorization: `Bearer ${key.text}` });
const registered = async (zoneName: string) => {
  const authorization = `Basic ${Buffer.from(`${zoneName}:${admin.text}`).toString('base64')}`;
  const { body } = await post('/acme-dns/register', undefined, { authorization });
  const { username = '', password = '', subdomain = '', fulldomain = '' } = body;
  const update = (txt: string) =>
    post('/acme-dns/update', { subdomain, txt }, { 'x-api-user': username, 'x-api-key': password });
  return { username, fulldomain, subdomain, update };
};
const settings = (key: TestKey) => ({
  ZONESTEAD_URL: service.url,
  ZONESTEAD_API_KEY: key.text,
  ZONESTEAD_NAMESERVER_ADDRESSES: NAMESERVERS.map((name) => `${name}=${dns.address}:${dns.port}`).join(','),
  ZONESTEAD_RESOLVER: `${dns.address}:${dns.port}`,
});
const { signal } = new AbortController();
const hook = (verb: 'present' | 'cleanup', name: string, text: string, host = 'Web-1', time = now) =>
  runAcme(
    readOrder([verb, name, text], {}),
    {
      config: readConfig(ACME_SETTINGS, settings(second)),
      clock: realClock,
      now: time,
      host,
      random: () => 0,
      print: () => {},
    },
    signal,
  );

const owned = async (zone: { id: string }, prefix = 'acme:') => {
  const { body } = await request('GET', `/zones/${zone.id}/owners?prefix=${encodeURIComponent(prefix)}`);
  return body.owners as OwnedSet[];
};
const ownersOf = async (zone: { id: string }) => (await owned(zone)).map(({ owner }) => owner);
const txt = async (name: string) => (await dns.lookup(name, 'TXT')).answers.map((line) => line.split('"')[1]).sort();
const serialOf = async (zone: { id: string }) => (await request('GET', `/zones/${zone.id}`)).body.serial as number;
/** The time until a lease ends, in minutes, rounded up to 10. */
const leftOf = ({ expires }: OwnedSet) =>
  Math.ceil((Date.parse(expires ?? '') - now().getTime()) / MINUTE_MS / 10) * 10;

test('each writer has owners of its own at one name, shared and with a lease; a repetition only renews', async () => {
  const zone = await service.zone('owners.example');
  const name = `_acme-challenge.${zone.zoneName}`;
  await httpreq('present', name, VALUE);
  await hook('present', name, value('hook'));
  const { username, update, subdomain } = await registered(zone.zoneName);
  await update(value('acme-dns'));
  const sets = await owned(zone);
  expect(sets.map((set) => [set.owner, set.name, set.share, leftOf(set)])).toEqual([
    [`acme:acme-dns/${username}/${value('acme-dns')}`, subdomain, true, 720],
    [`acme:hook/web-1/${value('hook')}`, '_acme-challenge', true, 60],
    [`acme:httpreq/${admin.id}/${VALUE}`, '_acme-challenge', true, 60],
  ]);
  const serial = await serialOf(zone);
  aheadMs += 30 * MINUTE_MS;
  await httpreq('present', name, VALUE);
  await hook('present', name, value('hook'));
  await update(value('acme-dns'));
  expect((await owned(zone)).map(leftOf)).toEqual([720, 60, 60]);
  expect(await serialOf(zone)).toBe(serial);
  expect(await txt(name)).toEqual([VALUE, value('hook')].sort());
});

test('one value of several owners stays until the last of them has removed it', async () => {
  const zone = await service.zone('shared.example');
  const name = `_acme-challenge.${zone.zoneName}`;
  const isThere = async () => (await txt(name)).includes(VALUE);
  await Promise.all([
    httpreq('present', name, VALUE),
    httpreq('present', name, VALUE, second),
    hook('present', name, VALUE, 'web-1'),
    hook('present', name, VALUE, 'web-2'),
  ]);
  expect(await ownersOf(zone)).toHaveLength(4);
  for (let time = 0; time < 2; time += 1) expect((await httpreq('cleanup', name, VALUE)).status).toBe(200);
  expect(await isThere()).toBe(true);
  await hook('cleanup', name, VALUE, 'web-1');
  await hook('cleanup', name, VALUE, 'web-3');
  await httpreq('cleanup', name, VALUE, second);
  expect([await isThere(), await ownersOf(zone)]).toEqual([true, [`acme:hook/web-2/${VALUE}`]]);
  await hook('cleanup', name, VALUE, 'web-2');
  expect([await isThere(), await ownersOf(zone)]).toEqual([false, []]);
});

test('a value that another owner keeps is accepted, and stays after the clean-up', async () => {
  const zone = await service.zone('kept.example');
  const name = `_acme-challenge.${zone.zoneName}`;
  await service.record(zone, '_acme-challenge', 'TXT', VALUE, { ttl: 60 });
  const kept = value('kept');
  const set = { owner: 'k8s:prod/default/x', name: '_acme-challenge', type: 'TXT', values: [{ content: kept }] };
  await request('POST', `/zones/${zone.id}/records:apply`, { sets: [set] });
  for (const text of [VALUE, kept]) {
    expect((await httpreq('present', name, text)).status).toBe(200);
    expect((await httpreq('cleanup', name, text)).status).toBe(200);
    await hook('present', name, text);
    await hook('cleanup', name, text);
  }
  expect(await txt(name)).toEqual([VALUE, kept].sort());
  expect(await ownersOf(zone)).toEqual([]);
});

test('acme-dns replaces values of its own account alone', async () => {
  const zone = await service.zone('rolled.example');
  const { username, fulldomain, update, subdomain } = await registered(zone.zoneName);
  await service.record(zone, subdomain, 'TXT', 'by hand');
  await httpreq('present', fulldomain, VALUE);
  for (const seed of [1, 2, 1, 3]) expect((await update(value(seed))).status).toBe(200);
  expect(await txt(fulldomain)).toEqual(['by hand', VALUE, value(1), value(3)].sort());
  // A zone at its quota has room for a value that replaces another one.
  const { team } = admin;
  await service.sql`update teams set quota_records = (select sum(record_count) from zones where team_id = ${team}) where id = ${team}`;
  await service.sql`update zones set record_room = record_count where team_id = ${team}`;
  onTestFinished(async () => void (await service.sql`update teams set quota_records = null where id = ${team}`));
  expect((await update(value(4))).status).toBe(200);
  const refused = await httpreq('present', fulldomain, value('more'));
  expect(refused).toMatchObject({ status: 403, body: { error: 'forbidden' } });
  expect(JSON.stringify(refused.body)).not.toContain('sets');
  expect(
    (await owned(zone, `acme:acme-dns/${username}/`)).flatMap(({ records }) => records.map((r) => r.content)).sort(),
  ).toEqual([value(3), value(4)].sort());
});

test('a machine with a wrong clock is told so', async () => {
  const zone = await service.zone('clock.example');
  const early = () => new Date(now().getTime() - 120 * MINUTE_MS);
  await expect(hook('present', `_acme-challenge.${zone.zoneName}`, VALUE, 'web-1', early)).rejects.toThrow(
    /^The clock of this machine is wrong\. The service answers: expires: is /,
  );
});

test('values of clients that never clean up end by themselves, also after the kill of the hook', async () => {
  const zone = await service.zone('killed.example');
  const name = `_acme-challenge.${zone.zoneName}`;
  // The program runs on the clock of the machine.
  aheadMs = 0;
  const words = ['acme', '--propagation-seconds', '600', 'present', name, VALUE];
  const program = spawn(process.execPath, [MAIN, ...words], {
    env: { PATH: process.env.PATH, ...COMPILED, ...settings(second) },
    stdio: 'ignore',
  });
  const ended = once(program, 'exit');
  try {
    await expect.poll(() => txt(name), { timeout: 60_000 }).toEqual([VALUE]);
  } finally {
    program.kill('SIGKILL');
    await ended;
  }
  await httpreq('present', name, value('httpreq'));
  await httpreq('present', name, VALUE);
  const { fulldomain, update } = await registered(zone.zoneName);
  await update(value(1));
  // Minutes later the values are still there, and one of them is wanted again.
  aheadMs = 50 * MINUTE_MS;
  await httpreq('present', name, value('httpreq'));
  aheadMs = 70 * MINUTE_MS;
  await expect.poll(() => txt(name), { timeout: 60_000 }).toEqual([value('httpreq')]);
  expect(await txt(fulldomain)).toEqual([value(1)]);
  aheadMs = 721 * MINUTE_MS;
  await expect.poll(() => ownersOf(zone), { timeout: 60_000 }).toEqual([]);
  expect([await txt(name), await txt(fulldomain)]).toEqual([[], []]);
  const { body } = await request('GET', `/zones/${zone.id}/changes`);
  expect(body.changes).toContainEqual(
    expect.objectContaining({
      action: 'record.delete',
      keyId: 'service',
      owner: `acme:httpreq/${admin.id}/${value('httpreq')}`,
    }),
  );
});
