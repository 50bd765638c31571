// pdns.conf as text: the backend queries schema pdns only, and risky features are off.
import { describe, expect, it } from 'vitest';
import { controlSocket, pdnsConf } from '#nameserver/companion/pdns-conf.ts';

const settings = {
  database: { host: '127.0.0.1', port: 5433, name: 'zones', user: 'pdns', password: 'se=cret#1' },
  listen: { address: '127.0.0.1', port: 5300 },
  socketDir: '/run/pdns',
};
/** Reads the file as PowerDNS does: name and value around the first `=`. */
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
  it('connects with the given login and listens on the given address', () => {
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

  it('calls functions of schema pdns only, so that it does not depend on the tables', () => {
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

  it('signs, and publishes CDS and CDNSKEY for the parent', () => {
    expect(conf.get('gpgsql-dnssec')).toBe('yes');
    expect(conf.get('default-publish-cds')).toBe('2,4');
    expect(conf.get('default-publish-cdnskey')).toBe('1');
  });

  it('caches packets and other data for 5 s at most', () => {
    expect(Number(conf.get('cache-ttl'))).toBeLessThanOrEqual(5);
    for (const name of ['query-cache-ttl', 'negquery-cache-ttl', 'zone-cache-refresh-interval']) {
      expect([name, conf.get(name)]).toEqual([name, '0']);
    }
    for (const name of ['zone-metadata-cache-ttl', 'dnssec-key-cache-ttl']) {
      expect(Number(conf.get(name))).toBeLessThanOrEqual(5);
    }
  });

  it('allows no transfers, has no web server, reports to no vendor and hides its version', () => {
    expect(conf.get('disable-axfr')).toBe('yes');
    expect([conf.get('webserver'), conf.get('api')]).toEqual(['no', 'no']);
    expect(conf.get('security-poll-suffix')).toBe('');
    expect(conf.get('version-string')).toBe('anonymous');
    expect(conf.get('expand-alias')).toBe('no');
  });

  it('turns a database that does not answer into SERVFAIL within half a second', () => {
    expect(conf.get('gpgsql-extra-connection-parameters')).toMatch(/connect_timeout=2 .*statement_timeout=500/);
  });

  it('has one receiver per core, two by default', () => {
    expect(conf.get('receiver-threads')).toBe('2');
    expect(read(pdnsConf({ ...settings, receiverThreads: 8 })).get('receiver-threads')).toBe('8');
  });
});
