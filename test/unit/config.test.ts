// Settings from the environment: defaults, forms, secrets from files, and messages that name what is wrong.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DATABASE_SETTINGS } from '#base/postgres-settings.ts';
import { describeSettings, readConfig } from '#config.ts';
import { readCommands } from '../../docs/generate/commands.ts';
import { temporaryFolder } from '../support/runner/temporary.ts';

const folder = await temporaryFolder('config');
const one = (name: Parameters<typeof readConfig>[0][number], text?: string) =>
  readConfig([name], text === undefined ? {} : { [name]: text })[name];

test('a setting has its default where there is one', () => {
  expect(
    readConfig(
      [
        'ZONESTEAD_LOG_LEVEL',
        'ZONESTEAD_LISTEN',
        'ZONESTEAD_HEALTH_LISTEN',
        'ZONESTEAD_LIMITS',
        'ZONESTEAD_BUSY_AFTER_MS',
        'ZONESTEAD_NODE_COMPARE_MINUTES',
        'ZONESTEAD_KNOT_FOLDER',
      ],
      {},
    ),
  ).toEqual({
    ZONESTEAD_LOG_LEVEL: 'info',
    ZONESTEAD_LISTEN: { host: '*', port: 8080 },
    ZONESTEAD_HEALTH_LISTEN: { host: '*', port: 9090 },
    ZONESTEAD_LIMITS: true,
    ZONESTEAD_BUSY_AFTER_MS: 2_000,
    ZONESTEAD_NODE_COMPARE_MINUTES: 60,
    ZONESTEAD_KNOT_FOLDER: '/var/lib/zonestead/knot',
  });
});

test('a setting counts as not set when it is empty', () => {
  expect(one('ZONESTEAD_LOG_LEVEL', '')).toBe('info');
  expect(() => one('DATABASE_URL', '')).toThrow(/DATABASE_URL/);
});

test('a setting is host:port for an address, with IPv6 in brackets', () => {
  expect(one('ZONESTEAD_LISTEN', '127.0.0.1:81')).toEqual({ host: '127.0.0.1', port: 81 });
  expect(one('ZONESTEAD_LISTEN', '[::1]:81')).toEqual({ host: '::1', port: 81 });
  expect(one('ZONESTEAD_LISTEN', 'localhost:0')).toEqual({ host: 'localhost', port: 0 });
  for (const wrong of ['8080', ':8080', '127.0.0.1', '127.0.0.1:', 'a b:1', '::1:81:x', 'h:123456']) {
    expect(() => one('ZONESTEAD_LISTEN', wrong)).toThrow(/ZONESTEAD_LISTEN: must be host:port/);
  }
});

test('a setting is a list for name servers, in lower case, without final dots', () => {
  expect(one('ZONESTEAD_NAMESERVERS', 'NS1.Example.net., ns2.example.net')).toEqual([
    'ns1.example.net',
    'ns2.example.net',
  ]);
  for (const wrong of [',', 'ns1 example', 'a..b', 'http://ns1']) {
    expect(() => one('ZONESTEAD_NAMESERVERS', wrong)).toThrow(
      /ZONESTEAD_NAMESERVERS: must be comma-separated host names/,
    );
  }
});

test('a setting is a list in CIDR form for networks', () => {
  expect(one('ZONESTEAD_PARENT_NETWORKS', undefined)).toEqual([]);
  expect(one('ZONESTEAD_PARENT_NETWORKS', '10.0.0.0/8, FD00::/8, 192.0.2.1')).toEqual([
    '10.0.0.0/8',
    'fd00::/8',
    '192.0.2.1/32',
  ]);
  for (const wrong of ['10.0.0.1/8', '10.0.0.0/33', 'home']) {
    expect(() => one('ZONESTEAD_PARENT_NETWORKS', wrong)).toThrow(/ZONESTEAD_PARENT_NETWORKS: /);
  }
});

test('a setting is "allow" or a list for reserved names, in lower case, without final dots', () => {
  expect(one('ZONESTEAD_RESERVED_NAMES', undefined)).toEqual([]);
  expect(one('ZONESTEAD_RESERVED_NAMES', 'allow')).toBe('allow');
  expect(one('ZONESTEAD_RESERVED_NAMES', '10.in-addr.arpa, Home.arpa.')).toEqual(['10.in-addr.arpa', 'home.arpa']);
  for (const wrong of ['a..b', 'x y', 'http://local']) {
    expect(() => one('ZONESTEAD_RESERVED_NAMES', wrong)).toThrow(
      /ZONESTEAD_RESERVED_NAMES: must be "allow" or comma-separated names/,
    );
  }
});

