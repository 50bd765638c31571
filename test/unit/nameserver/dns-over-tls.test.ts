// The settings of DNS over TLS. With a real knotd: integration/nameserver/node/dns-over-tls.test.ts.
import { expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { configuration } from '#nameserver/knot/configuration.ts';
import { configurationFile } from '#nameserver/knot/configuration-file.ts';
import { knotSettings } from '#nameserver/knot/from-config.ts';
import { KNOT_SETTINGS } from '#nameserver/settings.ts';

const settingsWith = (more: Record<string, string>) =>
  knotSettings(readConfig(KNOT_SETTINGS, { ZONESTEAD_NODE_NAME: 'ns1', ...more }));
const files = { ZONESTEAD_KNOT_TLS_CERT_FILE: '/tls/tls.crt', ZONESTEAD_KNOT_TLS_KEY_FILE: '/tls/tls.key' };

test('knotd serves no DNS over TLS without a certificate', () => {
  const settings = settingsWith({});
  expect(settings.tls).toBeUndefined();
  expect(configurationFile(configuration({ ...settings, version: '3.4.6' }))).not.toMatch(/listen-tls|cert-file/);
});

test('knotd listens for TLS at each of its addresses, once', () => {
  const settings = settingsWith({ ...files, ZONESTEAD_KNOT_LISTEN: '192.0.2.1,2001:db8::1' });
  expect(settings.tls).toEqual({ port: 8853, certificateFile: '/tls/tls.crt', keyFile: '/tls/tls.key' });
  const listen = [...settings.listen, { address: '192.0.2.1', port: 5354 }];
  const tls = { port: 8853, certificate: '/knot/a.crt', key: '/knot/a.key' };
  const text = configurationFile(configuration({ ...settings, listen, version: '3.4.6' }, tls));
  for (const line of [
    'listen-tls: [ "192.0.2.1@8853", "2001:db8::1@8853" ]',
    'cert-file: "/knot/a.crt"',
    'key-file: "/knot/a.key"',
  ])
    expect(text).toContain(`    ${line}\n`);
});

test.each([
  [
    { ZONESTEAD_KNOT_TLS_CERT_FILE: '/tls/tls.crt' },
    'ZONESTEAD_KNOT_TLS_CERT_FILE is set and ZONESTEAD_KNOT_TLS_KEY_FILE is not: DNS over TLS needs the certificate',
  ],
  [
    { ZONESTEAD_KNOT_TLS_KEY_FILE: '/tls/tls.key' },
    'ZONESTEAD_KNOT_TLS_KEY_FILE is set and ZONESTEAD_KNOT_TLS_CERT_FILE is not',
  ],
  [{ ...files, ZONESTEAD_KNOT_TLS_PORT: '5353' }, 'ZONESTEAD_KNOT_TLS_PORT and ZONESTEAD_KNOT_PORT are both 5353'],
])('settings that cannot work are refused: %j', (more, words) => {
  expect(() => settingsWith(more)).toThrow(words);
});
