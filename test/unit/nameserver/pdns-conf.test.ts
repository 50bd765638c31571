// pdns.conf as text: every question of the backend goes to schema pdns, and what must be off is off.
import { describe, expect, it } from 'vitest';
import { controlSocket, pdnsConf } from '../../../src/nameserver/pdns-conf.ts';

const settings = {
  database: { host: '127.0.0.1', port: 5433, name: 'zones', user: 'pdns', password: 'se=cret#1' },
  listen: { address: '127.0.0.1', port: 5300 },
  socketDir: '/run/pdns',
};
/** As PowerDNS reads it: name and value around the first `=`. */
function read(text: string): Map<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  const entries = lines.map((line): [string, string] => [
    line.slice(0, line.indexOf('=')),
    line.slice(line.indexOf('=') + 1),
  ]);
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  return new Map(entries);
}
const conf = read(pdnsConf(settings));

describe('pdns.conf', () => {
  it('connects as the given login and listens where it is told', () => {
    expect(conf.get('launch')).toBe('gpgsql');
    expect(conf.get('gpgsql-host')).toBe('127.0.0.1');
    expect(conf.get('gpgsql-port')).toBe('5433');
    expect(conf.get('gpgsql-dbname')).toBe('zones');
    expect(conf.get('gpgsql-user')).toBe('pdns');
    expect(conf.get('gpgsql-password')).toBe('se=cret#1');
    expect([conf.get('local-address'), conf.get('local-port')]).toEqual(['127.0.0.1', '5300']);
    expect(controlSocket(settings.socketDir)).toBe('/run/pdns/pdns.controlsocket');
    expect(conf.get('socket-dir')).toBe('/run/pdns');
  });

  it('asks functions of schema pdns only, so that it never changes with the tables', () => {
    const queries = [...conf].filter(([name]) => name.endsWith('-query'));
    expect(queries.length).toBeGreaterThanOrEqual(7);
    for (const [name, query] of queries) {
      expect([name, query]).toEqual([name, expect.stringMatching(/^select [a-z_, ]+ from pdns\.\w+\(\$1(, \$2)?\)$/)]);
    }
  });

  it.each(['basic', 'any-id', 'get-order-before', 'get-order-after', 'get-order-first', 'get-order-last'])(
    'overrides the %s query, whose default would be wrong or slow on views',
    (name) => {
      expect(conf.get(`gpgsql-${name}-query`)).toBeDefined();
    },
  );

  it('signs, and publishes what the parent needs', () => {
    expect(conf.get('gpgsql-dnssec')).toBe('yes');
    expect(conf.get('default-publish-cds')).toBe('2,4');
    expect(conf.get('default-publish-cdnskey')).toBe('1');
  });

  it('caches packets for 5 s at most, and nothing else for longer', () => {
    expect(Number(conf.get('cache-ttl'))).toBeLessThanOrEqual(5);
    for (const name of ['query-cache-ttl', 'negquery-cache-ttl', 'zone-cache-refresh-interval']) {
      expect([name, conf.get(name)]).toEqual([name, '0']);
    }
    for (const name of ['zone-metadata-cache-ttl', 'dnssec-key-cache-ttl']) {
      expect(Number(conf.get(name))).toBeLessThanOrEqual(5);
    }
  });

  it('gives nothing away: no transfers, no web server, no phone home, no version', () => {
    expect(conf.get('disable-axfr')).toBe('yes');
    expect([conf.get('webserver'), conf.get('api')]).toEqual(['no', 'no']);
    expect(conf.get('security-poll-suffix')).toBe('');
    expect(conf.get('version-string')).toBe('anonymous');
    expect(conf.get('expand-alias')).toBe('no');
  });

  it('turns a database that does not answer into SERVFAIL within half a second', () => {
    expect(conf.get('gpgsql-extra-connection-parameters')).toMatch(/connect_timeout=2 .*statement_timeout=500/);
  });

  it('has a receiver per core, two unless told otherwise', () => {
    expect(conf.get('receiver-threads')).toBe('2');
    expect(read(pdnsConf({ ...settings, receiverThreads: 8 })).get('receiver-threads')).toBe('8');
  });
});