test.each([
  ['ZONESTEAD_LISTEN', '[fe80::1%eth0]:8080', 'has the address fe80::1%eth0, which has a zone id'],
  ['ZONESTEAD_RESOLVER', '[::ffff:192.0.2.53]:53', 'is an IPv4 address in the form of IPv6; write 192.0.2.53'],
  ['ZONESTEAD_RESOLVER', '[fe80::1%eth0]:53', 'has a zone id'],
  ['ZONESTEAD_KNOT_LISTEN', '0.0.0.0,fe80::1%eth0', 'has the address fe80::1%eth0, which has a zone id'],
  ['ZONESTEAD_KNOT_LISTEN', '::ffff:192.0.2.1', 'is an IPv4 address in the form of IPv6; write 192.0.2.1'],
  ['ZONESTEAD_KNOT_LISTEN', 'eth0', 'must be comma-separated addresses'],
  ['ZONESTEAD_TRUSTED_PROXIES', '::ffff:10.0.0.0/104', 'write "10.0.0.0/8"'],
  ['ZONESTEAD_PARENT_NETWORKS', 'fe80::1%eth0', 'has a zone id'],
  ['ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT', '::ffff:192.0.2.1', 'write "192.0.2.1"'],
  [
    'ZONESTEAD_UPDATE_NAMESERVERS',
    '192.0.2.1:53,[fe80::1%eth0]:53',
    'has the address fe80::1%eth0, which has a zone id',
  ],
  ['ZONESTEAD_URL', 'http://[fe80::1%eth0]:8080', 'has the address fe80::1%eth0, which has a zone id'],
  ['ZONESTEAD_URL', 'http://[fe80::1%25eth0]', 'has a zone id, which has a meaning on one machine only'],
  ['ZONESTEAD_FEED_URL', 'https://[::ffff:192.0.2.1]:8443', 'is an IPv4 address in the form of IPv6; write 192.0.2.1'],
  ['DATABASE_URL', 'postgres://u:p@[::ffff:192.0.2.1]:5432/zones', 'in the form of IPv6; write 192.0.2.1'],
  ['DATABASE_URL', 'postgres://u:p@[fe80::1%eth0]:5432/zones', 'has the host fe80::1%eth0, which has a zone id'],
] as const)('%s=%s gets a sentence that says what to write', (name, value, sentence) => {
  expect(() => one(name, value)).toThrow(sentence);
});

test('the listeners of knotd are addresses in their one form, or all of the machine', () => {
  expect(one('ZONESTEAD_KNOT_LISTEN', undefined)).toEqual(['*']);
  expect(one('ZONESTEAD_KNOT_LISTEN', '192.0.2.1, 2001:DB8:0::1')).toEqual(['192.0.2.1', '2001:db8::1']);
});

test('a setting is a list of addresses and networks for trusted proxies', () => {
  expect(one('ZONESTEAD_TRUSTED_PROXIES', undefined)).toEqual([]);
  expect(one('ZONESTEAD_TRUSTED_PROXIES', '10.0.0.0/8, 192.0.2.1,2001:db8::/32,')).toEqual([
    '10.0.0.0/8',
    '192.0.2.1/32',
    '2001:db8::/32',
  ]);
  for (const wrong of [
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0',
    'proxy.example',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.1.0.0/8',
    '*',
  ]) {
    expect(() => one('ZONESTEAD_TRUSTED_PROXIES', wrong)).toThrow(
      /ZONESTEAD_TRUSTED_PROXIES: .*(not a network|behind its prefix)/,
    );
  }
});

test('a setting is one of two headers of trusted proxies', () => {
  expect(one('ZONESTEAD_PROXY_HEADER', undefined)).toBe('X-Forwarded-For');
  expect(one('ZONESTEAD_PROXY_HEADER', 'Forwarded')).toBe('Forwarded');
  expect(() => one('ZONESTEAD_PROXY_HEADER', 'X-Real-IP')).toThrow(/ZONESTEAD_PROXY_HEADER: .*X-Forwarded-For/);
});

