// The configuration of an edge. That knotd obeys it is tested with a real one
// (test/integration/nameserver/edge/edge.test.ts).
import { expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { edgeConfiguration } from '#nameserver/edge/configuration.ts';
import { EDGE_SETTINGS } from '#nameserver/settings.ts';

const SECRET = Buffer.alloc(32, 's').toString('base64');
const configuration = (change: Record<string, string> = {}, version: string | null = '3.2.6') =>
  edgeConfiguration(
    readConfig(EDGE_SETTINGS, {
      ZONESTEAD_EDGE_PRIMARIES: 'node-0:53',
      ZONESTEAD_EDGE_TSIG_SECRET: `${SECRET}\n`,
      ZONESTEAD_NODE_NAME: 'edge-0',
      ZONESTEAD_KNOT_DISK: '1Gi',
      ...change,
    }),
    [{ address: '192.0.2.1', port: 53 }],
    version,
  );

test('the configuration of an edge has the databases within the size of the volume', () => {
  for (const line of [
    'journal-db-max-size: 716M',
    'timer-db-max-size: 51M',
    'catalog-db-max-size: 51M',
    'journal-max-usage: 358M',
  ])
    expect(configuration()).toContain(line);
  expect(() => configuration({ ZONESTEAD_KNOT_DISK: '63Mi' })).toThrow('must have at least 64 MiB');
});

test('the configuration of an edge limits the rate of answers, unless that is off', () => {
  const text = configuration({ ZONESTEAD_KNOT_RATE_LIMIT: '7', ZONESTEAD_KNOT_RATE_LIMIT_EXEMPT: '192.0.2.0/24' });
  expect(text).toContain('rate-limit: 7\n    slip: 1\n    whitelist: [ 192.0.2.0/24 ]');
  expect(text).toContain('global-module: [ mod-stats/default, mod-cookies/default, mod-rrl/default ]');
  expect(configuration({ ZONESTEAD_KNOT_RATE_LIMIT: '0' })).not.toContain('rrl');
  expect(configuration({ ZONESTEAD_KNOT_RATE_LIMIT: '7' }, '3.4.6')).toContain(
    'rate-limit: 7\n    slip: 1\n    instant-limit: 7\n    time-rate-limit: 0\n',
  );
});

test('the configuration of an edge makes the same cookies on all edges that have one key', () => {
  const cookies = (text: string) => /mod-cookies:\n.*\n {4}secret: (0x[0-9a-f]{32})\n/.exec(text)?.[1];
  const own = cookies(configuration());
  expect(own).toBeDefined();
  expect(cookies(configuration({ ZONESTEAD_NODE_NAME: 'edge-1' }))).toBe(own);
  expect(cookies(configuration({ ZONESTEAD_EDGE_TSIG_SECRET: Buffer.alloc(32, 't').toString('base64') }))).not.toBe(
    own,
  );
  expect(cookies(configuration({ ZONESTEAD_KNOT_COOKIE_SECRET: '0'.repeat(32) }))).toBe(`0x${'0'.repeat(32)}`);
});

test('the configuration of an edge is refused with a secret that is too short, and does not show it', () => {
  expect(() => configuration({ ZONESTEAD_EDGE_TSIG_SECRET: 'QUJD' })).toThrow(/32 octets or more in base64$/);
});

test('the configuration of an edge with pins transfers over TLS only, from nodes with these pins', () => {
  const pins = ['p', 'q'].map((letter) => Buffer.alloc(32, letter).toString('base64'));
  const over = (version: string | null) => configuration({ ZONESTEAD_EDGE_PRIMARY_PINS: pins.join(', ') }, version);
  expect(over('3.4.6')).toContain(`    tls: on\n    cert-key: [ ${pins.join(', ')} ]\n`);
  expect(configuration({}, '3.4.6')).not.toMatch(/tls: on|cert-key/);
  expect(() => over('3.2.6')).toThrow(
    'transfers over TLS need Knot DNS 3.4 or later, and this is 3.2.6: remove ZONESTEAD_EDGE_PRIMARY_PINS',
  );
  expect(() => over(null)).toThrow('this is an unknown version');
});

test('the configuration of an edge is refused with a malformed pin', () => {
  expect(() => configuration({ ZONESTEAD_EDGE_PRIMARY_PINS: 'cGlu' }, '3.4.6')).toThrow(
    /ZONESTEAD_EDGE_PRIMARY_PINS.*is wrong: the pin "cGlu" must be the SHA-256/,
  );
});
