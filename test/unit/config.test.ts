// Settings from the environment: defaults, forms, secrets from files, and messages that name what is wrong.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { temporaryFolder } from '../support/temporary.ts';

const folder = await temporaryFolder('config');
const one = (name: Parameters<typeof readConfig>[0][number], text?: string) =>
  readConfig([name], text === undefined ? {} : { [name]: text })[name];

describe('a setting', () => {
  it('has its default where there is one', () => {
    expect(
      readConfig(
        [
          'ZONESTEAD_LOG_LEVEL',
          'ZONESTEAD_LISTEN',
          'ZONESTEAD_HEALTH_LISTEN',
          'ZONESTEAD_LIMITS',
          'ZONESTEAD_BUSY_AFTER_MS',
          'ZONESTEAD_POLL_MS',
          'ZONESTEAD_PDNS_SOCKET',
        ],
        {},
      ),
    ).toEqual({
      ZONESTEAD_LOG_LEVEL: 'info',
      ZONESTEAD_LISTEN: { host: '0.0.0.0', port: 8080 },
      ZONESTEAD_HEALTH_LISTEN: { host: '0.0.0.0', port: 9090 },
      ZONESTEAD_LIMITS: true,
      ZONESTEAD_BUSY_AFTER_MS: 2_000,
      ZONESTEAD_POLL_MS: 25,
      ZONESTEAD_PDNS_SOCKET: '/run/pdns/pdns.controlsocket',
    });
  });

  it('that is empty counts as not set', () => {
    expect(one('ZONESTEAD_LOG_LEVEL', '')).toBe('info');
    expect(() => one('DATABASE_URL', '')).toThrow(/DATABASE_URL/);
  });

  it('of an address is host:port, with IPv6 in brackets', () => {
    expect(one('ZONESTEAD_LISTEN', '127.0.0.1:81')).toEqual({ host: '127.0.0.1', port: 81 });
    expect(one('ZONESTEAD_LISTEN', '[::1]:81')).toEqual({ host: '::1', port: 81 });
    expect(one('ZONESTEAD_LISTEN', 'localhost:0')).toEqual({ host: 'localhost', port: 0 });
    for (const wrong of ['8080', ':8080', '127.0.0.1', '127.0.0.1:', 'a b:1', '::1:81:x', 'h:123456']) {
      expect(() => one('ZONESTEAD_LISTEN', wrong)).toThrow(/ZONESTEAD_LISTEN: must be host:port/);
    }
  });

  it('of name servers is a list, in lower case, without final dots', () => {
    expect(one('ZONESTEAD_NAMESERVERS', 'NS1.Example.net., ns2.example.net')).toEqual([
      'ns1.example.net',
      'ns2.example.net',
    ]);
    for (const wrong of [',', 'ns1 example', 'a..b', 'http://ns1']) {
      expect(() => one('ZONESTEAD_NAMESERVERS', wrong)).toThrow(/ZONESTEAD_NAMESERVERS: must be host names/);
    }
  });

  it('of a number is whole and within its bounds', () => {
    expect(one('ZONESTEAD_BUSY_AFTER_MS', '500')).toBe(500);
    for (const wrong of ['9', '60001', '1.5', 'x', '-1']) {
      expect(() => one('ZONESTEAD_BUSY_AFTER_MS', wrong)).toThrow(/ZONESTEAD_BUSY_AFTER_MS/);
    }
  });

  it('of limits is on or off', () => {
    expect([one('ZONESTEAD_LIMITS', 'on'), one('ZONESTEAD_LIMITS', 'off')]).toEqual([true, false]);
    expect(() => one('ZONESTEAD_LIMITS', 'true')).toThrow(/ZONESTEAD_LIMITS/);
  });

  it('of a service is an address of http or https', () => {
    expect(one('ZONESTEAD_URL', 'http://api.zonestead.svc:8080')).toBe('http://api.zonestead.svc:8080');
    for (const wrong of ['api:8080', 'ftp://api', '/v1'])
      expect(() => one('ZONESTEAD_URL', wrong)).toThrow(/ZONESTEAD_URL/);
    expect(() => one('DATABASE_URL', 'mysql://x')).toThrow(/DATABASE_URL: must be postgres:/);
  });
});