test('a setting is a number for bytes, with or without a unit of Kubernetes', () => {
  expect(one('ZONESTEAD_QUOTA_BYTES', undefined)).toBe(1_073_741_824);
  expect(one('ZONESTEAD_QUOTA_BYTES', '1000')).toBe(1_000);
  expect(one('ZONESTEAD_QUOTA_BYTES', '512Mi')).toBe(536_870_912);
  for (const wrong of ['1G', '1.5Gi', '-1', 'x', '9000Ti']) {
    expect(() => one('ZONESTEAD_QUOTA_BYTES', wrong)).toThrow(/ZONESTEAD_QUOTA_BYTES: must be/);
  }
});

test('a setting has generous defaults for quotas and retention', () => {
  const quotas = ['ZONES', 'RECORDS', 'KEYS', 'MEMBERS'] as const;
  expect(quotas.map((kind) => one(`ZONESTEAD_QUOTA_${kind}`))).toEqual([1_000, 500_000, 200, 200]);
  expect(one('ZONESTEAD_HISTORY_DAYS')).toBe(400);
  expect(one('ZONESTEAD_HISTORY_BYTES')).toBe(134_217_728);
  expect(one('ZONESTEAD_IDEMPOTENCY_HOURS')).toBe(24);
  expect(one('ZONESTEAD_QUARANTINE_HOURS')).toBe(72);
});

test('a setting is a whole number within its bounds', () => {
  expect(one('ZONESTEAD_BUSY_AFTER_MS', '500')).toBe(500);
  for (const wrong of ['9', '60001', '1.5', 'x', '-1']) {
    expect(() => one('ZONESTEAD_BUSY_AFTER_MS', wrong)).toThrow(/ZONESTEAD_BUSY_AFTER_MS/);
  }
});

test('a setting is on or off for limits', () => {
  expect([one('ZONESTEAD_LIMITS', 'on'), one('ZONESTEAD_LIMITS', 'off')]).toEqual([true, false]);
  expect(() => one('ZONESTEAD_LIMITS', 'true')).toThrow(/ZONESTEAD_LIMITS/);
});

test('a setting is a text without slashes for the owner id of external-dns, because owners of two ids must not begin alike', () => {
  expect(one('ZONESTEAD_EXTERNAL_DNS_OWNER_ID', 'Prod-eu.1')).toBe('Prod-eu.1');
  for (const wrong of ['prod/eu', 'prod eu', 'ö', 'x'.repeat(64)])
    expect(() => one('ZONESTEAD_EXTERNAL_DNS_OWNER_ID', wrong)).toThrow(/must be 1 to 63 letters.*for instance prod/);
});

test('a setting is an address with http or https for a service', () => {
  expect(one('ZONESTEAD_URL', 'http://api.zonestead.svc:8080')).toBe('http://api.zonestead.svc:8080');
  for (const wrong of ['api:8080', 'ftp://api', '/v1'])
    expect(() => one('ZONESTEAD_URL', wrong)).toThrow(/ZONESTEAD_URL/);
  expect(() => one('DATABASE_URL', 'mysql://x')).toThrow(/DATABASE_URL: must be postgres:/);
});

test('a setting names several servers for the database of the api', () => {
  const several = 'postgres://u:p@a:5432,b:5433/z?sslmode=verify-full&target_session_attrs=read-write';
  expect(one('DATABASE_URL', several)).toBe(several);
  expect(() => one('DATABASE_URL', 'postgres://u:p@a,a/z')).toThrow(/DATABASE_URL: names a:5432 twice/);
});

const read = (names: Parameters<typeof readConfig>[0], more: Record<string, string>) =>
  readConfig(names, { DATABASE_URL: 'postgres://u:p@db.example.net/z', ...more }).DATABASE_URL;

test.each([[['DATABASE_URL']], [DATABASE_SETTINGS]] as const)(
  'the address of the database has the protection of the other settings, also for a command that reads %j alone',
  (names) => {
    expect(() => read(names, {})).toThrow(/DATABASE_URL: has sslmode=disable, the default, for db\.example\.net:5432/);
    expect(read(names, { ZONESTEAD_DATABASE_WITHOUT_TLS: 'allow' })).toBe('postgres://u:p@db.example.net/z');
    expect(read(names, { ZONESTEAD_DATABASE_CA: '/ca.crt' })).toBe(
      'postgres://u:p@db.example.net/z?sslrootcert=%2Fca.crt&sslmode=verify-full',
    );
  },
);

