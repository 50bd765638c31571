// The command `zonestead canary`: as a process that runs, by hand with --once, and as its page says.
import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import { startCommand } from '../../../deploy/local/parts/command.ts';
import { allocatePorts } from '../../../deploy/local/parts/ports.ts';
import { startRelay } from '../../support/dns/relay.ts';
import { walk } from '../../support/doors/walk.ts';
import { zonestead } from '../../support/program/command-line.ts';
import { temporaryFolder } from '../../support/runner/temporary.ts';
import { NAMESERVERS, startTestService } from '../../support/service/service.ts';
import { untilIs } from '../../support/time/until.ts';

const service = await startTestService();
const relay = await startRelay(service.servers[0] as (typeof service.servers)[0], 'zonestead-canary');
afterAll(() => relay.close());
afterEach(() => {
  relay.udp = 'pass';
  vi.unstubAllEnvs();
});

const zone = await service.zone('measured.example');
const key = await service.key({
  ...{ records: 'none', manageZones: 'none', clusters: 'none', grants: { [zone.id]: 'write' } },
  ...{ onlyNames: ['canary*'], onlyTypes: ['TXT'] },
});
const ADDRESSES = NAMESERVERS.map(
  (name, at) => `${name}=127.0.0.1:${at === 0 ? service.servers[0]?.port : relay.port}`,
).join(',');
const env = {
  ZONESTEAD_URL: service.url,
  ZONESTEAD_API_KEY: key.text,
  ZONESTEAD_NAMESERVER_ADDRESSES: ADDRESSES,
  ZONESTEAD_CANARY_ZONE: zone.zoneName,
  ZONESTEAD_CANARY_LIMIT_SECONDS: '5',
};
const names = async () => {
  const { body } = await service.request('GET', `/zones/${zone.id}/records`);
  return (body.records as { name: string }[]).map(({ name }) => name);
};
const once = (more: Record<string, string> = {}) => {
  for (const [name, value] of Object.entries({ ...env, ...more })) vi.stubEnv(name, value);
  return zonestead('canary', '--once');
};

test('--once prints a line for each address and transport, exits with 0, and leaves no record', async () => {
  const { code, out, err } = await once();
  expect([code, err]).toEqual([0, '']);
  const lines = out.split('\n');
  expect(lines[0]).toMatch(/^NAME SERVER +ADDRESS +TRANSPORT +RIGHT +PROBLEM$/);
  expect(lines.slice(1, 5).map((line) => line.replace(/ +/g, ' '))).toEqual(
    [service.servers[0]?.port, relay.port].flatMap((port, at) =>
      ['udp', 'tcp'].map((transport) => `${NAMESERVERS[at]} 127.0.0.1:${port} ${transport} 9 of 9 -`),
    ),
  );
  expect(out).toMatch(/All addresses answered the change \d+\.\d\d s after the service had made it\.\n$/);
  expect(await names()).toEqual([]);
});

test('--once exits with 1 and names the address that does not answer, and a service that refuses', async () => {
  relay.udp = 'silent';
  const silent = await once();
  expect(silent.code).toBe(1);
  expect(silent.out).toMatch(new RegExp(`127\\.0\\.0\\.1:${relay.port} +udp +0 of 9 +does not answer`));
  expect(silent.out).toContain('Not all addresses answered the change within 5 s.');
  relay.udp = 'pass';
  const refused = await once({ ZONESTEAD_API_KEY: 'yk_wrong' });
  expect(refused).toMatchObject({ code: 1, out: '' });
  expect(refused.err).toContain('The service does not accept the key of the canary');
  const blind = await once({ ZONESTEAD_CANARY_ZONE: 'unknown.example' });
  expect(blind.err).toContain('zonestead zones create unknown.example');
});

test('the command names each setting that is missing or wrong', async () => {
  const { code, err } = await once({ ZONESTEAD_CANARY_ZONE: '', ZONESTEAD_CANARY_NAME: 'a.b' });
  expect(code).toBe(1);
  expect(err).toContain('ZONESTEAD_CANARY_ZONE is missing');
  expect(err).toContain('ZONESTEAD_CANARY_NAME: must be one label');
});

test('the process serves its metrics, is ready when it knows its zone, and removes its record when it stops', async () => {
  const stateDir = await temporaryFolder('canary');
  const { health } = await allocatePorts([{ name: 'health' }], { stateDir });
  const part = await startCommand({
    ...{ name: 'canary', main: inject('program'), healthPort: health as number, stateDir },
    env: { ...env, ZONESTEAD_CANARY_CHANGE_SECONDS: '5', ZONESTEAD_CANARY_QUERY_SECONDS: '1' },
    signal: new AbortController().signal,
  });
  try {
    const metrics = async () => (await fetch(`http://127.0.0.1:${health}/metrics`)).text();
    const answered = /^zonestead_canary_changes_total\{result="answered"\} [1-9]/m;
    await untilIs('a change', metrics, (text) => answered.test(text));
    const text = await metrics();
    expect(text).toMatch(/^zonestead_build_info\{component="canary"/m);
    expect(text).toContain(
      `zonestead_canary_queries_total{address="127.0.0.1:${relay.port}",transport="tcp",result="bogus"} 0`,
    );
    const ready = await fetch(`http://127.0.0.1:${health}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ok: true, checks: { zone: 'known', service: 'ok' } }]);
    expect(await names()).toEqual(['canary']);
    // Another measurement by hand leaves the record of the process alone.
    expect((await once()).code).toBe(0);
    expect(await names()).toEqual(['canary']);
  } finally {
    await part.stop();
  }
  expect(await names()).toEqual([]);
});

test('a reader measures once, and makes a key for a canary in another region', async () => {
  const reader = await service.key({ team: 'canary' });
  const own = { ZONE_ID: '' };
  const folder = await temporaryFolder('canary-page');
  const settings = {
    ...{ ZONESTEAD_URL: service.url, ZONESTEAD_API_KEY: reader.text, ZONESTEAD_NAMESERVER_ADDRESSES: ADDRESSES },
  };
  const central = await service.zone('central.example', reader);
  await walk('canary', { service, folder, own: { ...own, ZONE_ID: central.id }, env: settings });
  const { body } = await service.request('GET', '/zones?zoneName=canary.example', undefined, reader.text);
  expect(body.zones).toHaveLength(1);
  const [row] = await service.sql`select only_names, only_types, records from api_keys where name = 'canary-eu'`;
  expect(row).toEqual({ only_names: ['canary-eu*'], only_types: ['TXT'], records: 'none' });
});
