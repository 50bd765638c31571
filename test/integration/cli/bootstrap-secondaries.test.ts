// The secondaries of the chart's values: the bootstrap Job makes their Secrets and those of the service.
import { afterAll, expect, test } from 'vitest';
import { realClock } from '#base/clock.ts';
import { bootstrap } from '#cli/jobs/bootstrap.ts';
import { bootstrapOptions } from '#cli/jobs/options.ts';
import { applySecondaries, chartSecondaries, secondarySecrets } from '#cli/jobs/secondaries.ts';
import { SECRET } from '#kube/objects/secrets.ts';
import { adminListSecondaries, adminPutSecondary } from '#service/secondaries/administration.ts';
import type { Logger } from '#telemetry/log.ts';
import { memoryApi } from '../../support/kube/memory-api.ts';
import { cloneDatabase } from '../../support/postgres/database.ts';

const namespace = 'zonestead';
const database = await cloneDatabase();
afterAll(() => database.close());
const kube = memoryApi();
const { signal } = new AbortController();
const lines: string[] = [];
const log = {
  info: (_: unknown, line: string) => lines.push(line),
  warn: (facts: { zone?: string } | string, line = '') =>
    lines.push(typeof facts === 'string' ? facts : `${facts.zone}: ${line}`),
} as unknown as Logger;
const request = () => Promise.reject(new Error('no call'));
const context = { api: kube.api, request, namespace, clock: realClock, log };

const encoded = (text: string) => Buffer.from(text).toString('base64');
const give = (name: string, data: Record<string, string>) =>
  kube.put(SECRET, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, encoded(text)])),
  });
give('database', { uri: database.url });

const textsIn = (name: string): Record<string, string> => {
  const { data = {} } = (kube.objects.get(`secrets ${namespace}/${name}`) ?? {}) as { data?: Record<string, string> };
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64').toString()]));
};
const own = (name: string) => ({ name: `secondary-${name}`, key: 'secret', own: true });
const run = (values: readonly object[], timeout = '60') =>
  bootstrap(
    bootstrapOptions({
      database: 'external',
      databaseName: 'zonestead',
      urlSecret: 'database',
      urlKey: 'uri',
      team: 'platform',
      rotation: '',
      labels: 'a=b',
      secondaries: JSON.stringify(values),
      secondariesSecret: 'secondaries',
      timeout,
    }),
    context,
    signal,
  );
const listed = async () =>
  (await adminListSecondaries(database.url)).map(({ name, addresses, allZones, tsigSecret }) => ({
    name,
    address: `${addresses[0]?.address}:${addresses[0]?.port}`,
    allZones,
    tsigSecret,
  }));
const EU = { name: 'eu', addresses: ['198.51.100.53'], zones: 'all', secret: own('eu') };
const US = {
  name: 'us',
  addresses: ['[2001:db8::1]:5353'],
  zones: ['absent.example'],
  tsig: { name: 'us.test', algorithm: 'hmac-sha512' },
  secret: { name: 'given', key: 'tsig', own: false },
};

test('values without secondaries change nothing', async () => {
  const writes = kube.writes.length;
  await run([]);
  expect(kube.writes).toHaveLength(writes);
});

test('each secondary has its key in a Secret, made or given, and a second run changes nothing', async () => {
  const byHand = { name: 'hand', addresses: ['192.0.2.9'], zones: 'all' } as const;
  await adminPutSecondary(database.url, byHand, (bytes) => Buffer.alloc(bytes, 'h'), new Date());
  const secret = Buffer.alloc(64, 's').toString('base64');
  give('given', { tsig: `${secret}\n` });
  await run([EU, US]);
  const made = textsIn('secondary-eu');
  expect(made).toMatchObject({ name: 'eu.zonestead', algorithm: 'hmac-sha256' });
  expect(await listed()).toEqual([
    { name: 'eu', address: '198.51.100.53:53', allZones: true, tsigSecret: made.secret },
    { name: 'hand', address: '192.0.2.9:53', allZones: true, tsigSecret: Buffer.alloc(32, 'h').toString('base64') },
    { name: 'us', address: '2001:db8::1:5353', allZones: false, tsigSecret: secret },
  ]);
  expect(lines.join('\n')).toContain('absent.example: the zone does not exist');
  const writes = kube.writes.length;
  await run([EU, US]);
  expect(kube.writes).toHaveLength(writes);
  expect(textsIn('secondary-eu')).toEqual(made);
});

test('a secondary that leaves the values is removed, also after a run that ended early, and others stay', async () => {
  const parsed = chartSecondaries.parse(JSON.stringify([EU]));
  // It ends while the first secondary is applied, after the names were remembered.
  const ends = applySecondaries('postgres://nobody@127.0.0.1:1/none', parsed, 'secondaries', {}, context, signal);
  await expect(ends).rejects.toThrow('secondary eu of the values:');
  expect((await listed()).map(({ name }) => name)).toEqual(['eu', 'hand', 'us']);
  await run([EU]);
  expect((await listed()).map(({ name }) => name)).toEqual(['eu', 'hand']);
  expect(textsIn('secondaries')).toEqual({ names: 'eu' });
  await run([]);
  expect((await listed()).map(({ name }) => name)).toEqual(['hand']);
  // Its key is there for the next time.
  expect(textsIn('secondary-eu').secret).toMatch(/=$/);
});

test('a name of a Service is resolved', async () => {
  const parsed = chartSecondaries.parse(
    JSON.stringify([{ ...EU, addresses: ['edge-0.dns.svc:53', 'edge-1.dns.svc:5353'] }]),
  );
  await secondarySecrets(parsed, {}, context, signal);
  const resolve = async (host: string) => (host.startsWith('edge-0') ? '10.0.0.7' : '2001:db8::7');
  await applySecondaries(database.url, parsed, 'secondaries', {}, context, signal, resolve);
  const [eu] = await adminListSecondaries(database.url);
  expect(eu?.addresses).toEqual([
    { address: '10.0.0.7', port: 53 },
    { address: '2001:db8::7', port: 5353 },
  ]);
});

test.each([
  [
    'a Secret that is missing',
    { ...US, secret: { ...US.secret, name: 'nowhere' } },
    /secondary us of the values: Secret zonestead\/nowhere has no key tsig/,
  ],
  [
    'an address that does not resolve',
    { ...EU, addresses: ['edge.invalid'] },
    /secondary eu of the values: .*ENOTFOUND edge\.invalid/,
  ],
  [
    'a short secret',
    { ...EU, name: 'short', secret: { name: 'short', key: 'secret', own: false } },
    /secondary short of the values: .*32 octets or more/,
  ],
])('%s is named in the failure of the Job', async (_, value, message) => {
  give('short', { secret: 'QUJD' });
  await expect(run([value], '1')).rejects.toThrow(message);
  await run([]);
});

test('the option is refused if it is not a list of secondaries', () => {
  const options = {
    database: 'external',
    databaseName: 'z',
    urlSecret: 'u',
    urlKey: 'k',
    team: 't',
    rotation: '',
    labels: '',
    timeout: '60',
  };
  expect(() => bootstrapOptions({ ...options, secondaries: '[{"name":"eu"}]', secondariesSecret: 's' })).toThrow(
    /0\.addresses: /,
  );
  expect(() => bootstrapOptions({ ...options, secondaries: 'x', secondariesSecret: 's' })).toThrow(
    /must be a JSON list of secondaries/,
  );
  expect(() => bootstrapOptions({ ...options, secondaries: '[]' })).toThrow('--secondaries-secret is needed');
});