describe('the settings of the console', () => {
  it('name groups and the teams and roles that they give', () => {
    expect(one('ZONESTEAD_OIDC_TEAMS', 'ops=platform:owner, cn=dev=web team')).toEqual([
      { group: 'ops', team: 'platform', role: 'owner' },
      { group: 'cn=dev', team: 'web team', role: 'member' },
    ]);
    expect(one('ZONESTEAD_OIDC_TEAMS')).toEqual([]);
    for (const wrong of ['ops', '=x', 'ops=', 'ops=x:admin', 'ops=x:owner:y']) {
      expect(() => one('ZONESTEAD_OIDC_TEAMS', wrong)).toThrow(/ZONESTEAD_OIDC_TEAMS: must be group=team/);
    }
  });

  it('take an address without path, and a session key that is long enough', () => {
    expect(one('ZONESTEAD_CONSOLE_URL', 'https://DNS.example.net/')).toBe('https://dns.example.net');
    for (const wrong of ['dns.example.net', 'https://dns.example.net/x', 'https://u:p@dns.example.net', 'ftp://x']) {
      expect(() => one('ZONESTEAD_CONSOLE_URL', wrong)).toThrow(/ZONESTEAD_CONSOLE_URL/);
    }
    expect(() => one('ZONESTEAD_SESSION_KEY', 'short')).toThrow(/at least 32 characters/);
    expect(() => one('ZONESTEAD_OIDC_SCOPES', 'email')).toThrow(/must contain openid/);
  });
});

describe('a secret', () => {
  it('may come from a file, without the line end; the variable itself wins', async () => {
    const file = join(folder, 'key');
    await writeFile(file, 'yk_from_file\n');
    expect(readConfig(['ZONESTEAD_API_KEY'], { ZONESTEAD_API_KEY_FILE: file })).toEqual({
      ZONESTEAD_API_KEY: 'yk_from_file',
    });
    const both = { ZONESTEAD_API_KEY_FILE: file, ZONESTEAD_API_KEY: 'yk_direct' };
    expect(readConfig(['ZONESTEAD_API_KEY'], both)).toEqual({ ZONESTEAD_API_KEY: 'yk_direct' });
  });

  it('is never said in a message', () => {
    expect(() => one('DATABASE_URL', 'postgre://user:hunter2@host/db')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });

  it('a file that cannot be read is named beside everything else that is wrong', () => {
    const environment = { DATABASE_URL_FILE: '/nowhere/uri' };
    expect(() => readConfig(['DATABASE_URL', 'ZONESTEAD_URL'], environment)).toThrow(
      'DATABASE_URL_FILE: /nowhere/uri cannot be read (ENOENT). ZONESTEAD_URL is missing.',
    );
  });

  it('is the only kind of setting that comes from a file', async () => {
    const file = join(folder, 'level');
    await writeFile(file, 'debug');
    expect(readConfig(['ZONESTEAD_LOG_LEVEL'], { ZONESTEAD_LOG_LEVEL_FILE: file })).toEqual({
      ZONESTEAD_LOG_LEVEL: 'info',
    });
  });
});

it('everything that is missing or wrong is named at once', () => {
  const environment = { ZONESTEAD_LISTEN: 'nowhere', ZONESTEAD_LIMITS: 'on' };
  expect(() =>
    readConfig(['DATABASE_URL', 'ZONESTEAD_NAMESERVERS', 'ZONESTEAD_LISTEN', 'ZONESTEAD_LIMITS'], environment),
  ).toThrow(/DATABASE_URL is missing.*ZONESTEAD_NAMESERVERS is missing.*ZONESTEAD_LISTEN: must be host:port/);
});

it('a command gets its own settings only', () => {
  expect(readConfig(['ZONESTEAD_LOG_LEVEL'], { ZONESTEAD_LISTEN: 'wrong', ZONESTEAD_LOG_LEVEL: 'warn' })).toEqual({
    ZONESTEAD_LOG_LEVEL: 'warn',
  });
});