test('the address of the database has its other settings in the help of every command that reads it', async () => {
  const readers = (await readCommands()).filter(({ command }) => command.settings?.includes('DATABASE_URL'));
  expect(readers.length).toBeGreaterThan(20);
  for (const { path, command } of readers)
    expect([path, ...(command.settings ?? [])]).toEqual(expect.arrayContaining([...DATABASE_SETTINGS]));
});

test('the settings of the console map groups to teams and roles', () => {
  expect(one('ZONESTEAD_OIDC_TEAMS', 'ops=platform:owner, dev=web team')).toEqual([
    { group: 'ops', team: 'platform', role: 'owner' },
    { group: 'dev', team: 'web team', role: 'member' },
  ]);
  expect(one('ZONESTEAD_OIDC_TEAMS')).toEqual([]);
  for (const wrong of ['ops', '=x', 'ops=', 'ops=x:admin', 'ops=x:owner:y']) {
    expect(() => one('ZONESTEAD_OIDC_TEAMS', wrong)).toThrow(
      /ZONESTEAD_OIDC_TEAMS: must be comma-separated rules of the form group=team/,
    );
  }
});

test('the settings of the console take distinguished names of groups as JSON, and never as several groups', () => {
  const group = 'cn=dns,ou=groups,dc=corp';
  const rules = { [group]: 'platform:owner', dev: ['web', 'platform'] };
  expect(one('ZONESTEAD_OIDC_TEAMS', JSON.stringify(rules))).toEqual([
    { group, team: 'platform', role: 'owner' },
    { group: 'dev', team: 'web', role: 'member' },
    { group: 'dev', team: 'platform', role: 'member' },
  ]);
  for (const wrong of [`${group}=platform:owner`, 'cn=dev=web', '{"a": 1}', '{"": "x"}', '{"a": "x:admin"}', '{"a"']) {
    expect(() => one('ZONESTEAD_OIDC_TEAMS', wrong)).toThrow(/ZONESTEAD_OIDC_TEAMS: .*A group with "=" or "," needs/);
  }
});

test('the settings of the console trust only addresses that the provider calls verified, unless ZONESTEAD_OIDC_TRUST_EMAIL is on', () => {
  expect([one('ZONESTEAD_OIDC_TRUST_EMAIL'), one('ZONESTEAD_OIDC_TRUST_EMAIL', 'on')]).toEqual([false, true]);
  expect(() => one('ZONESTEAD_OIDC_TRUST_EMAIL', 'yes')).toThrow(/ZONESTEAD_OIDC_TRUST_EMAIL/);
});

test('the settings of the console take an address without path, and a session key that is long enough', () => {
  expect(one('ZONESTEAD_CONSOLE_URL', 'https://DNS.example.net/')).toBe('https://dns.example.net');
  for (const wrong of ['dns.example.net', 'https://dns.example.net/x', 'https://u:p@dns.example.net', 'ftp://x']) {
    expect(() => one('ZONESTEAD_CONSOLE_URL', wrong)).toThrow(/ZONESTEAD_CONSOLE_URL/);
  }
  expect(() => one('ZONESTEAD_SESSION_KEY', 'short')).toThrow(/at least 32 characters/);
  expect(() => one('ZONESTEAD_OIDC_SCOPES', 'email')).toThrow(/must contain openid/);
});

test('a secret can come from a file, without the line end, and the variable itself has precedence', async () => {
  const file = join(folder, 'key');
  await writeFile(file, 'zonestead_nk_1\n');
  expect(readConfig(['ZONESTEAD_NODE_KEY'], { ZONESTEAD_NODE_KEY_FILE: file })).toEqual({
    ZONESTEAD_NODE_KEY: 'zonestead_nk_1',
  });
  const both = { ZONESTEAD_NODE_KEY_FILE: file, ZONESTEAD_NODE_KEY: 'direct' };
  expect(readConfig(['ZONESTEAD_NODE_KEY'], both)).toEqual({ ZONESTEAD_NODE_KEY: 'direct' });
});

test('a secret stays in its file if the process reads it again while it runs', async () => {
  const file = join(folder, 'key');
  await writeFile(file, 'yk_from_file\n');
  const environment = { ZONESTEAD_API_KEY_FILE: file };
  expect(readConfig(['ZONESTEAD_API_KEY'], environment)).toEqual({ ZONESTEAD_API_KEY: { file } });
  const both = { ...environment, ZONESTEAD_API_KEY: 'yk_direct' };
  expect(readConfig(['ZONESTEAD_API_KEY'], both)).toEqual({ ZONESTEAD_API_KEY: 'yk_direct' });
  await writeFile(file, '\n');
  expect(() => readConfig(['ZONESTEAD_API_KEY'], environment)).toThrow(`ZONESTEAD_API_KEY_FILE: ${file} is empty.`);
});

test('a secret never appears in a message', () => {
  expect(() => one('DATABASE_URL', 'postgre://user:hunter2@host/db')).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
  );
});

test('a secret appears by name in the message if its file cannot be read', () => {
  const environment = { DATABASE_URL_FILE: '/nowhere/uri' };
  expect(() => readConfig(['DATABASE_URL', 'ZONESTEAD_URL'], environment)).toThrow(
    'DATABASE_URL_FILE: /nowhere/uri cannot be read (ENOENT). ZONESTEAD_URL is missing.',
  );
});

test('a secret is the only kind of setting that can come from a file', async () => {
  const file = join(folder, 'level');
  await writeFile(file, 'debug');
  expect(readConfig(['ZONESTEAD_LOG_LEVEL'], { ZONESTEAD_LOG_LEVEL_FILE: file })).toEqual({
    ZONESTEAD_LOG_LEVEL: 'info',
  });
});

const all = describeSettings();

test('the table of settings describes each setting in complete sentences', () => {
  const wrong = all.filter(({ description }) => !/^[A-Z`k].{15,}\.$/.test(description));
  expect(wrong.map(({ name }) => name)).toEqual([]);
});

test.each(all.filter((setting) => setting.default !== null))(
  'the table of settings has a default for $name that the form accepts',
  (setting) => {
    const written = readConfig([setting.name], { [setting.name]: setting.default ?? '' });
    expect(readConfig([setting.name], {})).toEqual(written);
  },
);

test('the table of settings says for each other setting that it is required, or how the program behaves without it', () => {
  for (const { name, default: preset, otherwise, isRequired } of all) {
    expect([name, [preset !== null, otherwise !== null, isRequired].filter(Boolean).length]).toEqual([name, 1]);
  }
  expect(all.filter(({ isRequired }) => isRequired).map(({ name }) => name)).toEqual([
    'DATABASE_URL',
    'ZONESTEAD_NAMESERVERS',
    'ZONESTEAD_FEED_URL',
    'ZONESTEAD_NODE_KEY',
    'ZONESTEAD_NODE_NAME',
    'ZONESTEAD_EDGE_PRIMARIES',
    'ZONESTEAD_EDGE_TSIG_SECRET',
    'ZONESTEAD_URL',
    'ZONESTEAD_API_KEY',
    'ZONESTEAD_EXTERNAL_DNS_OWNER_ID',
    'ZONESTEAD_CANARY_ZONE',
  ]);
});

test('one message names everything that is missing or wrong', () => {
  const environment = { ZONESTEAD_LISTEN: 'nowhere', ZONESTEAD_LIMITS: 'on' };
  expect(() =>
    readConfig(['DATABASE_URL', 'ZONESTEAD_NAMESERVERS', 'ZONESTEAD_LISTEN', 'ZONESTEAD_LIMITS'], environment),
  ).toThrow(/DATABASE_URL is missing.*ZONESTEAD_NAMESERVERS is missing.*ZONESTEAD_LISTEN: must be host:port/);
});

test('a command gets its own settings only', () => {
  expect(readConfig(['ZONESTEAD_LOG_LEVEL'], { ZONESTEAD_LISTEN: 'wrong', ZONESTEAD_LOG_LEVEL: 'warn' })).toEqual({
    ZONESTEAD_LOG_LEVEL: 'warn',
  });
});
